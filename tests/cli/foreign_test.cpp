/// seam validate on what real XLA made of our models: text, JSON, exit codes, the run file, dump folders.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "db/database.h"
#include "program.h"
#include "support/schema.h"

namespace seam::cli::test {
namespace {

using Json = nlohmann::json;

class Foreign : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("seam_foreign_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static std::string model(const std::string& name) { return std::string(SEAM_UNPACKED) + "/oracle/" + name; }
  /// validate of one compiler result of `name`.
  static std::vector<std::string> validate(const std::string& name, std::vector<std::string> more) {
    const std::string at = model(name) + "/h100.library/";
    std::vector<std::string> all = {"validate", at + "optimized.hlo", "--ptx", at + "ptx", "--launches", at + "launches.tsv"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  static Json valid(const Ran& ran) {
    const Json json = Json::parse(ran.out, nullptr, false);
    EXPECT_FALSE(json.is_discarded()) << ran.out.substr(0, 300) << ran.err;
    if (json.is_discarded()) return {};
    for (const std::string& problem : seam::test::schema_problems(json, "seam.validate.schema.json")) ADD_FAILURE() << problem;
    return json;
  }

  std::filesystem::path folder_;
};

TEST_F(Foreign, WholeProgram) {
  const std::string file = (folder_ / "x.seam").string();
  const Ran ran = seam(validate("nmt.step", {"--inputs", model("nmt.step"), "--expect", model("nmt.step"), "-o", file, "--format", "json"}));
  EXPECT_EQ(ran.exit, 0) << ran.err;
  const Json json = valid(ran);
  EXPECT_EQ(json["verdict"], "passed");
  EXPECT_EQ(json["kernels"].size(), 101U);
  EXPECT_EQ(json["program"]["outputs"].size(), 15U);
  EXPECT_EQ(json["program"]["run"]["kernels"], 524);
  EXPECT_EQ(json["program"]["run"]["library_calls"], 87);
  EXPECT_EQ(json["program"]["run"]["copies"], 122);
  EXPECT_EQ(json["program"]["run"]["rescued"], 0);
  std::int64_t launches = 0, read = 0;
  for (const Json& kernel : json["kernels"]) {
    launches += kernel["launches"].get<std::int64_t>();
    if (!kernel["counters"].is_null()) read += kernel["counters"]["bytes_read"].get<std::int64_t>();
  }
  EXPECT_EQ(launches, 524);
  EXPECT_EQ(read, json["program"]["run"]["bytes_read"]);

  const auto database = db::Database::open(file);
  ASSERT_TRUE(database) << describe(database.error());
  const auto count = [&](const std::string& sql) { return database->query(sql).value().rows.at(0).at(0); };
  EXPECT_EQ(count("select count(*) from launch where kind = 'kernel'"), db::Field(std::int64_t{524}));
  EXPECT_EQ(count("select count(*) from launch where kind = 'library'"), db::Field(std::int64_t{87}));
  EXPECT_EQ(count("select count(*) from copy"), db::Field(std::int64_t{122}));
  EXPECT_EQ(count("select sum(bytes_read) from launch where kind = 'kernel'"), db::Field(read));
  EXPECT_EQ(count("select max(trip) from launch"), db::Field(std::int64_t{5}));
  // Each piece of work ends before the next begins, and every one takes time.
  EXPECT_EQ(count("select count(*) from (select start_ns - lag(end_ns) over (order by sequence) as gap, end_ns - start_ns as ns from (select sequence, start_ns, end_ns from launch union all select sequence, start_ns, end_ns from copy)) where gap < 3999 or ns <= 0"), db::Field(std::int64_t{0}));
}

// Without --expect the evaluator of the optimized module is the reference.
TEST_F(Foreign, TextAndTheEvaluatorsReference) {
  const Ran ran = seam(validate("lr.step", {"--inputs", model("lr.step")}));
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_NE(ran.out.find("6 kernels: 6 passed, 0 failed, 0 inconclusive."), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("The run: 6 kernels, 2 library calls, 0 copies"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("Verdict: passed"), std::string::npos) << ran.out;
}

TEST_F(Foreign, KernelsAloneAndTheirFigures) {
  const Json alone = valid(seam(validate("lr.step", {"--format", "json"})));
  EXPECT_EQ(alone["verdict"], "passed");
  EXPECT_EQ(alone["program"]["ran"], false);
  const Ran counted = seam(validate("lr.step", {"--profile", "--format", "json"}));
  EXPECT_EQ(counted.exit, 4) << "values were not compared";
  const Json profile = valid(counted);
  ASSERT_EQ(profile["kernels"].size(), alone["kernels"].size());
  EXPECT_EQ(profile["program"]["totals"]["kernels"], 6);
  EXPECT_EQ(profile["program"]["totals"]["evidence"], "simulated");
  for (std::size_t k = 0; k < profile["kernels"].size(); ++k) {
    EXPECT_EQ(profile["kernels"][k]["tiers"]["values"], "not run");
    EXPECT_EQ(profile["kernels"][k]["counters"]["bytes_read"], alone["kernels"][k]["counters"]["bytes_read"]) << profile["kernels"][k]["name"];
  }
}

// One launch of each kernel, times how often it is launched, is what the whole run counts.
TEST_F(Foreign, ProfilesAddUpToTheRun) {
  const Json run = valid(seam(validate("nmt.step", {"--inputs", model("nmt.step"), "--no-kernels", "--format", "json"})));
  const Json totals = valid(seam(validate("nmt.step", {"--profile", "--format", "json"})))["program"]["totals"];
  EXPECT_EQ(totals["kernels"], run["program"]["run"]["kernels"]);
  EXPECT_EQ(totals["unknown_kernels"], 0);
  const auto near = [&](const char* figure) {
    const double a = totals[figure].get<double>(), b = run["program"]["run"][figure].get<double>();
    EXPECT_NEAR(a, b, 0.02 * b) << figure << ": gathers and scatters depend on values, little else does";
  };
  near("instructions");
  near("bytes_read");
  near("bytes_written");
}

TEST_F(Foreign, WrongValuesAreAFailure) {
  std::filesystem::copy(model("lr.step"), folder_ / "m");
  std::filesystem::copy_file(folder_ / "m" / "in1.npy", folder_ / "m" / "out1.npy", std::filesystem::copy_options::overwrite_existing);
  const Ran ran = seam(validate("lr.step", {"--inputs", model("lr.step"), "--expect", (folder_ / "m").string(), "--format", "json"}));
  EXPECT_EQ(ran.exit, 1);
  EXPECT_EQ(valid(ran)["program"]["verdict"], "failed");
}

TEST_F(Foreign, ConstantsThatTheTextLeavesOut) {
  EXPECT_EQ(seam(validate("w2v.dense", {"--inputs", model("w2v.dense"), "--quiet"})).exit, 2);
  const Ran ran =
      seam(validate("w2v.dense", {"--inputs", model("w2v.dense"), "--expect", model("w2v.dense"), "--before", model("w2v.dense") + "/before.hlo"}));
  EXPECT_EQ(ran.exit, 0) << ran.out << ran.err;
}

TEST_F(Foreign, WhatCannotBeIsSaid) {
  const std::string at = model("lr.step") + "/h100.library/";
  const auto refused = [](const std::vector<std::string>& arguments, const std::string& why) {
    const Ran ran = seam(arguments);
    EXPECT_EQ(ran.exit, 2) << why;
    EXPECT_EQ(ran.out, "") << why;
    EXPECT_NE(ran.err.find(why), std::string::npos) << ran.err;
  };
  refused({"validate", at + "optimized.hlo", "--ptx", at + "ptx"}, "its launch list (--launches)");
  refused({"validate", module("lr.step.hlo"), "--ptx", at + "ptx", "--launches", at + "launches.tsv"}, "is_scheduled");
  refused({"validate", at + "optimized.hlo", "--ptx", at + "ptx", "--launches", at + "optimized.hlo"}, "no launch list");
  refused({"validate", at + "optimized.hlo", "--ptx", folder_.string(), "--launches", at + "launches.tsv"}, "has no .ptx file");
  refused({"validate", folder_.string()}, "gpu_after_optimizations.txt");
  refused({"validate", module("lr.step.hlo"), "--profile"}, "another compiler's program");
  refused(validate("lr.step", {"-o", "x.seam"}), "needs --inputs");
  refused(validate("lr.step", {"--plan", "x.plan"}), "--plan");
}

}  // namespace
}  // namespace seam::cli::test
