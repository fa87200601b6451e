// The table of costs: what is put is found, stronger evidence stands above, and a file that is something else is left alone.
#include "db/costs.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <limits>

namespace seam::db::test {
namespace {

std::filesystem::path fresh(const char* name) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / name;
  std::filesystem::remove(file);
  return file;
}

Cost simulated() { return {Evidence::Simulated, "k0", 8, 8, 256, 128, 2048, 1024, 96, 4096, 32, 1, 2, 0, std::nullopt}; }

TEST(Costs, StaysBetweenRuns) {
  const auto file = fresh("costs_stay.db");
  {
    auto table = CostTable::open(file).value();
    EXPECT_FALSE(table.find("a", "h100", 1));
    ASSERT_TRUE(table.begin());
    ASSERT_TRUE(table.put("a", "h100", 1, simulated()));
    ASSERT_TRUE(table.commit());
  }
  const auto table = CostTable::open(file).value();
  EXPECT_EQ(table.find("a", "h100", 1), simulated());
  EXPECT_FALSE(table.find("a", "a100", 1));
  EXPECT_FALSE(table.find("a", "h100", 2)) << "another version counts otherwise";
  struct stat info {};
  ASSERT_EQ(::stat(file.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
}

TEST(Costs, WhatAGpuRecordedStandsAbove) {
  auto table = CostTable::in_memory().value();
  Cost recorded = simulated();
  recorded.evidence = Evidence::Recorded;
  recorded.recorded_us = 3.5;
  ASSERT_TRUE(table.put("a", "h100", 1, recorded));
  ASSERT_TRUE(table.put("a", "h100", 1, simulated()));
  EXPECT_EQ(table.find("a", "h100", 1), recorded);
}

TEST(Costs, RowsThatCannotBeAreNotFound) {
  auto table = CostTable::in_memory().value();
  const auto odd = [&](auto change) {
    Cost cost = simulated();
    change(cost);
    EXPECT_TRUE(table.put("a", "h100", 1, cost));
    return table.find("a", "h100", 1).has_value();
  };
  EXPECT_TRUE(odd([](Cost&) {}));
  EXPECT_FALSE(odd([](Cost& c) { c.threads = 0; }));
  EXPECT_FALSE(odd([](Cost& c) { c.blocks = -1; }));
  EXPECT_FALSE(odd([](Cost& c) { c.dram_bytes = -5; }));
  EXPECT_FALSE(odd([](Cost& c) { c.dram_bytes = std::numeric_limits<double>::infinity(); }));
  EXPECT_FALSE(odd([](Cost& c) { c.recorded_us = -5; }));
}

TEST(Costs, RefusesWhatItIsNot) {
  const auto text = fresh("costs_text.db");
  std::ofstream(text) << "this is no database, and long enough to be asked about";
  const auto opened = CostTable::open(text);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, Error::Code::BadInput);
  EXPECT_EQ(std::filesystem::file_size(text), 54U) << "it was touched";
  EXPECT_FALSE(CostTable::open("/proc/nowhere/costs.db"));
}

}  // namespace
}  // namespace seam::db::test
