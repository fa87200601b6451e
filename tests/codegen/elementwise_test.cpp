#include <fmt/core.h>
#include <gtest/gtest.h>

#include "support.h"

namespace seam::test {
namespace {

using codegen::Distribution;

TEST(Elementwise, OneAddFlat) {
  const graph::Graph g = graph_of_ops(R"(
    a = f32[1000] parameter(0)
    b = f32[1000] parameter(1)
    ROOT c = f32[1000] add(a, b))");
  expect_right(g, GroupOf(g).blocks(3).output("c").group());
}

struct OpCase {
  std::string_view op;
  std::string_view result = {};     ///< type; empty = the operands'
  std::string_view attributes = {};
  std::string_view first = {};      ///< type of operand 0; empty = like the others
};

/// Many ops of one type, each an output of its own, in one kernel (NVRTC's start costs more than the ops), on ragged blocks, for each distribution.
void all_right(std::string_view type, int arity, const std::vector<OpCase>& ops, bool special = true) {
  std::string text;
  for (int i = 0; i < arity; ++i) text += fmt::format("    p{} = {}[301] parameter({})\n", i, type, i);
  if (!ops.front().first.empty()) text += fmt::format("    q = {}[301] parameter({})\n", ops.front().first, arity);
  std::string shapes;
  std::string names;
  int n = 0;
  for (const OpCase& one : ops) {
    std::string operands;
    for (int i = 0; i < arity; ++i) operands += fmt::format("{}{}{}", i == 0 ? "" : ", ", i == 0 && !one.first.empty() ? "q, p" : "p", i);
    const std::string_view result = one.result.empty() ? type : one.result;
    text += fmt::format("    r{} = {}[301] {}({}){}\n", n, result, one.op, operands, one.attributes);
    shapes += fmt::format("{}{}[301]", n == 0 ? "" : ", ", result);
    names += fmt::format("{}r{}", n == 0 ? "" : ", ", n);
    ++n;
  }
  text += fmt::format("    ROOT t = ({}) tuple({})\n", shapes, names);
  const graph::Graph g = graph_of_ops(text);
  GroupOf group(g);
  group.blocks(2);
  for (int i = 0; i < n; ++i) group.output(fmt::format("r{}", i));
  std::vector<RunOptions> runs;
  for (const Distribution d : {Distribution::Normal, Distribution::Positive, Distribution::Special}) {
    if (d == Distribution::Special && !special) continue;
    runs.push_back(RunOptions{.distribution = d, .low = -9, .high = 70});
  }
  SCOPED_TRACE(type);
  expect_right(g, group.group(), runs);
}

TEST(Elementwise, CommentsKeepForeignBytesOut) {
  // NVRTC takes bytes that are not UTF-8 at the end of a comment for a part of the next line.
  const graph::Graph g = graph_of_ops("    a = f32[64] parameter(0)\n    ROOT c = f32[64] negate(a), metadata={op_name=\"\xff\xfe\xc3\"}");
  expect_right(g, GroupOf(g).output("c").group());
}

TEST(Elementwise, FloatUnary) {
  all_right("f32", 1, {{"abs"}, {"cbrt"}, {"ceil"}, {"cosine"}, {"erf"}, {"exponential"}, {"exponential-minus-one"}, {"floor"}, {"log"}, {"log-plus-one"},
                       {"logistic"}, {"negate"}, {"round-nearest-afz"}, {"round-nearest-even"}, {"rsqrt"}, {"sign"}, {"sine"}, {"sqrt"}, {"tan"}, {"tanh"},
                       {"is-finite", "pred"}});
  for (const std::string_view type : {"f16", "bf16"}) {
    all_right(type, 1, {{"exponential"}, {"rsqrt"}, {"tanh"}, {"negate"}, {"logistic"}, {"log"}, {"floor"}, {"is-finite", "pred"}});
  }
  all_right("f64", 1, {{"sqrt"}, {"floor"}, {"rsqrt"}, {"negate"}, {"sign"}});
}

TEST(Elementwise, FloatBinary) {
  for (const std::string_view type : {"f32", "f16", "bf16", "f64"}) {
    all_right(type, 2, {{"add"}, {"subtract"}, {"multiply"}, {"divide"}, {"maximum"}, {"minimum"}});
  }
  all_right("f32", 2, {{"power"}, {"remainder"}, {"atan2"}});
}

TEST(Elementwise, Integers) {
  for (const std::string_view type : {"s32", "u32", "s8", "u16", "s64", "u64"}) {
    all_right(type, 2, {{"add"}, {"subtract"}, {"multiply"}, {"divide"}, {"remainder"}, {"maximum"}, {"minimum"}, {"and"}, {"or"}, {"xor"},
                        {"shift-left"}, {"shift-right-arithmetic"}, {"shift-right-logical"}});
    all_right(type, 1, {{"negate"}, {"abs"}, {"not"}, {"sign"}, {"popcnt"}, {"count-leading-zeros"}});
  }
  for (const std::string_view type : {"s32", "u32", "s64", "u64"}) all_right(type, 2, {{"mulhi"}});
  all_right("s32", 2, {{"power"}});
}

TEST(Elementwise, PredsComparesSelects) {
  all_right("pred", 2, {{"and"}, {"or"}, {"xor"}});
  all_right("pred", 1, {{"not"}});
  for (const std::string_view type : {"f32", "s32", "u32", "bf16"}) {
    all_right(type, 2, {{"compare", "pred", ", direction=EQ"}, {"compare", "pred", ", direction=NE"}, {"compare", "pred", ", direction=GE"},
                        {"compare", "pred", ", direction=GT"}, {"compare", "pred", ", direction=LE"}, {"compare", "pred", ", direction=LT"}});
  }
  all_right("f32", 2, {{"compare", "pred", ", direction=LT, type=TOTALORDER"}, {"compare", "pred", ", direction=GE, type=TOTALORDER"}});
  for (const std::string_view type : {"f32", "s8", "f16", "pred"}) all_right(type, 2, {{"select", "", "", "pred"}});
  all_right("f32", 3, {{"clamp"}});
  all_right("s32", 3, {{"clamp"}});
}

TEST(Elementwise, Conversions) {
  for (const std::string_view from : {"f32", "f16", "bf16", "f64", "s32", "u32", "s8", "u8", "s64", "pred"}) {
    std::vector<OpCase> ops;
    for (const std::string_view to : {"f32", "f16", "bf16", "f64", "s32", "u32", "s8", "u8", "s64", "pred"}) ops.push_back({"convert", to});
    all_right(from, 1, ops);
  }
}

TEST(Elementwise, Bits) {
  all_right("f32", 1, {{"bitcast-convert", "s32"}, {"reduce-precision", "", ", exponent_bits=8, mantissa_bits=7"},
                       {"reduce-precision", "", ", exponent_bits=5, mantissa_bits=10"}});
  all_right("u32", 1, {{"bitcast-convert", "f32"}});
  // Halves live in floats: a NaN loses its payload there, so its bits are not compared.
  all_right("f16", 1, {{"bitcast-convert", "u16"}}, false);
  all_right("u16", 1, {{"bitcast-convert", "bf16"}});
}

TEST(Elementwise, ChainSharesLoads) {
  const graph::Graph g = graph_of_ops(R"(
    x = f32[5,7] parameter(0)
    y = f32[7] parameter(1)
    half = f32[] constant(0.5)
    halves = f32[5,7] broadcast(half), dimensions={}
    rows = f32[5,7] broadcast(y), dimensions={1}
    s = f32[5,7] add(x, rows)
    h = f32[5,7] multiply(s, halves)
    e = f32[5,7] exponential(h)
    t = f32[5,7] multiply(e, s)
    ROOT out = (f32[5,7], f32[5,7]) tuple(t, h))");
  const planner::FusionGroup group = GroupOf(g).blocks(2).output("t").output("h").group();
  expect_right(g, group);
  const std::string text = cuda_of(g, group);
  EXPECT_EQ(text.find("for ("), text.rfind("for (")) << "two outputs of one shape are one loop\n" << text;
}

}  // namespace
}  // namespace seam::test
