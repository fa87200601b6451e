#include <algorithm>
#include <span>

#include "cost/floors.h"
#include "policy/policy.h"

namespace seam::planner {

namespace {
constexpr Policy kPolicies[] = {
    {"stitch", "FusionStitching's layers, schedules and on-chip values, with parts packed into one kernel per level", draft_stitch, true, true, true, true, true, true},
    {"xla2018", "the fusion rules of XLA:GPU in 2018, re-implemented for comparison", draft_xla2018, false, false, false, false, false, false},
    {"none", "one kernel per op that is not free", draft_none, false, false, false, false, false, false},
};
}  // namespace

std::span<const Policy> policies() { return kPolicies; }

const Policy* policy_named(std::string_view name) {
  const auto found = std::ranges::find(kPolicies, name, &Policy::name);
  return found == std::end(kPolicies) ? nullptr : &*found;
}

ComputationPlan plan_by(const Policy& policy, const graph::Graph& graph, Id<graph::Computation> id, const PlanOptions& options, stitch::Vetoes& vetoes) {
  PlanOptions own = options;
  own.emit_small_dots = options.emit_small_dots && policy.small_dots;
  const stitch::Problem problem = stitch::problem_of(graph, graph.computations[id], own, policy.pivots);
  ComputationPlan plan = spelled_out(graph, graph.computations[id], problem.roles, options, policy.draft(problem, vetoes));
  plan.computation = id;
  plan.roof_floor = roof_floor(problem);
  return plan;
}

}  // namespace seam::planner
