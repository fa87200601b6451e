// Layouts forgotten: values stay what they were, also behind bitcasts that reinterpret memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <random>

#include "base/files.h"
#include "graph/evaluate.h"
#include "graph/hlo.h"
#include "graph/transform.h"
#include "graph/verify.h"
#include "support/need.h"

namespace seam::graph {
namespace {

using seam::test::need;

std::string list(const std::vector<std::int64_t>& numbers) {
  std::string out;
  for (const std::int64_t n : numbers) out += (out.empty() ? "" : ",") + std::to_string(n);
  return out;
}

TEST(RowMajor, BitcastsBetweenLayoutsAreSpelledOut) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    // The same 24 elements in two shapes, each in any layout.
    const std::vector<std::vector<std::int64_t>> shapes = {{24}, {4, 6}, {2, 3, 4}, {6, 1, 4}, {2, 2, 2, 3}};
    const auto shape = [&] {
      std::vector<std::int64_t> dims = shapes[random() % shapes.size()];
      std::ranges::shuffle(dims, random);
      std::vector<std::int64_t> layout(dims.size());
      std::iota(layout.begin(), layout.end(), 0);
      std::ranges::shuffle(layout, random);
      return "f32[" + list(dims) + "]{" + list(layout) + "}";
    };
    const std::string from = shape(), to = shape(), then = shape();
    const std::string text = "ENTRY e { p = " + from + " parameter(0)\n b = " + to + " bitcast(p)\n n = " + to + " negate(b)\n ROOT c = " + then + " bitcast(n) }";
    SCOPED_TRACE(text);
    const Graph graph = need(parse_hlo(text, "bitcast"));
    const Graph plain = with_row_major_values(graph);
    ASSERT_TRUE(verify(plain)) << verify(plain).error().message;
    for (const Op& op : plain.entry_computation().ops) EXPECT_TRUE(is_row_major(op.shape)) << op.name;
    Value value;
    value.shape = graph.entry_computation().ops[graph.entry_computation().parameters[0]].shape;
    for (int i = 1; i <= 24; ++i) value.numbers.push_back(i);
    const std::vector<Value> inputs = {value};
    EXPECT_EQ(need(evaluate(plain, inputs)).numbers, need(evaluate(graph, inputs)).numbers);
  }
}

TEST(RowMajor, OfOptimizedModulesNothingIsLeft) {
  std::size_t modules = 0, with_bitcasts = 0;
  for (const auto& entry : std::filesystem::directory_iterator(SEAM_UNPACKED "/oracle")) {
    const std::filesystem::path file = entry.path() / "h100.library" / "optimized.hlo";
    if (!std::filesystem::exists(file)) continue;
    SCOPED_TRACE(file.string());
    ++modules;
    const Graph graph = need(parse_hlo(need(read_file(file)), "optimized"));
    const Graph plain = with_row_major_values(graph);
    ASSERT_TRUE(verify(plain)) << verify(plain).error().message;
    for (const Computation& computation : plain.computations)
      for (const Op& op : computation.ops) EXPECT_TRUE(op.shape.is_tuple || is_row_major(op.shape)) << op.name;
    with_bitcasts += plain == graph ? 0U : 1U;
  }
  EXPECT_EQ(modules, 21U);
  EXPECT_GT(with_bitcasts, 5U);
}

TEST(InlineCalls, NamesOfFunctionsAreRelativeToTheirCalls) {
  const Graph graph = need(parse_hlo(R"hlo(
where { a = f32[4] parameter(0)
  ROOT s = f32[4] negate(a), metadata={op_name="select_n"} }
ENTRY e { p = f32[4] parameter(0)
  c = f32[4] call(p), to_apply=where, metadata={op_name="jit(f)/dropout/jit(_where)"}
  ROOT d = f32[4] call(c), to_apply=where, metadata={op_name="jit(f)/other"} })hlo", "calls"));
  const Graph flat = inline_calls(graph, false);
  std::vector<std::string> names;
  for (const Op& op : flat.entry_computation().ops)
    if (op.opcode == Opcode::Negate) names.push_back(op.metadata.op_name);
  EXPECT_EQ(names, (std::vector<std::string>{"jit(f)/dropout/jit(_where)/select_n", "jit(f)/other/select_n"}));
}

}  // namespace
}  // namespace seam::graph
