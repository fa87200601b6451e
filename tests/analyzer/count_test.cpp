// Launches of the real compiler's modules as we count them, against what its own launch lists and the table of counts say.
#include <gtest/gtest.h>

#include <array>
#include <charconv>
#include <filesystem>
#include <map>
#include <optional>

#include "analyzer/count.h"
#include "graph/text.h"
#include "optimized.h"

namespace seam::analyzer::test {
namespace {

using Rows = std::vector<std::vector<std::string>>;

/// Kernels that the table of counts has as copies: it takes a slice of some columns for one run of memory. The compiler launched kernels.
std::int64_t columns_taken_for_copies(const std::string& module) {
  if (module.starts_with("w2v.step.") || module == "w2v.dense.h100.default") return 1;
  if (module.starts_with("nmt.step.") && module != "nmt.step.h100.default") return 4 * 50;  // four slices in loops of 50 trips
  return 0;
}

TEST(Counts, EqualTheTableOnEveryOptimizedModule) {
  std::size_t checked = 0;
  for (const std::vector<std::string>& row : table("counts.tsv")) {
    if (row.at(2) == "-") continue;  // modules before optimization: see below
    const std::string name = row[0] + "." + row[1] + "." + row[2] + "." + row[3];
    const graph::Graph graph = optimized(name);
    const LaunchCounts counts = count_launches(graph);
    const std::int64_t moved = columns_taken_for_copies(name);
    EXPECT_EQ(counts.kernels, std::stoll(row.at(5)) + moved) << name;
    EXPECT_EQ(counts.library_calls, std::stoll(row.at(6))) << name;
    EXPECT_EQ(counts.copies, std::stoll(row.at(7)) - moved) << name;
    EXPECT_EQ(counts.bytes(), std::stoll(row.at(8))) << name;
    if (moved == 0) {
      EXPECT_EQ(counts.kernel_bytes, std::stoll(row.at(9))) << name;
    }
    EXPECT_EQ(counts.loops_of_unknown_length, 0) << name;
    ++checked;
  }
  EXPECT_EQ(checked, 84U);
}

/// Trips that the text of a loop states.
std::optional<std::int64_t> stated_trips(const graph::Graph& graph, const std::string& loop) {
  for (const graph::Computation& computation : graph.computations) {
    const std::optional<Id<graph::Op>> found = computation.find(loop);
    if (!found) continue;
    const std::string& config = computation.ops[*found].attributes.backend_config;
    const std::size_t at = config.find_first_of("0123456789", config.find("known_trip_count"));
    std::int64_t trips = 0;
    if (at == std::string::npos || std::from_chars(config.data() + at, config.data() + config.size(), trips).ec != std::errc{}) return std::nullopt;
    return trips;
  }
  return std::nullopt;
}

/// A launch list as the compiler's runtime walks it: kernels, library calls, copies. Rows stand under the loop whose depth is less than theirs.
std::array<std::int64_t, 3> launched(const Rows& rows, const graph::Graph& graph) {
  struct Loop {
    std::int64_t depth = 0, trips = 0;
    bool in_body = false;
  };
  std::vector<Loop> loops;
  std::array<std::int64_t, 3> counts{};
  std::optional<std::int64_t> one_copy;  // rows deeper than this belong to one copy with a moving address
  for (const std::vector<std::string>& row : rows) {
    const std::int64_t depth = std::stoll(row.at(1));
    const std::string& kind = row.at(2);
    if (kind == "condition" || kind == "body") {
      loops.back().in_body = kind == "body";
      continue;
    }
    if (one_copy && depth > *one_copy) continue;
    one_copy.reset();
    while (!loops.empty() && depth <= loops.back().depth) loops.pop_back();
    if (kind == "kWhile") {
      const std::optional<std::int64_t> trips = stated_trips(graph, row.at(3));
      EXPECT_TRUE(trips.has_value()) << row.at(3);
      loops.push_back({depth, trips.value_or(0), false});
      continue;
    }
    if (kind == "kDynamicSliceFusion") one_copy = depth;
    std::int64_t times = 1;
    for (const Loop& loop : loops) times *= loop.in_body ? loop.trips : 0;  // the condition of a loop of known length is not run
    const std::map<std::string, std::size_t> kinds = {{"kCustomKernel", 0}, {"kCublasLtMatmul", 1}, {"kConvolution", 1}, {"kCopy", 2}, {"kDynamicSliceFusion", 2}};
    EXPECT_TRUE(kinds.contains(kind)) << kind;
    if (kinds.contains(kind)) counts[kinds.at(kind)] += times;
  }
  return counts;
}

TEST(Counts, EqualTheCompilersOwnLaunchLists) {
  std::size_t checked = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(SEAM_UNPACKED) + "/real/launches")) {
    const std::string name = entry.path().stem().string();
    const graph::Graph graph = optimized(name);
    const LaunchCounts counts = count_launches(graph);
    const std::array<std::int64_t, 3> listed = launched(rows_of(entry.path().string()), graph);
    EXPECT_EQ(counts.kernels, listed[0]) << name;
    EXPECT_EQ(counts.library_calls, listed[1]) << name;
    EXPECT_EQ(counts.copies, listed[2]) << name;
    ++checked;
  }
  EXPECT_EQ(checked, 42U) << "h100, library and default";
}

TEST(Counts, BeforeOptimizationEveryArrayOpIsAKernel) {
  for (const std::vector<std::string>& row : table("counts.tsv")) {
    if (row.at(2) != "-") continue;
    const std::string name = row[0] + "." + row[1];
    const Result<graph::Graph> graph = graph::read_graph(slurp(std::string(SEAM_TEST_DATA) + "/xla/" + name + ".hlo"), name);
    ASSERT_TRUE(graph.has_value());
    // The table counts loop bodies once and dots as kernels; so do we where the text states no trips.
    EXPECT_EQ(count_launches(*graph).kernels, std::stoll(row.at(5))) << name;
  }
}

TEST(Counts, OnlyOneRunOfMemoryIsACopy) {
  // XLA copies rows with memcpy; columns need a kernel.
  const auto counted = [](const std::string& slice, const std::string& shape) {
    const std::string text = "HloModule m, is_scheduled=true\nf {\n  p = f32[4,6,8] parameter(0)\n  ROOT s = " + shape + " slice(p), slice=" + slice + "\n}\nENTRY e {\n  x = f32[4,6,8] parameter(0)\n  ROOT y = " + shape +
                             " fusion(x), kind=kLoop, calls=f\n}\n";
    const LaunchCounts counts = count_launches(graph::read_graph(text, "test").value());
    EXPECT_EQ(counts.kernels + counts.copies, 1);
    return counts.copies == 1 ? "copy" : "kernel";
  };
  EXPECT_STREQ(counted("{[1:3], [0:6], [0:8]}", "f32[2,6,8]"), "copy");
  EXPECT_STREQ(counted("{[2:3], [1:4], [0:8]}", "f32[1,3,8]"), "copy");
  EXPECT_STREQ(counted("{[2:3], [1:2], [3:5]}", "f32[1,1,2]"), "copy");
  EXPECT_STREQ(counted("{[0:4], [0:6], [1:8]}", "f32[4,6,7]"), "kernel");
  EXPECT_STREQ(counted("{[0:4], [1:2], [0:8]}", "f32[4,1,8]"), "kernel");
  EXPECT_STREQ(counted("{[0:4:2], [0:6], [0:8]}", "f32[2,6,8]"), "kernel");
}

}  // namespace
}  // namespace seam::analyzer::test
