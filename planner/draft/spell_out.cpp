#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/check.h"
#include "cost/estimate.h"
#include "draft/draft.h"
#include "schedule/ownership.h"

namespace seam::planner {

using graph::Computation;
using graph::Op;
using graph::Opcode;

std::vector<Id<Op>> ops_of_part(const Computation& computation, const Roles& roles, const DraftPart& part,
                                const std::set<Id<Op>>& reads) {
  std::set<Id<Op>> inside, kept;
  for (const DraftLoop& loop : part.loops)
    if (loop.kept) kept.insert(loop.op);
  std::vector<Id<Op>> stack;
  for (const DraftLoop& loop : part.loops) {
    inside.insert(loop.op);
    stack.push_back(loop.op);
  }
  const auto from_memory = [&](Id<Op> op) {
    return roles.role[op] == Role::Folded || (!roles.is_inline(op) && !kept.contains(op)) ||
           (reads.contains(roles.storage[op]) && !kept.contains(roles.storage[op])) ||
           (roles.role[op] == Role::View && !roles.is_inline(roles.storage[op]) && !kept.contains(roles.storage[op]));
  };
  while (!stack.empty()) {
    const Id<Op> at = stack.back();
    stack.pop_back();
    const Op& op = computation.ops[at];
    for (std::size_t i = 0; i < op.operands.size(); ++i) {
      const Id<Op> operand = op.operands[i];
      if (roles.updates(at) && i == 0) continue;  // updated, not read
      if (from_memory(operand) || !inside.insert(operand).second) continue;
      stack.push_back(operand);
    }
  }
  return {inside.begin(), inside.end()};
}

namespace {

std::int64_t element_bytes(const Op& op) {
  if (!op.shape.is_tuple) return bytes(op.shape.dtype);
  std::int64_t sum = 0;
  for (const graph::Shape& element : op.shape.elements) sum += bytes(element.dtype);
  return sum;
}

Part part_of(const Computation& computation, const Roles& roles, const DraftPart& draft, const std::set<Id<Op>>& reads,
             int threads) {
  Part part;
  part.blocks = draft.blocks;
  part.splits = draft.splits;
  std::map<Id<Op>, const DraftLoop*> loops;
  for (const DraftLoop& loop : draft.loops) loops[loop.op] = &loop;
  for (const Id<Op> op : ops_of_part(computation, roles, draft, reads)) {
    PlannedOp planned;
    planned.op = op;
    if (const auto found = loops.find(op); found != loops.end()) {
      const DraftLoop& loop = *found->second;
      const std::vector<std::int64_t>& dims = loop_dims(computation, computation.ops[op], roles.updates(op));
      planned.placement = loop.kept ? Placement::Shared : Placement::Output;
      planned.output = loop.output;
      if (draft.flat) {
        planned.schedule = {ScheduleKind::Flat, 0, draft.blocks};
      } else {
        const std::optional<Schedule> schedule = schedule_for(dims, loop.columns, draft.blocks);
        SEAM_CHECK(schedule.has_value(), "a loop without a schedule for its part's blocks");
        planned.schedule = *schedule;
      }
      if (loop.kept) planned.shared_bytes = product(dims) / draft.blocks * element_bytes(computation.ops[op]);
      part.kind = planned.schedule.kind;
    }
    part.ops.push_back(planned);
  }
  part.lanes = lanes_for(computation, roles, draft, threads);
  place_shared(computation, part);
  return part;
}

/// A name that says what the kernel is about: its most telling op, then a running number.
std::string name_of(const Computation& computation, const FusionGroup& group, std::size_t index) {
  std::string_view best;
  int rank = -1;
  for (const Part& part : group.parts)
    for (const PlannedOp& planned : part.ops) {
      const Op& op = computation.ops[planned.op];
      const int here = op.opcode == Opcode::Dot ? 4 : op.opcode == Opcode::Scatter ? 3 : op.opcode == Opcode::Reduce ? 2 : planned.output ? 1 : 0;
      if (here > rank) {
        rank = here;
        best = graph::name(op.opcode);
      }
    }
  std::string name = fmt::format("k{}_{}", index, best);
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
}

}  // namespace

ComputationPlan spelled_out(const graph::Graph& graph, const Computation& computation, const Roles& roles,
                            const PlanOptions& options, const Draft& draft) {
  ComputationPlan plan;
  for (const DraftGroup& drafted : draft.groups) {
    FusionGroup group;
    group.level = drafted.level;
    group.threads = 256;
    for (const DraftPart& part : drafted.parts)
      group.parts.push_back(part_of(computation, roles, part, drafted.reads, group.threads));
    group.name = name_of(computation, group, plan.groups.size());
    plan.groups.push_back(std::move(group));
  }
  order_steps(graph, computation, roles, draft, plan);
  for (FusionGroup& group : plan.groups) group.estimate = estimate(computation, group, options.device);
  return plan;
}

}  // namespace seam::planner
