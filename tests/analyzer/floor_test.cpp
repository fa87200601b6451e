// Roof floors of what the real compiler made of our modules, against the table that came with them.
#include <gtest/gtest.h>

#include "analyzer/count.h"
#include "analyzer/floor.h"
#include "graph/text.h"
#include "optimized.h"

namespace seam::analyzer::test {
namespace {

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
