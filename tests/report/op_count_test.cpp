/// An op that several parts of a packed kernel compute again is one op of that kernel.
#include <gtest/gtest.h>

#include "report/plan_json.h"

namespace seam::report {
namespace {

planner::PlannedOp planned(std::uint32_t op) {
  planner::PlannedOp out;
  out.op = Id<graph::Op>(op);
  return out;
}

TEST(OpCount, OpsThatPartsShareCountOnce) {
  planner::FusionGroup group;
  group.parts.resize(2);
  group.parts[0].ops = {planned(1), planned(2)};
  group.parts[1].ops = {planned(2), planned(3)};
  EXPECT_EQ(op_count(group), 3);
}

}  // namespace
}  // namespace seam::report
