// seam diff from outside: counts are exact, renamed kernels are found, and times are judged against how much steps vary.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "program.h"
#include "support/schema.h"

namespace seam::cli::test {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

class DiffCommand : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("seam_diff_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

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

TEST_F(DiffCommand, WhatCannotBeComparedIsRefused) {
  std::ofstream(folder_ / "cpu.json") << R"([{"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 2, "ts": 1, "dur": 2}])";
  const std::string a = trace("a.json", {100}, kKernels);
  EXPECT_EQ(seam({"diff", a, (folder_ / "cpu.json").string()}).exit, 2);
  EXPECT_EQ(seam({"diff", a, (folder_ / "absent.json").string()}).exit, 2);
  EXPECT_EQ(seam({"diff", a}).exit, 2);
}

}  // namespace
}  // namespace seam::cli::test
