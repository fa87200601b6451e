/// What library products take over: the right ops, nothing else, and the same values.
#include <fmt/core.h>

#include "graph/evaluate.h"
#include "graph/matmul.h"
#include "planner/pipeline.h"
#include "support.h"

namespace seam::planner::test {
namespace {

/// dot(a[32,48], b[48,64]) followed by `tail`, which names the result.
std::string program(const std::string& tail, const std::string& parameters = "") {
  return R"(HloModule m
ENTRY main {
  a = f32[32,48] parameter(0)
  b = f32[48,64] parameter(1)
)" + parameters + R"(
  nought = f32[] constant(0)
  third = f32[] constant(0.25)
  zeros = f32[32,64] broadcast(nought), dimensions={}
  thirds = f32[32,64] broadcast(third), dimensions={}
  d = f32[32,64] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
)" + tail + "\n}\n";
}

constexpr const char* kBias = "  v = f32[64] parameter(2)\n  wide = f32[32,64] broadcast(v), dimensions={1}";
constexpr const char* kMatrix = "  c = f32[32,64] parameter(2)";

struct Found {
  std::string epilogue = "none";  ///< of the only library call; "none": it is a plain dot
  double alpha = 1, beta = 0;
  std::string taken;
  std::int64_t kernels = 0;
};

Found found_in(const std::string& text) {
  const Case c = planned(text, options_for("stitch"));
  EXPECT_EQ(complaint(c), "");
  Found out;
  for (const graph::Op& op : c.graph.entry_computation().ops) {
    if (!graph::is_matmul(op)) continue;
    const auto matmul = graph::matmul_of(op, 2, 2);
    if (!matmul) throw std::runtime_error(matmul.error());
    out.epilogue = matmul->epilogue();
    out.alpha = matmul->alpha;
    out.beta = matmul->beta;
    for (const std::string& name : epilogue_ops(op)) out.taken += (out.taken.empty() ? "" : " ") + name;
  }
  out.kernels = c.plan.totals.kernels;
  return out;
}

TEST(Epilogues, BiasAndReluAreTheLibrarys) {
  const Found f = found_in(program("  s = f32[32,64] add(d, wide)\n  ROOT r = f32[32,64] maximum(s, zeros)", kBias));
  EXPECT_EQ(f.epilogue, "BIAS_RELU");
  EXPECT_EQ(f.taken, "s r");
  EXPECT_EQ(f.kernels, 0);
}

TEST(Epilogues, ScaledSumsAreAlphaAndBeta) {
  const Found step = found_in(program("  g = f32[32,64] multiply(thirds, d)\n  ROOT r = f32[32,64] subtract(c, g)", kMatrix));
  EXPECT_EQ(step.alpha, -0.25);
  EXPECT_EQ(step.beta, 1);
  EXPECT_EQ(step.kernels, 0);
  const Found difference = found_in(program("  ROOT r = f32[32,64] subtract(d, c)", kMatrix));
  EXPECT_EQ(difference.alpha, 1);
  EXPECT_EQ(difference.beta, -1);
}

TEST(Epilogues, ViewsBetweenDoNotMatter) {
  const Found f = found_in(program("  w = f32[4,8,64] reshape(d)\n  wide3 = f32[4,8,64] broadcast(v), dimensions={2}\n  ROOT s = f32[4,8,64] add(w, wide3)",
                                   "  v = f32[64] parameter(2)"));
  EXPECT_EQ(f.epilogue, "BIAS");
  EXPECT_EQ(f.taken, "s");
  EXPECT_EQ(f.kernels, 0);
}

/// What the module rounds to 16 bits before a scale, sum or bias may overflow there; the library would round once, at the end.
TEST(Epilogues, NoRoundingTo16BitsIsLeftOut) {
  const auto half = [](const std::string& tail) {
    return found_in(R"(HloModule m
ENTRY main {
  a = f16[32,48] parameter(0)
  b = f16[48,64] parameter(1)
  v = f16[64] parameter(2)
  wide = f16[32,64] broadcast(v), dimensions={1}
  small = f16[] constant(0.001)
  scale = f16[32,64] broadcast(small), dimensions={}
  nought = f16[] constant(0)
  zeros = f16[32,64] broadcast(nought), dimensions={}
  d = f32[32,64] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  h = f16[32,64] convert(d)
)" + tail + "\n}\n");
  };
  EXPECT_EQ(half("  ROOT r = f16[32,64] maximum(h, zeros)").taken, "h r") << "one rounding, at the end, in both";
  EXPECT_EQ(half("  ROOT s = f16[32,64] add(h, wide)").taken, "h") << "rounded by the library, and again by the kernel that adds";
  EXPECT_EQ(half("  ROOT s = f16[32,64] multiply(h, scale)").taken, "h");
}

TEST(Epilogues, ScalesAreOneFiniteFactor) {
  const auto scaled = [](const std::string& first, const std::string& second) {
    return found_in(program("  k = f32[] constant(" + first + ")\n  l = f32[] constant(" + second + R"()
  ks = f32[32,64] broadcast(k), dimensions={}
  ls = f32[32,64] broadcast(l), dimensions={}
  s = f32[32,64] multiply(d, ks)
  ROOT t = f32[32,64] multiply(s, ls))"));
  };
  EXPECT_EQ(scaled("1e30", "1e30").epilogue, "none") << "s is needed by nobody, and both together are no f32";
  for (const char* odd : {"nan", "inf", "-inf"})
    EXPECT_EQ(found_in(program("  k = f32[] constant(" + std::string(odd) + ")\n  ks = f32[32,64] broadcast(k), dimensions={}\n  ROOT s = f32[32,64] multiply(d, ks)")).taken, "") << odd;
}

TEST(Epilogues, AnOrderThatWasAskedForStays) {
  EXPECT_EQ(found_in(program("  e = f32[32,64] exponential(c), control-predecessors={d}\n  s = f32[32,64] add(d, c)\n  ROOT r = (f32[32,64], f32[32,64]) tuple(s, e)", kMatrix)).taken, "");
  EXPECT_EQ(found_in(program("  s = f32[32,64] add(d, c)\n  e = f32[32,64] exponential(c), control-predecessors={s}\n  ROOT r = (f32[32,64], f32[32,64]) tuple(s, e)", kMatrix)).taken, "");
}

TEST(Epilogues, ProductsWithoutElementsAreLeftAlone) {
  const Case c = planned("HloModule m\nENTRY e {\n  a = f32[7,3] parameter(0)\n  b = f32[3,0] parameter(1)\n  v = f32[0] parameter(2)\n  d = f32[7,0] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
                         "  w = f32[7,0] broadcast(v), dimensions={1}\n  ROOT u = f32[7,0] add(w, d)\n}\n", options_for("stitch"));
  for (const graph::Op& op : c.graph.entry_computation().ops) EXPECT_FALSE(graph::is_matmul(op)) << op.name;
}

TEST(Epilogues, WhatTheLibraryCannotDoStaysInKernels) {
  const char* column = "  v = f32[32] parameter(2)\n  wide = f32[32,64] broadcast(v), dimensions={0}";
  EXPECT_EQ(found_in(program("  ROOT s = f32[32,64] add(d, wide)", column)).epilogue, "none") << "a bias along rows";
  EXPECT_EQ(found_in(program("  ROOT s = f32[32,64] maximum(d, thirds)")).epilogue, "none") << "a bound that is not 0";
  EXPECT_EQ(found_in(program("  s = f32[32,64] add(d, wide)\n  ROOT r = (f32[32,64], f32[32,64]) tuple(s, d)", kBias)).epilogue, "none") << "the product itself is returned";
  EXPECT_EQ(found_in(program("  s = f32[32,64] add(d, wide)\n  t = f32[32,64] multiply(d, d)\n  ROOT r = f32[32,64] subtract(s, t)", kBias)).epilogue, "none")
      << "the product is read twice";
  const Found late = found_in(program("  s = f32[32,64] add(d, wide)\n  ROOT r = f32[32,64] multiply(s, thirds)", kBias));
  EXPECT_EQ(late.epilogue, "none") << "a scale after the bias is none of the library's, and its kernel adds the bias at no cost";
}

TEST(Epilogues, WhatOnlyKernelsReadStaysWithThem) {
  const Found inner = found_in(program("  s = f32[32,64] add(d, wide)\n  ROOT r = f32[32,64] tanh(s)", kBias));
  EXPECT_EQ(inner.epilogue, "none");
  EXPECT_EQ(inner.kernels, 1);
  const Found chain = found_in(program("  s = f32[32,64] add(d, wide)\n  e = f32[32,64] dot(s, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n  ROOT r = f32[32,64] tanh(e)",
                                       std::string(kBias) + "\n  w = f32[64,64] parameter(3)"));
  EXPECT_EQ(chain.epilogue, "BIAS") << "another product reads it";
  EXPECT_EQ(chain.kernels, 1);
}

TEST(Epilogues, NothingIsMaterialisedOrDelayedForThem) {
  EXPECT_EQ(found_in(program("  e = f32[32,64] exponential(c)\n  ROOT s = f32[32,64] add(d, e)", kMatrix)).epilogue, "none") << "e would have to be written first";
  const char* second = "  c = f32[32,48] parameter(2)\n  b2 = f32[48,64] parameter(3)";
  EXPECT_EQ(found_in(program("  d2 = f32[32,64] dot(c, b2), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n  s = f32[32,64] add(d, d2)\n  ROOT r = (f32[32,64], f32[32,64]) tuple(s, d)", second)).epilogue, "none")
      << "two products of one level need not wait for each other where both are wanted";
}

/// Two products of one level run one after the other anyway: the second adds the first, so that whoever reads the sum reads one matrix.
TEST(Epilogues, TheSecondOfTwoProductsAddsTheFirst) {
  const char* second = "  c = f32[32,48] parameter(2)\n  b2 = f32[48,64] parameter(3)";
  const std::string sum = "  d2 = f32[32,64] dot(c, b2), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n  s = f32[32,64] add(d, d2)\n";
  const Found inner = found_in(program(sum + "  ROOT r = f32[32,64] tanh(s)", second));
  EXPECT_EQ(inner.epilogue, "DEFAULT");
  EXPECT_EQ(inner.kernels, 1);
}

TEST(Epilogues, OnlyPoliciesThatKnowThemAndNotIfTurnedOff) {
  const std::string text = program("  ROOT s = f32[32,64] add(d, wide)", kBias);
  EXPECT_EQ(planned(text, options_for("none")).plan.totals.kernels, 2) << "the bias made wide, and the sum";
  EXPECT_EQ(planned(text, options_for("xla2018")).plan.totals.kernels, 1);
  PlanOptions off = options_for("stitch");
  off.library_epilogues = false;
  const Case c = planned(text, off);
  EXPECT_EQ(c.plan.totals.kernels, 1);
  const PlanOptions read = stated_options(print_plan(c.plan, c.graph), options_for("xla2018"));
  EXPECT_EQ(read.policy, "stitch");
  EXPECT_FALSE(read.library_epilogues) << "a plan says how its graph was prepared";
  const Case on = planned(text, options_for("stitch"));
  EXPECT_TRUE(stated_options(print_plan(on.plan, on.graph), off).library_epilogues) << "whatever the command line says";
}

TEST(Epilogues, ExplainFindsOpsThatTheLibraryTookOver) {
  const Case c = planned(program("  s = f32[32,64] add(d, wide)\n  ROOT r = f32[32,64] maximum(s, zeros)", kBias), options_for("stitch"));
  const auto why = explain(c.plan, c.graph, "s", "");
  ASSERT_TRUE(why) << describe(why.error());
  EXPECT_NE(why->find("s is computed by library call d, in its epilogue"), std::string::npos) << *why;
}

/// Both evaluations in double without rounding between ops: equal up to the order of sums.
TEST(Epilogues, ValuesAreTheModules) {
  for (const std::string& tail : {std::string("  s = f32[32,64] add(wide, d)\n  ROOT r = f32[32,64] maximum(zeros, s)"), std::string("  t = f32[32,64] multiply(d, thirds)\n  ROOT s = f32[32,64] add(t, wide)")}) {
    const graph::Graph before = module(program(tail, kBias));
    const auto after = prepared(before, options_for("stitch"));
    ASSERT_TRUE(after);
    std::vector<graph::Value> inputs;
    for (const Id<graph::Op> parameter : before.entry_computation().parameters) {
      Array array = make_array(DType::F32, before.entry_computation().ops[parameter].shape.dims);
      for (std::int64_t i = 0; i < array.elements(); ++i) store_from_double(DType::F32, &array.data[static_cast<std::size_t>(i) * 4], static_cast<double>((i * 37 + 11) % 101) / 50.0 - 1);
      auto value = graph::to_value(array, before.entry_computation().ops[parameter].shape);
      ASSERT_TRUE(value);
      inputs.push_back(*std::move(value));
    }
    const auto expected = graph::evaluate(before, inputs, {.rounding = graph::Rounding::Wide, .progress = {}});
    const auto actual = graph::evaluate(*after, inputs, {.rounding = graph::Rounding::Wide, .progress = {}});
    ASSERT_TRUE(expected && actual);
    ASSERT_EQ(expected->numbers.size(), actual->numbers.size());
    for (std::size_t i = 0; i < expected->numbers.size(); ++i) ASSERT_NEAR(actual->numbers[i], expected->numbers[i], 1e-12) << i;
  }
}

/// aten.addmm of 16-bit operands: summed in f32 with the bias, rounded once. That is what the library computes.
TEST(Epilogues, ABiasThatIsWidenedForTheSumIsTheLibrarysIfTheResultIsRoundedBack) {
  const auto text = [](const std::string& tail, const std::string& result) {
    return R"(HloModule m
ENTRY main {
  a = bf16[32,48] parameter(0)
  b = bf16[48,64] parameter(1)
  v = bf16[64] parameter(2)
  w = f32[64] convert(v)
  wide = f32[32,64] broadcast(w), dimensions={1}
  d = f32[32,64] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  s = f32[32,64] add(d, wide)
)" + tail + "  ROOT r = " + result + "\n}\n";
  };
  const Found rounded = found_in(text("", "bf16[32,64] convert(s)"));
  EXPECT_EQ(rounded.epilogue, "BIAS");
  EXPECT_EQ(rounded.kernels, 0);
  // The library has one type for bias and result: an f32 result keeps its bias in a kernel.
  const Found wide = found_in(text("", "f32[32,64] negate(s)"));
  EXPECT_EQ(wide.epilogue, "none");
  // Rounded before the bias is added: not what the library does.
  const Found early = found_in(R"(HloModule m
ENTRY main {
  a = bf16[32,48] parameter(0)
  b = bf16[48,64] parameter(1)
  v = bf16[64] parameter(2)
  wide = bf16[32,64] broadcast(v), dimensions={1}
  d = bf16[32,64] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT s = bf16[32,64] add(d, wide)
}
)");
  EXPECT_EQ(early.epilogue, "none");
  EXPECT_EQ(early.kernels, 1);
}

}  // namespace
}  // namespace seam::planner::test
