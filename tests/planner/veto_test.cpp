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
