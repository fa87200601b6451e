#include "graph/transform.h"

#include "graph/verify.h"
#include "support.h"

namespace seam::graph::test {
namespace {

/// A loop `for (i = start; i DIRECTION limit; i += step)` over a counter of type `type`.
std::string loop(std::string_view type, std::string_view start, std::string_view step, std::string_view limit, std::string_view direction,
                 bool mirrored = false) {
  const std::string t(type);
  const std::string compare = mirrored ? "compare(n, i)" : "compare(i, n)";
  return "cond { s = (" + t + "[], f32[2]) parameter(0)\n i = " + t + "[] get-tuple-element(s), index=0\n n = " + t + "[] constant(" +
         std::string(limit) + ")\n ROOT c = pred[] " + compare + ", direction=" + std::string(direction) + " }\n" +
         "body { s = (" + t + "[], f32[2]) parameter(0)\n i = " + t + "[] get-tuple-element(s), index=0\n x = f32[2] get-tuple-element(s), index=1\n d = " + t +
         "[] constant(" + std::string(step) + ")\n j = " + t + "[] add(i, d)\n y = f32[2] add(x, x)\n ROOT t = (" + t + "[], f32[2]) tuple(j, y) }\n" +
         "ENTRY e { z = " + t + "[] constant(" + std::string(start) + ")\n x = f32[2] parameter(0)\n t = (" + t + "[], f32[2]) tuple(z, x)\n w = (" + t +
         "[], f32[2]) while(t), condition=cond, body=body\n ROOT r = f32[2] get-tuple-element(w), index=1 }";
}

std::optional<std::int64_t> trips(std::string_view text) {
  const Graph graph = module(text);
  for (const Computation& computation : graph.computations) {
    for (const Op& op : computation.ops) {
      if (op.opcode == Opcode::While) return trip_count(graph, computation, op);
    }
  }
  return std::nullopt;
}

TEST(TripCount, FollowsTheInductionVariable) {
  EXPECT_EQ(trips(loop("s32", "0", "1", "10", "LT")), 10);
  EXPECT_EQ(trips(loop("s32", "0", "3", "10", "LT")), 4);
  EXPECT_EQ(trips(loop("s32", "0", "1", "10", "LE")), 11);
  EXPECT_EQ(trips(loop("s32", "10", "-1", "0", "GT")), 10);
  EXPECT_EQ(trips(loop("s32", "10", "-4", "0", "GE")), 3);
  EXPECT_EQ(trips(loop("s32", "2", "2", "10", "NE")), 4);
  EXPECT_EQ(trips(loop("s32", "5", "1", "5", "LT")), 0);
  EXPECT_EQ(trips(loop("s32", "0", "1", "10", "GT", true)), 10) << "limit on the left";
  EXPECT_EQ(trips(loop("u64", "0", "1", "7", "LT")), 7);
}

TEST(TripCount, IsUnknownWhereTheLoopWouldRunOnOrWrap) {
  EXPECT_EQ(trips(loop("s32", "0", "0", "10", "LT")), std::nullopt);
  EXPECT_EQ(trips(loop("s32", "0", "-1", "10", "LT")), std::nullopt);
  EXPECT_EQ(trips(loop("s32", "0", "3", "10", "NE")), std::nullopt);
  EXPECT_EQ(trips(loop("u8", "0", "100", "250", "LT")), std::nullopt) << "200 + 100 wraps to 44";
}

TEST(TripCount, IsUnknownWhereDataDecides) {
  std::string text = loop("s32", "0", "1", "10", "LT");
  text.replace(text.find("z = s32[] constant(0)"), 21, "z = s32[] parameter(1)");
  EXPECT_EQ(trips(text), std::nullopt);
}

TEST(TripCount, TakesWhatTheTextStates) {
  std::string text = loop("s32", "0", "1", "10", "LT");
  const std::string body = "body=body";
  text.insert(text.rfind(body) + body.size(), R"(, backend_config={"known_trip_count":{"n":"32"}})");
  EXPECT_EQ(trips(text), 32);
}

// The counter and its limit may pass through copies, tuples, nested calls and fusions.
TEST(TripCount, SeesThroughCopiesAndFusions) {
  const std::string text = R"(
compare_them { p = s32[] parameter(0)
  q = s32[] parameter(1)
  ROOT c = pred[] compare(p, q), direction=LT }
cond { s = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] get-tuple-element(s), index=1
  ROOT f = pred[] fusion(i, n), kind=kLoop, calls=compare_them }
step { p = s32[] parameter(0)
  one = s32[] constant(2)
  ROOT r = s32[] add(one, p) }
body { s = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  c = s32[] copy(i)
  n = s32[] get-tuple-element(s), index=1
  j = s32[] call(c), to_apply=step
  ROOT t = (s32[], s32[]) tuple(j, n) }
ENTRY e { z = s32[] constant(0)
  n = s32[] constant(9)
  m = s32[] copy(n)
  t = (s32[], s32[]) tuple(z, m)
  ROOT w = (s32[], s32[]) while(t), condition=cond, body=body })";
  EXPECT_EQ(trips(text), 5);
}

TEST(Unrolled, ComputesTheSame) {
  const Graph graph = module(loop("s32", "0", "1", "5", "LT"));
  const Result<Graph> flat = unrolled(graph, 10);
  ASSERT_TRUE(flat);
  EXPECT_TRUE(verify(*flat));
  for (const Op& op : flat->entry_computation().ops) EXPECT_NE(op.opcode, Opcode::While);
  EXPECT_EQ(flat->computations.size(), 1U) << "condition and body are gone";
  const std::vector<Value> inputs{value("f32[2]", {3, -1})};
  EXPECT_EQ(evaluate(*flat, inputs)->numbers, (std::vector<double>{96, -32}));
  EXPECT_EQ(evaluate(graph, inputs)->numbers, (std::vector<double>{96, -32}));
}

TEST(Unrolled, KeepsLoopsBeyondTheLimit) {
  const Graph graph = module(loop("s32", "0", "1", "50", "LT"));
  const Result<Graph> kept = unrolled(graph, 10);
  ASSERT_TRUE(kept);
  EXPECT_TRUE(*kept == without_dead_code(graph));
}

TEST(InlineCalls, PastesBodiesAndForwardsTuples) {
  const Graph graph = module(R"(
both { x = f32[2] parameter(0)
  n = f32[2] negate(x)
  ROOT t = (f32[2], f32[2]) tuple(x, n) }
ENTRY e { a = f32[2] parameter(0)
  c = (f32[2], f32[2]) call(a), to_apply=both, metadata={op_name="model/both"}
  x = f32[2] get-tuple-element(c), index=0
  y = f32[2] get-tuple-element(c), index=1
  ROOT r = f32[2] add(x, y) })");
  const Graph flat = without_dead_code(inline_calls(graph, false));
  EXPECT_EQ(print_graph(flat), R"(graph ""

entry computation %e {
  %a: f32[2] = parameter 0
  %both.n: f32[2] = negate %a @{op_name="model/both"}
  root %r: f32[2] = add %a %both.n
}
)");
}

TEST(InlineCalls, LeavesFusionsUnlessAsked) {
  const Graph graph = module(R"(
f { x = f32[2] parameter(0)
  ROOT n = f32[2] negate(x) }
ENTRY e { a = f32[2] parameter(0)
  ROOT r = f32[2] fusion(a), kind=kLoop, calls=f })");
  EXPECT_TRUE(inline_calls(graph, false) == graph);
  EXPECT_EQ(inline_calls(graph, true).entry_computation().ops[Id<Op>(1)].opcode, Opcode::Negate);
}

TEST(DeadCode, KeepsParametersAndSideEffects) {
  const Graph graph = module(R"(
ENTRY e { a = f32[2] parameter(0)
  unused = f32[2] parameter(1)
  dead = f32[2] negate(a)
  token = token[] after-all()
  sent = token[] outfeed(a, token), outfeed_config="x"
  ROOT r = f32[2] abs(a) })");
  const Graph live = without_dead_code(graph);
  EXPECT_FALSE(live.entry_computation().find("dead"));
  EXPECT_TRUE(live.entry_computation().find("unused"));
  EXPECT_TRUE(live.entry_computation().find("sent"));
  EXPECT_EQ(live.entry_computation().parameters.size(), 2U);
}

TEST(Duplicates, MergeEqualOpsAndEqualReducers) {
  const Graph graph = module(R"(
add1 { x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y) }
add2 { u = f32[] parameter(0)
  v = f32[] parameter(1)
  ROOT w = f32[] add(u, v) }
ENTRY e { a = f32[4] parameter(0)
  z1 = f32[] constant(0)
  z2 = f32[] constant(0)
  minus = f32[] constant(-0)
  r1 = f32[] reduce(a, z1), dimensions={0}, to_apply=add1
  r2 = f32[] reduce(a, z2), dimensions={0}, to_apply=add2
  r3 = f32[] reduce(a, minus), dimensions={0}, to_apply=add2
  ROOT t = (f32[], f32[], f32[]) tuple(r1, r2, r3) })");
  const Graph unique = without_dead_code(without_duplicates(graph));
  EXPECT_TRUE(verify(unique));
  EXPECT_EQ(unique.computations.size(), 2U);
  EXPECT_EQ(unique.entry_computation().ops.size(), 6U) << "-0 and 0 are two constants";
}

TEST(Duplicates, LeaveRandomNumbersAlone) {
  const Graph graph = module(R"(
ENTRY e { lo = f32[] constant(0)
  hi = f32[] constant(1)
  a = f32[4] rng(lo, hi), distribution=rng_uniform
  b = f32[4] rng(lo, hi), distribution=rng_uniform
  ROOT r = f32[4] add(a, b) })");
  EXPECT_EQ(without_duplicates(graph).entry_computation().ops.size(), graph.entry_computation().ops.size());
}

}  // namespace
}  // namespace seam::graph::test
