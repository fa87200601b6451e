#pragma once
/// Traces that tests make up, imported into run files in a folder of their own.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "collector/import.h"
#include "db/database.h"
#include "support/need.h"

namespace seam::analyzer::test {

using Json = nlohmann::json;

/// A complete event; microseconds.
inline Json event(const char* category, const char* name, int pid, int tid, std::int64_t start, std::int64_t end, Json arguments = Json::object()) {
  return {{"ph", "X"}, {"cat", category}, {"name", name}, {"pid", pid}, {"tid", tid}, {"ts", start}, {"dur", end - start}, {"args", std::move(arguments)}};
}
inline Json kernel(const char* name, int stream, std::int64_t start, std::int64_t end, int correlation) { return event("kernel", name, 0, stream, start, end, {{"device", 0}, {"context", 1}, {"stream", stream}, {"correlation", correlation}}); }
inline Json call(const char* name, std::int64_t start, std::int64_t end, int correlation) { return event("cuda_runtime", name, 1, 2, start, end, {{"correlation", correlation}}); }

class RunFolder : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() / ("seam_" + std::string(info->test_suite_name()) + "_" + std::string(info->name()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] db::Database open(const std::filesystem::path& trace) const {
    seam::test::need(collector::import_trace(trace, {.execution_trace = {}, .counters = {}, .output = folder_ / "run.seam", .command = {}, .tool = "seam test", .window = std::size_t{4} << 20, .progress = {}}));
    return seam::test::need(db::Database::open(folder_ / "run.seam"));
  }
  [[nodiscard]] db::Database imported(const Json& trace) const {
    std::ofstream(folder_ / "trace.json") << trace.dump();
    return open(folder_ / "trace.json");
  }

  std::filesystem::path folder_;
};

}  // namespace seam::analyzer::test
