#pragma once
/// What a policy decides, before it is spelled out as a plan: which loops share a kernel, in which blocks, and which values
/// the kernel reads from memory. Everything else (inline ops, lanes, shared memory, in-place updates, copies, steps, counts) follows from
/// it in the same way for every policy.
#include <set>
#include <vector>

#include "facts/roles.h"
#include "planner/plan.h"
#include "planner/planner.h"

namespace seam::planner {

struct DraftLoop {
  Id<graph::Op> op;
  std::int64_t columns = 1;  ///< of its schedule (schedule/ownership.h); Flat parts ignore it
  bool kept = false;         ///< Shared
  bool output = false;
};

struct DraftPart {
  std::vector<DraftLoop> loops;  ///< ascending by op
  bool flat = true;
  std::int64_t blocks = 1;
  std::int64_t splits = 1;
};

struct DraftGroup {
  int level = 0;
  std::vector<DraftPart> parts;
  std::set<Id<graph::Op>> reads;  ///< values of ops, not in memory from the start, that earlier kernels wrote
};

struct Unit {
  bool call = false;
  std::size_t group = 0;
  Id<graph::Op> op;  ///< the call
  int level = 0;
};

struct Draft {
  std::vector<DraftGroup> groups;
  std::vector<Unit> order;
};

/// `groups` in order, each as wide as the draft says. Fails only on what a graph can cause (in-place updates that no copy can make legal).
[[nodiscard]] ComputationPlan spelled_out(const graph::Graph& graph, const graph::Computation& computation,
                                          const Roles& roles, const PlanOptions& options, const Draft& draft);

/// All ops of a part: what its loops read, down to kept values and memory; ascending, loops included.
[[nodiscard]] std::vector<Id<graph::Op>> ops_of_part(const graph::Computation& computation, const Roles& roles,
                                                     const DraftPart& part, const std::set<Id<graph::Op>>& reads);

/// Threads that reduce one row together in this part.
[[nodiscard]] int lanes_for(const graph::Computation& computation, const Roles& roles, const DraftPart& part, int threads);

/// Where kept values live: offsets into the part's shared memory, buffers of dead values taken over by ops that they dominate.
void place_shared(const graph::Computation& computation, Part& part);

/// Decides which dynamic-update-slice and scatter outputs update their operand's buffer, and the copies that this takes;
/// writes FusionGroup::in_place and ComputationPlan::steps.
void order_steps(const graph::Graph& graph, const graph::Computation& computation, const Roles& roles,
                 const Draft& draft, ComputationPlan& plan);

}  // namespace seam::planner
