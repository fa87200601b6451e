// Figure 3 of FusionStitching (2018): softmax times V as one kernel.
#include <map>

#include "schedule/ownership.h"
#include "stitch/keep.h"
#include "support.h"

namespace seam::planner::test {
namespace {

Case fig3() { return planned(slurp(std::filesystem::path(SEAM_TEST_DIR) / "fig3.graph"), options_for("stitch", 20 * 1024)); }

TEST(Fig3, SpansCountFromTheRoot) {
  const graph::Graph graph = module(slurp(std::filesystem::path(SEAM_TEST_DIR) / "fig3.graph"));
  const graph::Computation& c = graph.entry_computation();
  // Ops only: the figure draws inputs at 9 wherever they stand.
  const std::vector<std::pair<std::string, int>> expected = {
      {"Reduce.1", 8}, {"Broadcast.1", 7}, {"Subtract.1", 6}, {"Exponential.1", 5}, {"Reduce.2", 4},
      {"Broadcast.2", 3}, {"Divide.1", 2}, {"Bitcast.1", 1}, {"Dot.1", 0}};
  std::vector<Id<graph::Op>> ops;
  for (const auto& [name, span] : expected) ops.push_back(c.find(name).value());
  const std::vector<int> spans = stitch::spans(c, ops);
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(spans[i], expected[i].second) << expected[i].first;
}

TEST(Fig3, IsOneKernelOf512BlocksEverywhere) {
  const Case c = fig3();
  ASSERT_EQ(c.plan.totals.kernels, 1);
  EXPECT_EQ(c.plan.totals.library_calls, 0);
  const ComputationPlan& one = c.plan.computations.at(0);
  ASSERT_EQ(one.groups.at(0).parts.size(), 1U);
  const Part& part = one.groups[0].parts[0];
  EXPECT_EQ(part.blocks, 512);
  const graph::Computation& computation = c.graph.computations[one.computation];
  for (const PlannedOp& op : part.ops) {
    if (op.placement == Placement::Inline) continue;
    EXPECT_EQ(blocks_of(computation.ops[op.op].shape.dims, op.schedule), 512) << computation.ops[op.op].name;
  }
  // 1-D and 2-D values: (split 0, sword 512). 4-D ones: the figure's (2, 1) contradicts Table 1 for the dot; (1, 8) are the same blocks.
  for (const char* name : {"Reduce.1", "Exponential.1", "Reduce.2", "Divide.1"})
    EXPECT_EQ(planned_op(c, name).schedule, (Schedule{ScheduleKind::Row, 0, 512})) << name;
  EXPECT_EQ(planned_op(c, "Dot.1").schedule, (Schedule{ScheduleKind::Row, 1, 8}));
}

TEST(Fig3, KeepsFourValuesInTheSpaceOfTwo) {
  const Case c = fig3();
  std::map<std::int64_t, std::int64_t> bytes_at;  // offset -> bytes
  std::int64_t requested = 0;
  const Part& part = c.plan.computations.at(0).groups.at(0).parts.at(0);
  for (const PlannedOp& op : part.ops) {
    if (op.placement != Placement::Shared) continue;
    requested += op.shared_bytes / 4;
    bytes_at[op.shared_offset] = std::max(bytes_at[op.shared_offset], op.shared_bytes);
  }
  std::int64_t allocated = 0;
  for (const auto& [offset, bytes] : bytes_at) allocated += bytes / 4;
  EXPECT_EQ(requested, 612);
  EXPECT_EQ(allocated, 306);
  EXPECT_EQ(planned_op(c, "Reduce.2").shared_offset, planned_op(c, "Reduce.1").shared_offset);
  EXPECT_EQ(planned_op(c, "Divide.1").shared_offset, planned_op(c, "Exponential.1").shared_offset);
  EXPECT_EQ(planned_op(c, "Subtract.1").placement, Placement::Inline);
  EXPECT_EQ(complaint(c), "");
}

TEST(Fig3, ShrinksInOrderWhenSharedMemoryIsShort) {
  const std::string text = slurp(std::filesystem::path(SEAM_TEST_DIR) / "fig3.graph");
  // Room for the reduces only: both big values are computed again. Divide feeds the dot and is the last to be given up.
  const Case tiny = planned(text, options_for("stitch", 512));
  for (const ComputationPlan& one : tiny.plan.computations)
    for (const FusionGroup& group : one.groups) EXPECT_LE(group.shared_bytes(), 512);
  EXPECT_EQ(complaint(tiny), "");
  EXPECT_EQ(planned_op(tiny, "Exponential.1").placement, Placement::Inline);
}

}  // namespace
}  // namespace seam::planner::test
