#include "cost/floors.h"

#include <algorithm>
#include <map>
#include <set>

#include "cost/touched.h"

namespace seam::planner {

using graph::Computation;
using graph::Op;
using graph::Opcode;

bool calls_library(const graph::Graph& graph, Id<Computation> id, const PlanOptions& options) {
  const Computation& computation = graph.computations[id];
  const Roles roles = roles_of(graph, computation, options);
  for (std::size_t i = 0; i < computation.ops.size(); ++i) {
    const Id<Op> op(i);
    if (roles.role[op] == Role::Library) return true;
    if (roles.role[op] != Role::Control) continue;
    for (const Id<Computation> callee : computation.ops[op].attributes.calls)
      if (calls_library(graph, callee, options)) return true;
  }
  return false;
}

std::int64_t roof_floor(const stitch::Problem& problem) {
  const Computation& computation = problem.computation;
  const bool is_body = &computation != &problem.graph.entry_computation();
  std::int64_t loops = 0;
  bool library = false;
  // Each op needs some level in [asap, alap]: the fewest levels that serve all, last chances first.
  std::map<int, std::vector<int>> by_deadline;
  for (std::size_t i = 0; i < computation.ops.size(); ++i) {
    const Id<Op> op(i);
    const Role role = problem.roles.role[op];
    if (role == Role::Control && computation.ops[op].opcode == Opcode::While) {
      const bool inside = calls_library(problem.graph, computation.ops[op].attributes.calls.at(1), problem.options);
      loops += inside ? 0 : 1;
      library = library || inside;
    }
    library = library || role == Role::Library;
    if (role == Role::Map || problem.roles.is_anchor(op)) by_deadline[problem.alap[op]].push_back(problem.asap[op]);
  }
  if (is_body && !library) return 0;  // counted once, where the loop stands
  std::set<int> levels;
  for (const auto& [deadline, starts] : by_deadline)
    for (const int start : starts)
      if (const auto found = levels.lower_bound(start); found == levels.end() || *found > deadline) levels.insert(deadline);
  std::int64_t count = static_cast<std::int64_t>(levels.size()) + loops;
  if (is_body && levels.contains(0) && levels.contains(problem.last_level) && problem.last_level > 0) --count;
  return count;
}

std::int64_t byte_floor(const Computation& computation, const ComputationPlan& plan) {
  struct Level {
    std::map<Id<Op>, Region> read;
    std::map<Id<Op>, std::int64_t> written;
  };
  std::map<int, Level> levels;
  std::map<Id<Op>, int> made_at;
  const auto element = [&](Id<Op> op) { return static_cast<std::int64_t>(bytes(computation.ops[op].shape.dtype)); };
  for (const FusionGroup& group : plan.groups) {
    Level& level = levels[group.level];
    for (const auto& [input, region] : touched(computation, group).inputs) {
      const auto [found, fresh] = level.read.try_emplace(input, region);
      if (!fresh) found->second.add(region);
    }
    for (const Part& part : group.parts)
      for (const PlannedOp& planned : part.ops) {
        if (!planned.output) continue;
        const Op& op = computation.ops[planned.op];
        const bool updates = std::ranges::any_of(group.in_place, [&](const auto& pair) { return pair.first == planned.op; });
        std::int64_t elements = 1;
        for (const std::int64_t d : loop_dims(computation, op, updates)) elements *= d;
        level.written[planned.op] = elements * element(planned.op);
        made_at[planned.op] = group.level;
      }
  }
  // Values that calls read or the root returns leave their level too.
  std::set<Id<Op>> leaves;
  for (const Id<Op> value : flattened(computation, computation.root)) leaves.insert(value);
  for (const Step& step : plan.steps)
    if (step.kind != StepKind::Kernel)
      for (const Id<Op> operand : computation.ops[step.op].operands)
        for (const Id<Op> value : flattened(computation, operand)) leaves.insert(value);
  for (const auto& [number, level] : levels)
    for (const auto& [input, region] : level.read)
      if (const auto made = made_at.find(input); made != made_at.end() && made->second < number) leaves.insert(input);
  std::int64_t sum = 0;
  for (const auto& [number, level] : levels) {
    for (const auto& [input, region] : level.read) {
      const auto made = made_at.find(input);
      if (made == made_at.end() || made->second < number) sum += region.elements() * element(input);
    }
    for (const auto& [output, size] : level.written)
      if (leaves.contains(output)) sum += size;
  }
  return sum;
}

}  // namespace seam::planner
