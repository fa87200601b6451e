// seam analyze of several ranks from outside: the same bytes in any order, JSON by its schema, and what is refused.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/temporary_folder.h"
#include "program.h"
#include "support/schema.h"

namespace seam::cli::test {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

class RanksCommand : public testing::Test {
 protected:
  void SetUp() override {
    auto folder = TemporaryFolder::make();
    ASSERT_TRUE(folder) << folder.error().message;
    owned_ = std::move(*folder);
    folder_ = owned_->path();
    fs::create_directories(folder_ / "job");
  }

  [[nodiscard]] std::string trace(const std::string& name, const Json& rank, int arrival) const {
    Json events = Json::array();
    int correlation = 0;
    const auto add = [&](const char* kernel, int start, int end) {
      events.push_back({{"ph", "X"}, {"cat", "kernel"}, {"name", kernel}, {"pid", 0}, {"tid", 7}, {"ts", start}, {"dur", end - start}, {"args", {{"device", 0}, {"stream", 7}, {"correlation", ++correlation}}}});
    };
    for (int i = 0; i < 3; ++i) {
      add("ampere_sgemm_128x64_tn", 1000 * i, 1000 * i + arrival - 1);
      add("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)", 1000 * i + arrival, 1000 * i + 950);
    }
    Json document = {{"traceEvents", events}, {"baseTimeNanoseconds", 0}};
    if (!rank.is_null()) document["distributedInfo"] = {{"rank", rank}};
    const std::string file = (folder_ / "job" / name).string();
    std::ofstream(file) << document.dump();
    return file;
  }
  std::optional<TemporaryFolder> owned_;
  fs::path folder_;
};

TEST_F(RanksCommand, TheOrderOfRanksSaysNothing) {
  const std::string a = trace("a.json", 2, 300), b = trace("b.json", 0, 800), c = trace("c.json", 1, 500);
  const Ran json = seam({"analyze", (folder_ / "job").string(), "--format", "json"});
  ASSERT_EQ(json.exit, 0) << json.err;
  const Json report = Json::parse(json.out);
  EXPECT_EQ(seam::test::schema_problems(report, "seam.ranks.schema.json"), std::vector<std::string>());
  EXPECT_EQ(report["ranks"].size(), 3U);
  EXPECT_EQ(report["collectives"].size(), 3U);
  EXPECT_EQ(report["collectives"][0]["last"], 0);
  EXPECT_EQ(report["collectives"][0]["skew_ns"], 500'000);
  EXPECT_EQ(report["collectives"][0]["bytes"], nullptr) << "unknown, not 0";
  EXPECT_EQ(report["ranks"][2]["waited_ns"], 1'500'000);
  std::set<std::string> findings;
  for (const Json& one : report["findings"]) findings.insert(one["id"].get<std::string>());
  EXPECT_TRUE(findings.contains("straggler") && findings.contains("waits-at-collectives") && findings.contains("exposed-communication"));
  for (const char* format : {"json", "text", "md"}) {
    const Ran one = seam({"analyze", a, b, c, "--format", format}), other = seam({"analyze", c, b, a, "--format", format});
    EXPECT_EQ(one.exit, 0) << one.err;
    EXPECT_EQ(one.out, other.out) << format;
    EXPECT_EQ(one.out, seam({"analyze", (folder_ / "job").string(), "--format", format}).out);
  }
  ASSERT_EQ(seam({"import", (folder_ / "job").string(), "-o", (folder_ / "runs").string()}).exit, 0);
  EXPECT_EQ(Json::parse(seam({"analyze", (folder_ / "runs").string(), "--format", "json"}).out), report) << "runs say what their traces say";
}

TEST_F(RanksCommand, WhatLiesBesideRanksIsNamed) {
  (void)trace("a.json", 0, 300);
  (void)trace("b.json", 1, 400);
  std::ofstream(folder_ / "job" / "comm.json") << R"({"comms": [{"name": "all_reduce", "in_msg_size": 3}]})";
  const Ran text = seam({"analyze", (folder_ / "job").string()});
  EXPECT_EQ(text.exit, 0) << text.err;
  EXPECT_NE(text.out.find("comm.json is left out"), std::string::npos) << text.out;
  EXPECT_EQ(seam({"analyze", (folder_ / "job" / "a.json").string(), (folder_ / "job" / "comm.json").string()}).exit, 2) << "named by itself it is wanted";
}

TEST_F(RanksCommand, WhatIsNoJobIsRefused) {
  const std::string a = trace("a.json", 0, 300), same = trace("b.json", 0, 400), silent = trace("c.json", {}, 500);
  const Ran twice = seam({"analyze", a, same});
  EXPECT_EQ(twice.exit, 2);
  EXPECT_NE(twice.err.find("both say that they are rank 0"), std::string::npos) << twice.err;
  EXPECT_EQ(seam({"analyze", a, silent}).exit, 2);
  EXPECT_EQ(seam({"analyze", a, (folder_ / "absent.json").string()}).exit, 2);
  EXPECT_EQ(seam({"analyze", a, same, "--movement"}).exit, 2);
  const Ran unnumbered = seam({"analyze", silent, trace("d.json", {}, 300), "--format", "json"});
  EXPECT_EQ(unnumbered.exit, 0) << unnumbered.err;
}

}  // namespace
}  // namespace seam::cli::test
