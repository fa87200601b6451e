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

/// One op alone, on ragged blocks, for each type and distribution.
void one_op(std::string_view op, std::string_view type, int arity, std::string_view result_type = "", std::string_view attributes = "",
            std::string_view operand_types = "") {
  for (const Distribution d : {Distribution::Normal, Distribution::Positive, Distribution::Special}) {
    std::string text;
    std::string operands;
    for (int i = 0; i < arity; ++i) {
      const std::string_view t = i == 0 && !operand_types.empty() ? operand_types : type;
      text += fmt::format("    p{} = {}[301] parameter({})\n", i, t, i);
      operands += fmt::format("{}p{}", i == 0 ? "" : ", ", i);
    }
    text += fmt::format("    ROOT r = {}[301] {}({}){}\n", result_type.empty() ? type : result_type, op, operands, attributes);
    SCOPED_TRACE(fmt::format("{} {} {}", op, type, codegen::name(d)));
    const graph::Graph g = graph_of_ops(text);
    RunOptions options;
    options.distribution = d;
    options.low = -9;
    options.high = 70;
    expect_right(g, GroupOf(g).blocks(2).output("r").group(), options);
  }
}

TEST(Elementwise, FloatUnary) {
  for (const std::string_view op : {"abs", "cbrt", "ceil", "cosine", "erf", "exponential", "exponential-minus-one", "floor", "log", "log-plus-one",
                                    "logistic", "negate", "round-nearest-afz", "round-nearest-even", "rsqrt", "sign", "sine", "sqrt", "tan", "tanh"}) {
    one_op(op, "f32", 1);
  }
  for (const std::string_view op : {"exponential", "rsqrt", "tanh", "negate", "logistic"}) {
    one_op(op, "f16", 1);
    one_op(op, "bf16", 1);
  }
  one_op("sqrt", "f64", 1);
  one_op("floor", "f64", 1);
  one_op("is-finite", "f32", 1, "pred");
}

TEST(Elementwise, FloatBinary) {
  for (const std::string_view type : {"f32", "f16", "bf16", "f64"}) {
    for (const std::string_view op : {"add", "subtract", "multiply", "divide", "maximum", "minimum"}) one_op(op, type, 2);
  }
  for (const std::string_view op : {"power", "remainder", "atan2"}) one_op(op, "f32", 2);
}

TEST(Elementwise, Integers) {
  for (const std::string_view type : {"s32", "u32", "s8", "u16", "s64"}) {
    for (const std::string_view op : {"add", "subtract", "multiply", "divide", "remainder", "maximum", "minimum", "and", "or", "xor", "shift-left",
                                      "shift-right-arithmetic", "shift-right-logical"}) {
      one_op(op, type, 2);
    }
    for (const std::string_view op : {"negate", "abs", "not", "sign", "popcnt", "count-leading-zeros"}) one_op(op, type, 1);
  }
  one_op("power", "s32", 2);
}

TEST(Elementwise, PredsComparesSelects) {
  for (const std::string_view op : {"and", "or", "xor"}) one_op(op, "pred", 2);
  one_op("not", "pred", 1);
  for (const std::string_view direction : {"EQ", "NE", "GE", "GT", "LE", "LT"}) {
    one_op("compare", "f32", 2, "pred", fmt::format(", direction={}", direction));
    one_op("compare", "s32", 2, "pred", fmt::format(", direction={}", direction));
  }
  one_op("compare", "f32", 2, "pred", ", direction=LT, type=TOTALORDER");
  one_op("select", "f32", 3, "f32", "", "pred");
  one_op("select", "s8", 3, "s8", "", "pred");
  one_op("clamp", "f32", 3);
  one_op("clamp", "s32", 3);
}

TEST(Elementwise, Conversions) {
  for (const std::string_view from : {"f32", "f16", "bf16", "f64", "s32", "u32", "s8", "u8", "s64", "pred"}) {
    for (const std::string_view to : {"f32", "f16", "bf16", "f64", "s32", "u32", "s8", "u8", "s64", "pred"}) one_op("convert", from, 1, to);
  }
}

TEST(Elementwise, Bits) {
  one_op("bitcast-convert", "f32", 1, "s32");
  one_op("bitcast-convert", "u32", 1, "f32");
  one_op("bitcast-convert", "f16", 1, "u16");
  one_op("bitcast-convert", "u16", 1, "bf16");
  one_op("reduce-precision", "f32", 1, "f32", ", exponent_bits=8, mantissa_bits=7");
  one_op("reduce-precision", "f32", 1, "f32", ", exponent_bits=5, mantissa_bits=10");
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
