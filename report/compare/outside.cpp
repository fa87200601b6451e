#include "report/outside.h"

#include <fmt/core.h>

#include "planner/planner.h"

namespace seam::report {
namespace {

using graph::OpClass;

/// Who would expect these in a generated kernel?
bool library_by_nature(const graph::Op& op) {
  switch (graph::op_class(op.opcode)) {
    case OpClass::Contraction:
    case OpClass::Library:
    case OpClass::Communication:
    case OpClass::Control:
    case OpClass::Free:
      return true;
    default:
      return false;
  }
}

std::string reason_of(const graph::Graph& graph, const graph::Computation& computation, const graph::Op& op, bool copied) {
  if (const Result<void> emitted = planner::can_emit(graph, computation, op); !emitted) {
    const std::string prefix = fmt::format("{} ({}): ", op.name, graph::name(op.opcode));
    const std::string& message = emitted.error().message;
    return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
  }
  return copied ? "it is a copy and nothing else: memcpy or memset does it" : "no kernel computes it";
}

}  // namespace

std::vector<OutsideKernels> outside_kernels(const planner::Plan& plan, const graph::Graph& graph) {
  std::vector<OutsideKernels> out;
  for (const planner::ComputationPlan& one : plan.computations) {
    const graph::Computation& computation = graph.computations[one.computation];
    IdVector<graph::Op, bool> inside(computation.ops.size(), false);
    IdVector<graph::Op, bool> copied(computation.ops.size(), false);
    for (const planner::FusionGroup& group : one.groups)
      for (const planner::Part& part : group.parts)
        for (const planner::PlannedOp& planned : part.ops) inside[planned.op] = true;
    for (const planner::Step& step : one.steps)
      if (step.kind == planner::StepKind::Copy && step.op.valid()) copied[step.op] = true;
    for (std::size_t i = 0; i < computation.ops.size(); ++i) {
      const Id<graph::Op> id(i);
      const graph::Op& op = computation.ops[id];
      if (inside[id] || library_by_nature(op) || planner::is_free(computation, op)) continue;
      out.push_back({op.name, std::string(graph::name(op.opcode)), computation.name, reason_of(graph, computation, op, copied[id])});
    }
  }
  return out;
}

}  // namespace seam::report
