#include "stitch/roofs.h"

#include "analyzer/op_cost.h"

namespace seam::planner::stitch {

using graph::Op;
using graph::OpClass;
using graph::Opcode;

namespace {

VetoCode code_of(const Problem& problem, Id<Op> call) {
  const Op& op = problem.op(call);
  if (problem.roles.role[call] == Role::Control) return VetoCode::ControlFlow;
  switch (graph::op_class(op.opcode)) {
    case OpClass::Communication: return VetoCode::SideEffect;
    case OpClass::Contraction: return VetoCode::LibraryCall;
    case OpClass::Library: return op.opcode == Opcode::CustomCall || op.opcode == Opcode::Sort || op.opcode == Opcode::Fft ? VetoCode::LibraryCall : VetoCode::Unsupported;
    default: return VetoCode::Unsupported;
  }
}

}  // namespace

void explain_roofs(const Problem& problem, Vetoes& vetoes) {
  for (std::size_t i = 0; i < problem.computation.ops.size(); ++i) {
    const Id<Op> call(i);
    if (!problem.roles.is_call(call)) continue;
    // Between what feeds it and what reads it; a call without readers stands for itself.
    const std::vector<Id<Op>>& readers = problem.roles.users[call];
    const Id<Op> reader = readers.empty() ? call : readers.front();
    const analyzer::OpCost cost = analyzer::cost_of(problem.computation, problem.op(call));
    std::map<std::string, double> numbers = {{"level", static_cast<double>(problem.asap[call])}, {"flops", cost.flops}, {"bytes", static_cast<double>(cost.bytes_in + cost.bytes_out)}};
    if (problem.op(call).opcode == Opcode::Dot && can_emit(problem.graph, problem.computation, problem.op(call)) && problem.options.emit_small_dots) {
      const DotPrice price = dot_price(problem.computation, problem.roles, problem.asap, call, problem.options.device);
      numbers["kernel_us"] = price.kernel_us;
      numbers["library_us"] = price.library_us;
    }
    vetoes.add(code_of(problem, call), call, reader, std::move(numbers));
  }
}

}  // namespace seam::planner::stitch
