#include <algorithm>

#include "analyzer/shares.h"
#include "graph/transform.h"

namespace seam::analyzer {

using graph::Computation;
using graph::Graph;
using graph::Op;
using graph::Opcode;

namespace {

WorkSpan of(const Graph& graph, Id<Computation> id) {
  const Computation& computation = graph.computations[id];
  WorkSpan all;
  IdVector<Op, double> flops_until(computation.ops.size(), 0);
  IdVector<Op, std::int64_t> ops_until(computation.ops.size(), 0);
  for (std::size_t i = 0; i < computation.ops.size(); ++i) {
    const Id<Op> op_id(i);
    const Op& op = computation.ops[op_id];
    WorkSpan own;
    if (op.opcode == Opcode::While && op.attributes.calls.size() == 2) {
      own = of(graph, op.attributes.calls[1]);
      const std::int64_t trips = graph::trip_count(graph, computation, op).value_or(1);
      own.flops *= static_cast<double>(trips);
      own.span_flops *= static_cast<double>(trips);
      own.ops *= trips;
      own.span_ops *= trips;
    } else if (op.opcode == Opcode::Conditional || op.opcode == Opcode::Call) {
      // The longest branch bounds.
      for (const Id<Computation> callee : op.attributes.calls) {
        const WorkSpan branch = of(graph, callee);
        if (branch.flops >= own.flops) own = branch;
      }
    } else if (!moves_nothing(computation, op)) {
      own.flops = own.span_flops = cost_of(computation, op).flops;
      own.ops = own.span_ops = 1;
    }
    double flops = 0;
    std::int64_t ops = 0;
    for (const Id<Op> operand : op.operands) {
      flops = std::max(flops, flops_until[operand]);
      ops = std::max(ops, ops_until[operand]);
    }
    flops_until[op_id] = flops + own.span_flops;
    ops_until[op_id] = ops + own.span_ops;
    all.flops += own.flops;
    all.ops += own.ops;
    all.span_flops = std::max(all.span_flops, flops_until[op_id]);
    all.span_ops = std::max(all.span_ops, ops_until[op_id]);
  }
  return all;
}

}  // namespace

WorkSpan work_span(const Graph& graph) { return of(graph, graph.entry); }

}  // namespace seam::analyzer
