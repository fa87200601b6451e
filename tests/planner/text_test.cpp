// .plan: round trip, determinism, and errors with their place.
#include "support.h"

namespace seam::planner::test {
namespace {

TEST(PlanText, ParsesBackToTheSamePlan) {
  for (const auto& file : small_modules())
    for (const char* policy : {"stitch", "xla2018", "none"}) {
      const Case c = planned(slurp(file), options_for(policy, policy[0] == 's' ? 20'480 : 0));
      const std::string text = print_plan(c.plan, c.graph);
      const Result<Plan> again = parse_plan(text, "again.plan", c.graph);
      ASSERT_TRUE(again.has_value()) << file << ": " << describe(again.error(), text);
      EXPECT_EQ(*again, c.plan) << file << " " << policy;
      EXPECT_EQ(print_plan(*again, c.graph), text);
    }
}

TEST(PlanText, PlanningTwiceGivesTheSameBytes) {
  for (const auto& file : small_modules()) {
    const graph::Graph graph = module(slurp(file));
    const Case first = planned(graph, options_for("stitch")), second = planned(graph, options_for("stitch"));
    EXPECT_EQ(print_plan(first.plan, first.graph), print_plan(second.plan, second.graph)) << file;
  }
}

TEST(PlanText, PlanningWhatWasPreparedChangesNothing) {
  for (const auto& file : small_modules()) {
    const PlanOptions options = options_for("stitch");
    const Case c = planned(slurp(file), options);
    const Result<graph::Graph> twice = prepared(c.graph, options);
    ASSERT_TRUE(twice.has_value());
    EXPECT_EQ(*twice, c.graph) << file;
  }
}

std::string error_of(std::string_view text) {
  const graph::Graph graph = module("HloModule m\nENTRY e {\n  p = f32[4] parameter(0)\n  ROOT x = f32[4] negate(p)\n}\n");
  const Result<Plan> plan = parse_plan(text, "x.plan", graph);
  return plan ? "parsed" : describe(plan.error());
}

TEST(PlanText, ErrorsSayWhere) {
  EXPECT_NE(error_of("").find("x.plan:1:1: an empty plan"), std::string::npos) << error_of("");
  EXPECT_NE(error_of("plan 1\n").find("x.plan:1:1"), std::string::npos);
  EXPECT_NE(error_of("seam.plan 1\ncomputation nobody trips=1 roof-floor=0 byte-floor=0 {\n}\n").find("x.plan:2:13: the graph has no computation nobody"), std::string::npos)
      << error_of("seam.plan 1\ncomputation nobody trips=1 roof-floor=0 byte-floor=0 {\n}\n");
  const std::string head = "seam.plan 1\ncomputation e trips=1 roof-floor=0 byte-floor=0 {\n";
  EXPECT_NE(error_of(head).find("is not closed"), std::string::npos);
  EXPECT_NE(error_of(head + "  group g level=0 threads=256 {\n    part flat blocks=1 splits=1 lanes=1 shared=0 {\n      y output flat blocks=1\n").find("x.plan:5:7: e has no op y"),
            std::string::npos);
  EXPECT_NE(error_of(head + "  group g level=0 threads=x {\n").find("is not a whole number"), std::string::npos);
  EXPECT_NE(error_of(head + "  step fly x level=0\n}\n").find("fly is not a kind of step"), std::string::npos);
  EXPECT_NE(error_of("seam.plan 1\nmodule \"open\n").find("a quote is not closed"), std::string::npos);
  EXPECT_NE(error_of("seam.plan 1\nveto because in e { p }\n").find("because is not a reason code"), std::string::npos);
}

TEST(PlanText, NamesThatNeedQuotesKeepTheirLetters) {
  const graph::Graph graph = module("HloModule m\nENTRY e {\n  p = f32[4] parameter(0)\n  ROOT x = f32[4] negate(p)\n}\n");
  Case c = planned(graph, options_for("none"));
  c.plan.options["note"] = "a \"quoted\" word\nand a line";
  const Result<Plan> again = parse_plan(print_plan(c.plan, c.graph), "x.plan", c.graph);
  ASSERT_TRUE(again.has_value()) << describe(again.error());
  EXPECT_EQ(again->options, c.plan.options);
}

}  // namespace
}  // namespace seam::planner::test
