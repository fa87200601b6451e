#include "stitch/problem.h"

#include <algorithm>

#include "schedule/ownership.h"
#include "stitch/pivots.h"

namespace seam::planner::stitch {

using graph::Op;

void Vetoes::add(VetoCode code, Id<Op> a, Id<Op> b, std::map<std::string, double> numbers) {
  std::vector<Id<Op>> pair{std::min(a, b), std::max(a, b)};
  found_.try_emplace({std::move(pair), code}, std::move(numbers));
}

std::vector<Veto> Vetoes::take(Id<graph::Computation> computation) const {
  std::vector<Veto> out;
  for (const auto& [key, numbers] : found_) out.push_back({key.second, computation, key.first, numbers});
  return out;
}

std::int64_t elements_of(const Op& op) { return product(dims_of(op)); }

namespace {

void set_levels(Problem& problem) {
  const Roles& roles = problem.roles;
  const std::size_t count = problem.computation.ops.size();
  problem.asap = IdVector<Op, int>(count, 0);
  for (std::size_t i = 0; i < count; ++i) {
    const Id<Op> id(i);
    int level = 0;
    for (const Id<Op> operand : problem.op(id).operands)
      level = std::max(level, problem.asap[operand] + (roles.is_call(operand) ? 1 : 0));
    problem.asap[id] = level;
    problem.last_level = std::max(problem.last_level, level + (roles.is_call(id) ? 1 : 0));
  }
  // A call that nothing follows still leaves the last level to the values that the root returns.
  const Id<Op> root = problem.computation.root;
  if (!roles.is_call(root) && problem.last_level > problem.asap[root]) {
    int deepest = problem.asap[root];
    for (std::size_t i = 0; i < count; ++i)
      if (!roles.is_call(Id<Op>(i))) deepest = std::max(deepest, problem.asap[Id<Op>(i)]);
    problem.last_level = deepest;
  }
  problem.alap = IdVector<Op, int>(count, problem.last_level);
  for (std::size_t i = count; i-- > 0;) {
    const Id<Op> id(i);
    int level = problem.last_level;
    for (const Id<Op> user : roles.users[id]) level = std::min(level, problem.alap[user]);
    // A call runs after the kernels of its level, its readers one level later.
    if (roles.is_call(id) && !roles.users[id].empty()) level -= 1;
    problem.alap[id] = std::max(level, problem.asap[id]);
  }
}

}  // namespace

Problem problem_of(const graph::Graph& graph, const graph::Computation& computation, const PlanOptions& options, bool with_pivots) {
  Problem problem{graph, computation, options, roles_of(graph, computation, options), {}, {}, 0, {}};
  if (with_pivots)
    for (const Id<Op> pivot : pivots(computation, problem.roles)) problem.roles.role[pivot] = Role::Pivot;
  set_levels(problem);
  for (std::size_t i = 0; i < computation.ops.size(); ++i) {
    const Id<Op> id(i);
    const Role role = problem.roles.role[id];
    if (problem.roles.is_anchor(id) || (role == Role::Map && problem.roles.needed_in_memory[id]))
      problem.targets.push_back(id);
  }
  return problem;
}

}  // namespace seam::planner::stitch
