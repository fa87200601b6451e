/// One kernel per op that is not free: what an interpreter launches. Views cost nothing; values that nobody needs in
/// memory are still written, because nobody is there to inline them.
#include <algorithm>

#include "policy/policy.h"
#include "schedule/ownership.h"
#include "schedule/single.h"

namespace seam::planner {

using graph::Op;

Draft draft_none(const stitch::Problem& problem, stitch::Vetoes&) {
  Draft draft;
  const Roles& roles = problem.roles;
  for (std::size_t i = 0; i < problem.computation.ops.size(); ++i) {
    const Id<Op> id(i);
    const Op& op = problem.op(id);
    if (roles.is_call(id)) {
      draft.order.push_back({true, 0, id, problem.asap[id]});
      continue;
    }
    if (roles.role[id] != Role::Map && !roles.is_anchor(id)) continue;
    // Elements of a variadic reduce are written by the reduce's own kernel.
    if (op.opcode == graph::Opcode::GetTupleElement) continue;
    DraftGroup group;
    group.level = problem.asap[id];
    group.parts.push_back(single_op_part(problem.computation, roles, id, problem.options.device));
    for (const DraftLoop& loop : group.parts[0].loops)
      for (const Id<Op> operand : problem.op(loop.op).operands)
        if (operand != id) group.reads.insert(roles.storage[operand]);
    draft.order.push_back({false, draft.groups.size(), {}, group.level});
    draft.groups.push_back(std::move(group));
  }
  return draft;
}

}  // namespace seam::planner
