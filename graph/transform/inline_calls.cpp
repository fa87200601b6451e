#include "graph/transform.h"
#include "transform/rebuild.h"

namespace seam::graph {

Graph inline_calls(const Graph& graph, bool fusions_too) {
  Graph result = graph;
  // Callees stand before callers, so whatever is pasted has itself been inlined already.
  for (std::size_t c = 0; c < result.computations.size(); ++c) {
    Computation& computation = result.computations[Id<Computation>(c)];
    const auto inlined = [&](const Op& op) {
      return op.opcode == Opcode::Call || (fusions_too && op.opcode == Opcode::Fusion);
    };
    bool any = false;
    for (const Op& op : computation.ops) any = any || inlined(op);
    if (!any) continue;
    Rebuild rebuild(computation);
    Rebuild::IdMap map(computation.ops.size());
    for (std::size_t i = 0; i < computation.ops.size(); ++i) {
      const Op& op = computation.ops[Id<Op>(i)];
      if (const auto element = rebuild.forwarded(op, map)) {
        map[Id<Op>(i)] = *element;
        continue;
      }
      // Calls that call twice, and so on, could grow without end; beyond the limit they stay calls.
      const bool fits = inlined(op) && rebuild.size() + result.computations[op.attributes.calls[0]].ops.size() <= kMaxOps;
      if (!fits) {
        map[Id<Op>(i)] = rebuild.add(op, map);
        continue;
      }
      std::vector<Id<Op>> arguments;
      for (const Id<Op> operand : op.operands) arguments.push_back(map[operand]);
      const Computation& callee = result.computations[op.attributes.calls[0]];
      map[Id<Op>(i)] = rebuild.add_body(callee, arguments, callee.name, op.metadata);
    }
    computation = rebuild.finish(map[computation.root]);
  }
  return result;
}

}  // namespace seam::graph
