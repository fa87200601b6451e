/// Loop state that is updated in place must be the loop's own: where the program shares it, a copy is planned.
#include "support.h"

namespace seam::planner::test {
namespace {

/// A loop over four rows that writes two accumulators in place; `init` and `more` say what they start as and who else looks at them.
std::string program(const std::string& init, const std::string& a, const std::string& b, const std::string& result = "done.0, done.1",
                    const std::string& next = "a.next, b.next") {
  return R"(
body {
  s = (s32[], f32[4,8], f32[4,8], f32[8]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  a = f32[4,8] get-tuple-element(s), index=1
  b = f32[4,8] get-tuple-element(s), index=2
  x = f32[8] get-tuple-element(s), index=3
  one = s32[] constant(1)
  zero = s32[] constant(0)
  row = f32[1,8] reshape(x)
  twice = f32[1,8] add(row, row)
  a.next = f32[4,8] dynamic-update-slice(a, row, i, zero)
  b.next = f32[4,8] dynamic-update-slice(b, twice, i, zero)
  i.next = s32[] add(i, one)
  ROOT t = tuple(i.next, )" + next + R"(, x)
}
condition {
  s = (s32[], f32[4,8], f32[4,8], f32[8]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  four = s32[] constant(4)
  ROOT less = pred[] compare(i, four), direction=LT
}
ENTRY main {
  x = f32[8] parameter(0)
  p = f32[4,8] parameter(1)
  zero = s32[] constant(0)
  nought = f32[] constant(0)
)" + init + R"(
  state = tuple(zero, )" + a + ", " + b + R"(, x)
  loop = (s32[], f32[4,8], f32[4,8], f32[8]) while(state), condition=condition, body=body
  done.0 = f32[4,8] get-tuple-element(loop), index=1
  done.1 = f32[4,8] get-tuple-element(loop), index=2
  ROOT r = tuple()" + result + R"()
})";
}

int copies_in(const std::string& text, std::string_view computation = "main") {
  const Case c = planned(text, options_for("stitch"));
  EXPECT_EQ(complaint(c), "");
  int copies = 0;
  for (const graph::Computation& one : c.graph.computations)
    if (one.name == computation)
      for (const graph::Op& op : one.ops) copies += op.opcode == graph::Opcode::Copy ? 1 : 0;
  return copies;
}

constexpr const char* kOneBroadcast = "  z = f32[4,8] broadcast(nought), dimensions={}";
constexpr const char* kComputed = "  xx = f32[4,8] broadcast(x), dimensions={1}\n  u = f32[4,8] exponential(xx)\n  v = f32[4,8] negate(xx)";

TEST(OwnState, OneBroadcastForTwoAccumulatorsIsTwoBuffersFromOneKernel) {
  EXPECT_EQ(copies_in(program(kOneBroadcast, "z", "z")), 2);
  const Case c = planned(program(kOneBroadcast, "z", "z"), options_for("stitch"));
  EXPECT_EQ(c.plan.computations.back().groups.size(), 1U);
}

TEST(OwnState, ComputedValuesAreTheLoopsAlready) { EXPECT_EQ(copies_in(program(kComputed, "u", "v")), 0); }
TEST(OwnState, OneComputedValueGivenTwice) { EXPECT_EQ(copies_in(program(kComputed, "u", "u")), 1); }
TEST(OwnState, ReadAfterwards) { EXPECT_EQ(copies_in(program(kComputed, "u", "v", "done.0, done.1, u")), 1); }
TEST(OwnState, ArgumentsBelongToTheCaller) { EXPECT_EQ(copies_in(program(kComputed, "p", "v")), 1); }

TEST(OwnState, ReadBeforeTheLoopIsNoReason) {
  const std::string first = std::string(kComputed) +
                            "\n  k = f32[8,8] parameter(2)\n  w = f32[4,8] dot(u, k), lhs_contracting_dims={1}, rhs_contracting_dims={0}";
  EXPECT_EQ(copies_in(program(first, "u", "w")), 0);
}

TEST(OwnState, ABodyThatReturnsOneBufferTwice) {
  EXPECT_EQ(copies_in(program(kComputed, "u", "v", "done.0, done.1", "a.next, a.next"), "body"), 1);
}

}  // namespace
}  // namespace seam::planner::test
