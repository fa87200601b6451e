// Floors and counts of what the real compiler made of our modules, against the tables that came with them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "analyzer/count.h"
#include "analyzer/floor.h"
#include "graph/text.h"

namespace seam::analyzer::test {
namespace {

std::string slurp(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::vector<std::string>> table(const std::string& name) {
  std::istringstream lines(slurp(std::filesystem::path(SEAM_TEST_DATA) / "xla" / name));
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream cells(line);
    rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, '\t');) rows.back().push_back(cell);
  }
  rows.erase(rows.begin());  // heading
  return rows;
}

graph::Graph optimized(const std::string& name) {
  const std::filesystem::path file = std::filesystem::path(SEAM_UNPACKED) / "real" / "optimized" / (name + ".hlo");
  Result<graph::Graph> graph = graph::read_graph(slurp(file), file.string());
  if (!graph) throw std::runtime_error(describe(graph.error()));
  return *std::move(graph);
}

TEST(RoofFloor, EqualsTheTableOnEveryOptimizedModule) {
  std::size_t checked = 0;
  for (const std::vector<std::string>& row : table("floor.tsv")) {
    const graph::Graph graph = optimized(row.at(0) + ".h100.library");
    const RoofFloor floor = roof_floor(graph, load_in_optimized);
    EXPECT_EQ(floor.kernels, std::stoll(row.at(2))) << row[0];
    EXPECT_EQ(floor.library_depth, std::stoll(row.at(3))) << row[0];
    const LaunchCounts counts = count_launches(graph);
    EXPECT_EQ(counts.kernels + counts.copies, std::stoll(row.at(1))) << row[0];
    ++checked;
  }
  EXPECT_EQ(checked, 21U);
}

TEST(Counts, EqualTheTableOnEveryOptimizedModule) {
  std::size_t checked = 0;
  for (const std::vector<std::string>& row : table("counts.tsv")) {
    if (row.at(2) == "-") continue;  // modules before optimization: see below
    const std::string name = row[0] + "." + row[1] + "." + row[2] + "." + row[3];
    const LaunchCounts counts = count_launches(optimized(name));
    EXPECT_EQ(counts.kernels, std::stoll(row.at(5))) << name;
    EXPECT_EQ(counts.library_calls, std::stoll(row.at(6))) << name;
    EXPECT_EQ(counts.copies, std::stoll(row.at(7))) << name;
    EXPECT_EQ(counts.bytes(), std::stoll(row.at(8))) << name;
    EXPECT_EQ(counts.kernel_bytes, std::stoll(row.at(9))) << name;
    ++checked;
  }
  EXPECT_EQ(checked, 84U);
}

TEST(Counts, BeforeOptimizationEveryArrayOpIsAKernel) {
  for (const std::vector<std::string>& row : table("counts.tsv")) {
    if (row.at(2) != "-") continue;
    const std::string name = row[0] + "." + row[1];
    const Result<graph::Graph> graph = graph::read_graph(slurp(std::filesystem::path(SEAM_TEST_DATA) / "xla" / (name + ".hlo")), name);
    ASSERT_TRUE(graph.has_value());
    const LaunchCounts counts = count_launches(*graph);
    // The table counts loop bodies once and dots as kernels; so do we where the text states no trips.
    EXPECT_EQ(counts.kernels, std::stoll(row.at(5))) << name;
  }
}

graph::Graph parsed(const char* text) { return graph::read_graph(text, "test").value(); }

Load simple(const graph::Computation& computation, Id<graph::Op> id) {
  switch (graph::op_class(computation.ops[id].opcode)) {
    case graph::OpClass::Contraction: return Load::Library;
    case graph::OpClass::Elementwise: return Load::Work;
    default: return Load::Free;
  }
}

TEST(RoofFloor, LevelsWithoutWorkDoNotCount) {
  const graph::Graph graph = parsed(R"(HloModule m
ENTRY e {
  x = f32[8,8] parameter(0)
  d = f32[8,8] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  d2 = f32[8,8] dot(d, d), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT y = f32[8,8] add(d2, d)
})");
  EXPECT_EQ(roof_floor(graph, simple), (RoofFloor{1, 2}));
}

}  // namespace
}  // namespace seam::analyzer::test
