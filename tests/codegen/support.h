#pragma once
/// Small groups written by hand, run on the simulator and compared with the reference evaluator.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/codegen.h"
#include "codegen/inputs.h"
#include "codegen/passes.h"
#include "graph/graph.h"
#include "planner/plan.h"

namespace seam::test {

/// The entry computation of an HLO text; the test fails if it does not parse.
graph::Graph graph_of(std::string_view hlo);
/// "HloModule m\n ENTRY e {" + ops + "}"
graph::Graph graph_of_ops(std::string_view ops);

/// Builds a FusionGroup of one part: every op that is neither a parameter nor folded nor a tuple is inline until said otherwise.
class GroupOf {
 public:
  explicit GroupOf(const graph::Graph& graph, std::string name = "group");
  GroupOf& threads(int n);
  GroupOf& blocks(std::int64_t n, planner::ScheduleKind kind = planner::ScheduleKind::Flat);
  GroupOf& lanes(int n);
  GroupOf& splits(std::int64_t n);
  /// Written to memory. Schedules: Flat unless given.
  GroupOf& output(std::string_view op);
  GroupOf& output(std::string_view op, planner::Schedule schedule);
  /// Kept in shared memory: the next free bytes, or `at`.
  GroupOf& shared(std::string_view op, planner::Schedule schedule, std::int64_t at = -1);
  GroupOf& warp(std::string_view op, planner::Schedule schedule);
  GroupOf& in_place(std::string_view op, std::string_view input);
  /// Only these ops (and views of them) are in the part; for groups of several parts.
  GroupOf& only(const std::vector<std::string>& ops);
  /// The next part begins: what follows speaks of it.
  GroupOf& next_part();
  [[nodiscard]] planner::FusionGroup group() const { return group_; }

 private:
  planner::PlannedOp& at(std::string_view op);
  planner::Part& part() { return group_.parts.back(); }
  void fill(planner::Part& part);
  const graph::Graph& graph_;
  planner::FusionGroup group_;
  std::int64_t next_shared_ = 0;
};

struct RunOptions {
  codegen::Distribution distribution = codegen::Distribution::Normal;
  std::uint64_t seed = 1;
  std::int64_t low = 0, high = 8;  ///< of integer inputs
  bool wide_reference = false;     ///< compare with double arithmetic, within the tolerance table
};
/// Lowers, emits, compiles, runs; expects no report, every output byte written, inputs unchanged, workspace zero again, values as the evaluator
/// says (bit-equal up to `ulps` of the type, or by the tolerance table). Skips aloud without NVRTC.
void expect_right(const graph::Graph& graph, const planner::FusionGroup& group, const std::vector<RunOptions>& runs);
inline void expect_right(const graph::Graph& graph, const planner::FusionGroup& group, const RunOptions& run = {}) {
  expect_right(graph, group, std::vector<RunOptions>{run});
}
/// The text of a kernel, for questions about its shape.
std::string cuda_of(const graph::Graph& graph, const planner::FusionGroup& group);
codegen::Kernel kernel_of(const graph::Graph& graph, const planner::FusionGroup& group);

}  // namespace seam::test
