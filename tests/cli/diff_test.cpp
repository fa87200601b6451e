// seam diff from outside: counts are exact, renamed kernels are found, and times are judged against how much steps vary.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/temporary_folder.h"
#include "program.h"
#include "support/schema.h"

namespace seam::cli::test {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

class DiffCommand : public testing::Test {
 protected:
  void SetUp() override {
    auto folder = TemporaryFolder::make();
    ASSERT_TRUE(folder) << folder.error().message;
    owned_ = std::move(*folder);
    folder_ = owned_->path();
  }

  /// Steps of the given lengths (us), each launching the kernels one after the other.
  [[nodiscard]] std::string trace(const std::string& name, const std::vector<int>& steps, const std::vector<std::string>& kernels) const {
    Json events = Json::array();
    int at = 0, correlation = 0, number = 0;
    for (const int step : steps) {
      events.push_back({{"ph", "X"}, {"cat", "user_annotation"}, {"name", "ProfilerStep#" + std::to_string(++number)}, {"pid", 1}, {"tid", 2}, {"ts", at}, {"dur", step}});
      int start = at;
      for (const std::string& kernel : kernels) {
        ++correlation;
        events.push_back({{"ph", "X"}, {"cat", "cuda_runtime"}, {"name", "cudaLaunchKernel"}, {"pid", 1}, {"tid", 2}, {"ts", start}, {"dur", 2}, {"args", {{"correlation", correlation}}}});
        events.push_back({{"ph", "X"}, {"cat", "kernel"}, {"name", kernel}, {"pid", 0}, {"tid", 7}, {"ts", start + 3}, {"dur", 5}, {"args", {{"device", 0}, {"stream", 7}, {"correlation", correlation}}}});
        start += 10;
      }
      at += step;
    }
    const std::string file = (folder_ / name).string();
    std::ofstream(file) << events.dump();
    return file;
  }
  [[nodiscard]] static Json diff(const std::string& a, const std::string& b, int exit) {
    const Ran ran = seam({"diff", a, b, "--format", "json"});
    EXPECT_EQ(ran.exit, exit) << ran.err << ran.out;
    Json json = Json::parse(ran.out, nullptr, false);
    EXPECT_EQ(seam::test::schema_problems(json, "seam.diff.schema.json"), std::vector<std::string>());
    return json;
  }
  std::optional<TemporaryFolder> owned_;
  fs::path folder_;
};

const std::vector<std::string> kKernels = {"ampere_sgemm_128x64_tn", "triton_poi_fused_add_0", "ampere_sgemm_128x32_nn"};

TEST_F(DiffCommand, TheSameRunPassesWhereStepsSayHowTimesVary) {
  const std::string a = trace("a.json", {100, 102, 99, 101, 100}, kKernels), b = trace("b.json", {101, 100, 102, 98, 100}, kKernels);
  EXPECT_EQ(diff(a, b, 0)["verdict"], "pass");
  EXPECT_TRUE(diff(a, a, 0)["kernels"].empty());
  const std::string one = trace("one.json", {100}, kKernels);
  EXPECT_EQ(diff(one, one, 4)["verdict"], "inconclusive") << "one step says nothing about times";
}

TEST_F(DiffCommand, MoreLaunchesAndSlowerStepsAreRegressions) {
  const std::string a = trace("a.json", {100, 102, 99, 101, 100}, kKernels);
  std::vector<std::string> more = kKernels;
  more.insert(more.begin() + 1, "triton_poi_fused_mul_1");
  const Json launches = diff(a, trace("b.json", {100, 101, 100, 99, 102}, more), 1);
  EXPECT_EQ(launches["contracts"][0]["name"], "kernels");
  EXPECT_EQ(launches["contracts"][0]["expected"], 15);
  EXPECT_EQ(launches["contracts"][0]["actual"], 20);
  EXPECT_EQ(launches["contracts"][0]["verdict"], "regression");
  EXPECT_EQ(launches["kernels"][0]["what"], "new");
  const Json slower = diff(a, trace("c.json", {150, 152, 149, 151, 150}, kKernels), 1);
  EXPECT_EQ(slower["contracts"][4]["verdict"], "regression");
  const Json fewer = diff(trace("d.json", {100, 102, 99, 101, 100}, more), a, 0);
  EXPECT_EQ(fewer["verdict"], "pass") << "fewer is no regression";
}

TEST_F(DiffCommand, RenamedKernelsAreFound) {
  const std::vector<std::string> other = {"ampere_sgemm_128x64_tn", "triton_poi_fused_add_7", "ampere_sgemm_128x32_nn"};
  const Json json = diff(trace("a.json", {100, 102, 99}, kKernels), trace("b.json", {100, 102, 99}, other), 0);
  ASSERT_EQ(json["kernels"].size(), 1U);
  EXPECT_EQ(json["kernels"][0]["what"], "renamed");
  EXPECT_EQ(json["kernels"][0]["before"], "triton_poi_fused_add_0");
  EXPECT_EQ(json["kernels"][0]["after"], "triton_poi_fused_add_7");
}

/// One op launches a kernel twice as often: it is named, and the query shows its rows.
TEST_F(DiffCommand, WhyNamesThePlace) {
  const auto recorded = [&](const std::string& name, int times) {
    Json events = Json::array();
    int at = 0, correlation = 0;
    const auto span = [&](const char* category, const char* what, int start, int end, Json arguments = Json::object()) {
      events.push_back({{"ph", "X"}, {"cat", category}, {"name", what}, {"pid", 1}, {"tid", 2}, {"ts", start}, {"dur", end - start}, {"args", std::move(arguments)}});
    };
    for (int step = 1; step <= 3; ++step) {
      const int begin = at;
      for (const char* op : {"aten::linear", "aten::it's"}) {
        const int start = at;
        for (int i = 0; i < (std::string(op) == "aten::linear" ? 1 : times); ++i) {
          span("cuda_runtime", "cudaLaunchKernel", at + 1, at + 3, {{"correlation", ++correlation}});
          events.push_back({{"ph", "X"}, {"cat", "kernel"}, {"name", "k"}, {"pid", 0}, {"tid", 7}, {"ts", at + 4}, {"dur", 5}, {"args", {{"device", 0}, {"stream", 7}, {"correlation", correlation}}}});
          at += 10;
        }
        span("cpu_op", op, start, at);
      }
      span("user_annotation", "forward", begin, at);
      span("user_annotation", ("ProfilerStep#" + std::to_string(step)).c_str(), begin, at);
    }
    const std::string file = (folder_ / name).string();
    std::ofstream(file) << events.dump();
    return file;
  };
  const std::string a = recorded("a.json", 1), b = recorded("b.json", 2);
  const Ran ran = seam({"diff", a, b, "--why", "--format", "json"});
  EXPECT_EQ(ran.exit, 1) << ran.err;
  const Json json = Json::parse(ran.out);
  EXPECT_EQ(seam::test::schema_problems(json, "seam.diff.schema.json"), std::vector<std::string>());
  ASSERT_EQ(json["why"].size(), 1U);
  const Json& why = json["why"][0];
  ASSERT_EQ(why["ops"].size(), 1U) << "the other op launches as often as before";
  EXPECT_EQ(why["ops"][0]["place"], "op aten::it's");
  EXPECT_EQ(why["ops"][0]["launches_before"], 3);
  EXPECT_EQ(why["ops"][0]["launches_after"], 6);
  EXPECT_EQ(why["annotations"][0]["place"], "annotation forward");
  EXPECT_EQ(why["steps"].size(), 3U);
  ASSERT_EQ(seam({"import", b, "-o", (folder_ / "b.seam").string()}).exit, 0);
  const Ran rows = seam({"sql", (folder_ / "b.seam").string(), why["sql_after"], "--format", "json"});
  EXPECT_EQ(rows.exit, 0) << rows.err;
  EXPECT_EQ(Json::parse(rows.out)["rows"].size(), 9U);
  EXPECT_NE(seam({"diff", a, b, "--why"}).out.find("op aten::it's: 3 to 6"), std::string::npos);
}

TEST_F(DiffCommand, WhatCannotBeComparedIsRefused) {
  std::ofstream(folder_ / "cpu.json") << R"([{"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 2, "ts": 1, "dur": 2}])";
  const std::string a = trace("a.json", {100}, kKernels);
  EXPECT_EQ(seam({"diff", a, (folder_ / "cpu.json").string()}).exit, 2);
  EXPECT_EQ(seam({"diff", a, (folder_ / "absent.json").string()}).exit, 2);
  EXPECT_EQ(seam({"diff", a}).exit, 2);
}

}  // namespace
}  // namespace seam::cli::test
