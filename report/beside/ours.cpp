#include <algorithm>

#include "beside/launch_cost.h"

namespace seam::report {

ProgramCost cost_of_plan(const codegen::Program& program, const std::vector<codegen::LaunchProfile>& profiles, const Device& device) {
  ProgramCost out;
  out.name = program.plan->policy;
  std::size_t first = 0;  // of the computation's kernels in `profiles`
  for (const planner::ComputationPlan& one : program.plan->computations) {
    const graph::Computation& computation = program.graph->computations[one.computation];
    for (const planner::Step& step : one.steps) {
      LaunchCost cost;
      switch (step.kind) {
        case planner::StepKind::Kernel:
          cost.name = cost.kernel = one.groups[step.group].name;
          take_profile(cost, profiles.at(first + step.group), device);
          break;
        case planner::StepKind::Library: cost = library_cost(computation.ops[step.op].name, computation, computation.ops[step.op], device); break;
        case planner::StepKind::Copy: {
          const planner::CopiedBytes bytes = planner::copied_bytes(computation.ops[step.op]);
          cost = copy_cost(computation.ops[step.op].name, static_cast<double>(bytes.read), static_cast<double>(bytes.written), device);
          break;
        }
        default: continue;
      }
      cost.times = std::max<std::int64_t>(1, one.trips);
      cost.times_known = one.trips > 0;
      out.launches.push_back(std::move(cost));
    }
    first += one.groups.size();
  }
  add_notes(out);
  return out;
}

}  // namespace seam::report
