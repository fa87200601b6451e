/// Large launches are proven on a sample of their blocks; what updates a buffer in place runs as a whole all the same.
#include "validate/sample.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "codegen/prove.h"
#include "programs.h"

namespace seam::codegen::test {
namespace {

TEST(Sampled, AnUpdateInPlaceRunsAsAWholeBesideASampleOfRows) {
  const auto nvrtc = compiler();
  if (!nvrtc) GTEST_SKIP() << "no NVRTC: kernels are neither compiled nor proven";
  const auto it = planned(std::filesystem::path(SEAM_TEST_DIR) / "update_beside_rows.hlo", "stitch", *nvrtc);
  ASSERT_EQ(it->plan.computations.front().groups.size(), 1U);
  const planner::FusionGroup& group = it->plan.computations.front().groups.front();
  ASSERT_EQ(group.in_place.size(), 1U);
  const auto verdict = prove(it->program, it->program.kernels[0][0], {.instruction_budget = 1'000'000});
  ASSERT_TRUE(verdict) << describe(verdict.error());
  EXPECT_EQ(verdict->outcome(), Outcome::Passed) << verdict->sim.detail << verdict->values.detail;
  EXPECT_LT(verdict->blocks_run, verdict->blocks / 2);

  const Sample some = sample(it->graph.entry_computation(), group, 20);
  EXPECT_EQ(some.complete.size(), 1U);
  EXPECT_EQ(some.owned.size(), 1U);
  const Sample others = sample(it->graph.entry_computation(), group, 20, Updates::Skip);
  EXPECT_LT(others.blocks.size(), some.blocks.size());
  EXPECT_TRUE(others.complete.empty());
}

}  // namespace
}  // namespace seam::codegen::test
