// Runs that no GPU made: what `simulate` and `validate` write with --run says the same as what they print, and analyze and diff read it like any run.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/temporary_folder.h"
#include "db/database.h"
#include "program.h"
#include "support/schema.h"

namespace seam::cli::test {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

const fs::path kGraphs = fs::path(SEAM_UNPACKED) / "inductor", kPrinted = fs::path(SEAM_UNPACKED) / "fx";

class SimulatedRuns : public testing::Test {
 protected:
  void SetUp() override {
    auto folder = TemporaryFolder::make();
    ASSERT_TRUE(folder);
    folder_ = std::move(*folder);
  }
  [[nodiscard]] std::string out(const std::string& name) const { return (folder_->path() / name).string(); }
  [[nodiscard]] static Json json(std::vector<std::string> arguments, int exit = 0) {
    arguments.insert(arguments.end(), {"--format", "json"});
    const Ran ran = seam(arguments);
    EXPECT_EQ(ran.exit, exit) << ran.err;
    const Json read = Json::parse(ran.out, nullptr, false);
    return read.is_discarded() ? Json() : read;
  }
  [[nodiscard]] static std::int64_t number(const db::Database& run, const std::string& sql) { return std::get<std::int64_t>(run.query(sql).value().rows.at(0).at(0)); }

  std::optional<TemporaryFolder> folder_;
};

TEST_F(SimulatedRuns, OfGraphsAddUpToWhatIsPrinted) {
  const std::vector<std::string> names = {"lr_b100.bw", "mlp_b64.fw", "lstm_t28_b128.fw"};
  std::vector<std::string> arguments = {"simulate"};
  for (const std::string& name : names) arguments.push_back((kGraphs / (name + ".json")).string());
  arguments.insert(arguments.end(), {"--run", out("{}.seam")});
  const Json printed = json(arguments);
  for (std::size_t k = 0; k < names.size(); ++k) {
    const Json& totals = printed["graphs"][k]["totals"];
    const auto run = db::Database::open(out(names[k] + ".seam"));
    ASSERT_TRUE(run) << describe(run.error());
    EXPECT_EQ(number(*run, "SELECT count(*) FROM launch WHERE kind = 'kernel'"), totals["launches"]);
    EXPECT_EQ(number(*run, "SELECT count(*) FROM launch WHERE kind = 'library'"), totals["library_calls"]);
    EXPECT_EQ(number(*run, "SELECT count(*) FROM kernel"), totals["kernels"]);
    EXPECT_EQ(number(*run, "SELECT sum(bytes_read) FROM launch WHERE kind = 'kernel'"), totals["bytes_read"]);
    EXPECT_EQ(number(*run, "SELECT sum(bytes_read + bytes_written) FROM launch WHERE kind = 'library'"), totals["library_bytes"]);
    EXPECT_NEAR(static_cast<double>(number(*run, "SELECT end_ns FROM run")), 1e3 * totals["time_us"]["eager"]["mid"].get<double>(), 1.0);
    const Json report = json({"analyze", out(names[k] + ".seam")});
    EXPECT_EQ(seam::test::schema_problems(report, "seam.analyze.schema.json"), std::vector<std::string>());
    EXPECT_EQ(report["kind"], "simulated");
    std::int64_t ns = 0;
    for (const Json& share : report["shares"]) {
      EXPECT_EQ(share["evidence"], "modelled");
      ns += share["ns"].get<std::int64_t>();
    }
    // All but the gap before the first launch.
    const double gaps = 4.0 * (totals["launches"].get<double>() + totals["library_calls"].get<double>() - 1);
    EXPECT_NEAR(static_cast<double>(report["wall_ns"].get<std::int64_t>() - ns), 1e3 * gaps, 1.0 * static_cast<double>(number(*run, "SELECT count(*) FROM launch")));
  }
}

/// What Inductor made of a graph against our plan of the same: launches, bytes and modelled time are held against each other.
TEST_F(SimulatedRuns, InductorsAndOursCanBeCompared) {
  ASSERT_EQ(seam({"simulate", (kGraphs / "mlp_b64.bw.json").string(), "--run", out("inductor.seam")}).exit, 0);
  const Json proven = json({"validate", (kPrinted / "mlp_b64.bw.txt").string(), "--run", out("ours.seam")});
  EXPECT_EQ(proven["verdict"], "passed");
  const auto ours = db::Database::open(out("ours.seam"));
  ASSERT_TRUE(ours);
  EXPECT_EQ(number(*ours, "SELECT count(*) FROM launch WHERE kind = 'kernel'"), static_cast<std::int64_t>(proven["kernels"].size()));
  EXPECT_EQ(number(*ours, "SELECT count(*) FROM launches WHERE kind = 'kernel' AND bytes_evidence <> 'simulated'"), 0);
  EXPECT_EQ(number(*ours, "SELECT count(*) FROM kernel WHERE verdict <> 'passed'"), 0);
  const Json diff = json({"diff", out("inductor.seam"), out("ours.seam")});
  EXPECT_EQ(diff["verdict"], "pass");
  std::vector<std::string> names;
  for (const Json& one : diff["contracts"]) {
    names.push_back(one["name"]);
    EXPECT_LE(one["actual"].get<double>(), one["expected"].get<double>()) << one;
  }
  EXPECT_EQ(names, (std::vector<std::string>{"kernels", "copies", "fills", "bytes read and written", "device time, modelled, ns"}));
  // The other way round it is worse in all three.
  EXPECT_EQ(json({"diff", out("ours.seam"), out("inductor.seam")}, 1)["verdict"], "regression");
}

TEST_F(SimulatedRuns, ModelledAndRecordedTimesAreNotCompared) {
  ASSERT_EQ(seam({"simulate", (kGraphs / "lr_b100.bw.json").string(), "--run", out("simulated.seam")}).exit, 0);
  const Json diff = json({"diff", SEAM_SOURCE "/tests/data/traces/hard/h08_graph_launch_owns_six.json", out("simulated.seam")}, 4);
  EXPECT_EQ(diff["verdict"], "inconclusive");
  int times = 0;
  for (const Json& one : diff["contracts"]) {
    if (one["name"].get<std::string>().find("time") == std::string::npos) continue;
    ++times;
    EXPECT_EQ(one["verdict"], "inconclusive");
    EXPECT_NE(one["reason"].get<std::string>().find("those of the other modelled"), std::string::npos) << one;
  }
  EXPECT_EQ(times, 2);
}

TEST_F(SimulatedRuns, OfOneLaunch) {
  std::ofstream(out("k.ptx")) << R"(.version 8.4
.target sm_90
.address_size 64
.visible .entry k(.param .u64 .ptr px) {
.reg .b32 %t, %b, %n; .reg .b64 %p, %o; .reg .f32 %f;
mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mov.u32 %n, %ntid.x; mad.lo.u32 %t, %b, %n, %t; mul.wide.u32 %o, %t, 4;
ld.param.u64 %p, [px]; add.u64 %p, %p, %o; ld.global.f32 %f, [%p]; add.f32 %f, %f, %f; st.global.f32 [%p], %f;
ret;
}
)";
  ASSERT_EQ(seam({"simulate", out("k.ptx"), "--grid", "8", "--block", "128", "--arg", "rand:f32[1024]", "--run", out("k.seam"), "--device", "a100"}).exit, 0);
  const auto run = db::Database::open(out("k.seam"));
  ASSERT_TRUE(run) << describe(run.error());
  const auto row = run->query("SELECT name, kind, bytes_read, bytes_written, bytes_evidence, evidence, grid_x, block_x FROM launches");
  ASSERT_TRUE(row) << describe(row.error());
  ASSERT_EQ(row->rows.size(), 1U);
  EXPECT_EQ(row->rows[0], (std::vector<db::Field>{std::string("k"), std::string("kernel"), std::int64_t{4096}, std::int64_t{4096}, std::string("simulated"), std::string("modelled"), std::int64_t{8}, std::int64_t{128}}));
  EXPECT_EQ(run->query("SELECT name FROM device").value().rows.at(0).at(0), db::Field(std::string("a100")));
}

TEST_F(SimulatedRuns, WhatCannotBeIsSaid) {
  const Ran several = seam({"simulate", (kGraphs / "lr_b100.bw.json").string(), (kGraphs / "lr_b100.fw.json").string(), "--run", out("one.seam")});
  EXPECT_EQ(several.exit, 2);
  EXPECT_NE(several.err.find("{}"), std::string::npos) << several.err;
  EXPECT_FALSE(fs::exists(out("one.seam")));
  const Ran nowhere = seam({"simulate", (kGraphs / "lr_b100.bw.json").string(), "--run", "/proc/no/such.seam"});
  EXPECT_EQ(nowhere.exit, 2) << nowhere.out;
}

}  // namespace
}  // namespace seam::cli::test
