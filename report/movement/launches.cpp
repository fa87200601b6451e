/// What each launch of a plan reads and writes, by the accounting of operators.
#include <algorithm>
#include <map>

#include "report/movement.h"

namespace seam::report {

using graph::Op;

namespace {

analyzer::Traffic traffic_of(const analyzer::Values& values, const planner::FusionGroup& group) {
  std::set<Id<Op>> ops;
  for (const planner::Part& part : group.parts)
    for (const planner::PlannedOp& planned : part.ops) ops.insert(planned.op);
  analyzer::Boundary boundary;
  const planner::GroupBoundary crossing = planner::boundary(*values.computation, group);
  boundary.outputs.insert(crossing.outputs.begin(), crossing.outputs.end());
  for (const auto& [root, buffer] : group.in_place) boundary.in_place.insert(root);
  return analyzer::traffic_of(values, {ops.begin(), ops.end()}, boundary);
}

/// A new buffer filled from the value that is updated or copied, or set.
analyzer::Traffic traffic_of_copy(const analyzer::Values& values, Id<Op> id) {
  analyzer::Traffic traffic;
  const Op& op = values.computation->ops[id];
  const planner::CopiedBytes bytes = planner::copied_bytes(op);
  const std::int64_t size = op.shape.is_tuple ? 1 : std::max(1, seam::bytes(op.shape.dtype));
  if (bytes.read > 0 && !op.operands.empty()) traffic.reads[values.owner(op.operands[0])] = {bytes.read / size, bytes.read, false};
  if (bytes.written > 0) traffic.writes[id] = {bytes.written / size, bytes.written, false};
  return traffic;
}

}  // namespace

std::vector<PlanLaunch> launches_of(const graph::Graph& graph, const planner::Plan& plan) {
  std::vector<PlanLaunch> out;
  for (const planner::ComputationPlan& one : plan.computations) {
    const graph::Computation& computation = graph.computations[one.computation];
    const analyzer::Values values = analyzer::values_of(computation);
    const std::int64_t runs = std::max<std::int64_t>(1, one.trips);
    for (const planner::Step& step : one.steps) {
      if (step.kind == planner::StepKind::While || step.kind == planner::StepKind::Conditional) continue;
      PlanLaunch launch{step.kind, {"", one.computation, runs, {}}, std::nullopt};
      if (step.kind == planner::StepKind::Kernel) {
        const planner::FusionGroup& group = one.groups[step.group];
        launch.launch.name = group.name;
        launch.launch.traffic = traffic_of(values, group);
        launch.planned_bytes = group.estimate.bytes_read + group.estimate.bytes_written;
      } else {
        launch.launch.name = computation.ops[step.op].name;
        if (step.kind == planner::StepKind::Copy) {
          launch.launch.traffic = traffic_of_copy(values, step.op);
          launch.planned_bytes = launch.launch.traffic.sum().bytes();
        } else {
          launch.launch.traffic = analyzer::traffic_of(values, {step.op});
        }
      }
      out.push_back(std::move(launch));
    }
  }
  return out;
}

std::int64_t PlanMovement::bytes_reread() const {
  std::int64_t bytes = 0;
  for (const analyzer::Reread& one : rereads) bytes += one.bytes_reread;
  return bytes;
}

PlanMovement movement_of(const graph::Graph& graph, const planner::Plan& plan) {
  PlanMovement out{plan.policy, plan.totals.kernels, plan.totals.library_calls, plan.totals.copies, launches_of(graph, plan), {}, {}};
  std::vector<analyzer::LaunchTraffic> launches;
  for (const PlanLaunch& one : out.launches) {
    launches.push_back(one.launch);
    out.sum += one.movement();
  }
  out.rereads = analyzer::rereads_of(graph, launches);
  return out;
}

}  // namespace seam::report
