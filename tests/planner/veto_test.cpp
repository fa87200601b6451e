// Refusals: each code is reachable, says what decided, and explain() finds it.
#include "support.h"

namespace seam::planner::test {
namespace {

/// Row statistics that a sum over rows needs in the same level.
constexpr const char* kCrossing = R"(HloModule m
s { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT c = f32[] add(a, b) }
ENTRY e {
  x = f32[4096,1024] parameter(0)
  z = f32[] constant(0)
  row = f32[4096] reduce(x, z), dimensions={1}, to_apply=s
  back = f32[4096,1024] broadcast(row), dimensions={0}
  d = f32[4096,1024] subtract(x, back)
  column = f32[1024] reduce(d, z), dimensions={0}, to_apply=s
  ROOT t = (f32[1024], f32[4096,1024]) tuple(column, d)
})";

TEST(Vetoes, AValueThatCrossesBlocksIsNotStitched) {
  const Case c = planned(kCrossing, options_for("stitch"));
  EXPECT_EQ(c.plan.totals.kernels, 2);
  ASSERT_TRUE(has_veto(c.plan, VetoCode::NoSchedule) || has_veto(c.plan, VetoCode::Parallelism) || has_veto(c.plan, VetoCode::SharedMemory));
  const Result<std::string> why = explain(c.plan, c.graph, "row", "column");
  ASSERT_TRUE(why.has_value());
  EXPECT_NE(why->find("row"), std::string::npos);
  EXPECT_NE(why->find(":"), std::string::npos);
  EXPECT_FALSE(explain(c.plan, c.graph, "nobody", "").has_value());
  EXPECT_EQ(complaint(c), "");
}

TEST(Vetoes, NumbersSayHowMuchWasMissing) {
  const Case c = planned(kCrossing, options_for("stitch"));
  for (const Veto& veto : c.plan.vetoes) {
    EXPECT_FALSE(veto.numbers.empty()) << name(veto.code);
    EXPECT_EQ(veto.ops.size(), 2U);
  }
}

TEST(Vetoes, LibraryCallsAndLoopsAreRoofs) {
  const Case c = planned(R"(HloModule m
ENTRY e {
  x = f32[512,512] parameter(0)
  y = f32[512,512] negate(x)
  d = f32[512,512] dot(y, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT r = f32[512,512] exponential(d)
})", options_for("stitch"));
  EXPECT_EQ(c.plan.totals.kernels, 2);
  const Result<std::string> why = explain(c.plan, c.graph, "y", "r");
  ASSERT_TRUE(why.has_value());
  EXPECT_NE(why->find("a library call stands between them"), std::string::npos) << *why;
}

TEST(Vetoes, AnOpInNoKernelIsNoLibraryCall) {
  const Case c = planned(kCrossing, options_for("stitch"));
  for (const auto& [a, b] : {std::pair{"x", "row"}, {"row", "x"}}) {
    const Result<std::string> why = explain(c.plan, c.graph, a, b);
    ASSERT_TRUE(why.has_value());
    EXPECT_EQ(why->find("library call"), std::string::npos) << *why;
    EXPECT_NE(why->find("they are not one kernel: x is in none"), std::string::npos) << *why;
  }
}

TEST(Vetoes, EveryCodeHasItsCase) {
  const auto has = [](const char* text, const PlanOptions& options, VetoCode code) {
    const Case c = planned(text, options);
    EXPECT_EQ(complaint(c), "");
    EXPECT_TRUE(has_veto(c.plan, code)) << name(code) << "\n" << explain_all(c.plan, c.graph);
  };
  const PlanOptions stitch = options_for("stitch"), old = options_for("xla2018");
  has(R"(HloModule m
ENTRY e {
  x = f32[512,512] parameter(0)
  ROOT d = f32[512,512] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})", stitch, VetoCode::LibraryCall);
  has("HloModule m\nENTRY e {\n  x = c64[8] parameter(0)\n  ROOT y = c64[8] negate(x)\n}\n", stitch, VetoCode::Unsupported);
  has(R"(HloModule m
s { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT c = f32[] add(a, b) }
ENTRY e {
  x = f32[8] parameter(0)
  ROOT y = f32[8] all-reduce(x), replica_groups={}, to_apply=s
})", stitch, VetoCode::SideEffect);
  has(R"(HloModule m
body { t = (s32[], f32[8]) parameter(0)
 i = s32[] get-tuple-element(t), index=0
 x = f32[8] get-tuple-element(t), index=1
 one = s32[] constant(1)
 j = s32[] add(i, one)
 y = f32[8] negate(x)
 ROOT r = (s32[], f32[8]) tuple(j, y) }
cond { t = (s32[], f32[8]) parameter(0)
 i = s32[] get-tuple-element(t), index=0
 n = s32[] constant(5)
 ROOT c = pred[] compare(i, n), direction=LT }
ENTRY e {
  x = f32[8] parameter(0)
  z = s32[] constant(0)
  t = (s32[], f32[8]) tuple(z, x)
  ROOT w = (s32[], f32[8]) while(t), condition=cond, body=body
})", stitch, VetoCode::ControlFlow);
  // Two rows of statistics that a column sum needs, and a loop that needs both the sum and a row statistic.
  has(R"(HloModule m
s { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT c = f32[] add(a, b) }
ENTRY e {
  x = f32[4096,4096] parameter(0)
  z = f32[] constant(0)
  row = f32[4096] reduce(x, z), dimensions={1}, to_apply=s
  back = f32[4096,4096] broadcast(row), dimensions={0}
  d = f32[4096,4096] subtract(x, back)
  column = f32[4096] reduce(d, z), dimensions={0}, to_apply=s
  columns = f32[4096,4096] broadcast(column), dimensions={1}
  ROOT y = f32[4096,4096] add(d, columns)
})", stitch, VetoCode::GiveUp);
  has(R"(HloModule m
ENTRY e {
  x = f32[512,512] parameter(0)
  a = f32[512,512] exponential(x)
  b = f32[512,512] add(a, x)
  c = f32[512,512] multiply(a, b)
  ROOT t = (f32[512,512], f32[512,512]) tuple(b, c)
})", old, VetoCode::FusionRule);
  PlanOptions capped = stitch;
  capped.footprint_cap = 3 * 1024 * 1024;
  has(R"(HloModule m
ENTRY e {
  x = f32[512,512] parameter(0)
  y = f32[256,1024] parameter(1)
  a = f32[512,512] negate(x)
  b = f32[256,1024] negate(y)
  ROOT t = (f32[512,512], f32[256,1024]) tuple(a, b)
})", capped, VetoCode::Footprint);
}

TEST(Vetoes, ManyParametersAreSplitOverKernels) {
  std::string text = "HloModule m\nENTRY e {\n", names, shapes;
  for (int i = 0; i < 600; ++i) {
    const std::string n = std::to_string(i);
    text += "  p" + n + " = f32[8] parameter(" + n + ")\n  n" + n + " = f32[8] negate(p" + n + ")\n";
    names += (i ? ", n" : "n") + n;
    shapes += i ? ", f32[8]" : "f32[8]";
  }
  text += "  ROOT t = (" + shapes + ") tuple(" + names + ")\n}\n";
  const Case c = planned(text, options_for("stitch"));
  EXPECT_EQ(c.plan.totals.kernels, 3);
  EXPECT_TRUE(has_veto(c.plan, VetoCode::Parameters));
  EXPECT_EQ(complaint(c), "");
}

TEST(Vetoes, SayTheSameTwice) {
  const Case a = planned(kCrossing, options_for("stitch")), b = planned(kCrossing, options_for("stitch"));
  EXPECT_EQ(explain_all(a.plan, a.graph), explain_all(b.plan, b.graph));
  EXPECT_NE(explain_all(a.plan, a.graph), "nothing was refused\n");
}

TEST(Vetoes, AFittingPairIsSaidToShareItsKernel) {
  const Case c = planned(slurp(std::filesystem::path(SEAM_TEST_DIR) / "fig3.graph"), options_for("stitch"));
  const Result<std::string> why = explain(c.plan, c.graph, "Reduce.1", "Dot.1");
  ASSERT_TRUE(why.has_value());
  EXPECT_NE(why->find("they share kernel"), std::string::npos);
}

}  // namespace
}  // namespace seam::planner::test
