#pragma once
/// Traces as files of a test's own folder, imported and asked.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <string>

#include "base/files.h"
#include "collector/import.h"
#include "db/database.h"

namespace seam::collector::test {

class ImportTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("seam_import_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + "_" + std::to_string(::getpid()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::filesystem::path output(const std::string& name = "run.seam") const { return folder_ / name; }
  [[nodiscard]] Result<Imported> import(const std::filesystem::path& file, std::size_t window = std::size_t{4} << 20, const std::string& name = "run.seam") const {
    return import_trace(file, {.execution_trace = {}, .counters = {}, .output = output(name), .command = "seam import", .tool = "seam test", .window = window, .progress = {}});
  }
  [[nodiscard]] Result<Imported> import_text(const std::string& text) const {
    const std::filesystem::path file = folder_ / "trace.json";
    EXPECT_TRUE(write_file(file, text));
    return import(file);
  }
  [[nodiscard]] std::vector<std::vector<db::Field>> ask(const std::string& sql, const std::string& name = "run.seam") const {
    const auto database = db::Database::open(output(name));
    EXPECT_TRUE(database) << (database ? "" : database.error().message);
    if (!database) return {};
    auto rows = database->query(sql);
    EXPECT_TRUE(rows) << (rows ? "" : rows.error().message);
    return rows ? std::move(rows->rows) : std::vector<std::vector<db::Field>>{};
  }

  std::filesystem::path folder_;
};

inline std::int64_t rows_of(const Imported& imported, const std::string& kind) {
  for (const auto& [name, count] : imported.rows)
    if (name == kind) return count;
  return -1;
}

}  // namespace seam::collector::test
