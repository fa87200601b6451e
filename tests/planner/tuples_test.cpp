/// Values that are tuples in the module and must not be in a plan.
#include "support.h"

namespace seam::planner::test {
namespace {

std::string argmax(std::int64_t row) {
  const std::string n = std::to_string(row);
  return R"(HloModule m
best { a = f32[] parameter(0)
  i = s32[] parameter(1)
  b = f32[] parameter(2)
  j = s32[] parameter(3)
  more = pred[] compare(a, b), direction=GT
  m = f32[] select(more, a, b)
  k = s32[] select(more, i, j)
  ROOT t = (f32[], s32[]) tuple(m, k) }
ENTRY e {
  x = f32[2,)" + n + R"(] parameter(0)
  i = s32[2,)" + n + R"(] iota(), iota_dimension=1
  low = f32[] constant(-inf)
  z = s32[] constant(0)
  r = (f32[2], s32[2]) reduce(x, i, low, z), dimensions={1}, to_apply=best
  ROOT g = s32[2] get-tuple-element(r), index=1
}
)";
}

/// Long rows are where a reduce of one value is cut into slices; the elements of a tuple have no memory between two kernels.
TEST(Tuples, AReduceOfSeveralValuesAndWhoReadsItShareAKernelHoweverLong) {
  for (const std::int64_t row : {64, 4'096, 16'384, 128'256, 1'000'000}) {
    const Case c = planned(argmax(row), options_for("stitch"));
    EXPECT_EQ(complaint(c), "") << row;
    EXPECT_EQ(c.plan.totals.kernels, 1) << row;
    EXPECT_GE(c.plan.totals.bytes_read, 2 * row * 4) << row;
  }
}

TEST(Tuples, BarriersOfTuplesAreBarriersOfTheirElements) {
  const Case c = planned(R"(HloModule m
ENTRY e {
  x = f32[64] parameter(0)
  y = f32[64] exponential(x)
  t = (f32[64], f32[64]) tuple(x, y)
  o = (f32[64], f32[64]) opt-barrier(t)
  a = f32[64] get-tuple-element(o), index=0
  b = f32[64] get-tuple-element(o), index=1
  z = f32[64] exponential(a)
  ROOT s = f32[64] add(b, z)
})", options_for("stitch"));
  EXPECT_EQ(complaint(c), "");
  EXPECT_EQ(c.plan.totals.kernels, 1);
  int exponentials = 0;
  for (const graph::Op& op : c.graph.entry_computation().ops) exponentials += op.opcode == graph::Opcode::Exp ? 1 : 0;
  EXPECT_EQ(exponentials, 2) << "what stands behind the barrier is not merged with what stands before it";
}

}  // namespace
}  // namespace seam::planner::test
