#pragma once
/// Parts of planner::verify, one file each.
#include "facts/roles.h"
#include "planner/plan.h"
#include "planner/planner.h"

namespace seam::planner {

/// Scratch that reductions need beyond what is kept, and what is therefore left for kept values.
inline constexpr std::int64_t kReductionScratch = 4096;
[[nodiscard]] std::int64_t shared_limit(const Device& device, std::int64_t cap);

/// One part: ops, placements, schedules, locality, shared memory.
[[nodiscard]] Result<void> check_part(const graph::Graph& graph, const graph::Computation& computation, const Roles& roles,
                                      const FusionGroup& group, const Part& part, std::int64_t limit);
/// Order: everything in memory before it is read, overwritten only when dead, returned at the end.
[[nodiscard]] Result<void> check_steps(const graph::Graph& graph, const graph::Computation& computation, const Roles& roles,
                                       const ComputationPlan& plan);

/// When the loops of a part read a kept value: indices into part.ops. `last` is the last loop that reads it; `same_place` if that loop reads
/// it only at its own element, so that it may write its own result there.
struct Lifetime {
  std::size_t first = 0, last = 0;
  bool same_place = false;
};
[[nodiscard]] Lifetime lifetime(const graph::Computation& computation, const Part& part, std::size_t index);

}  // namespace seam::planner
