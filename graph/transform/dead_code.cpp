#include <algorithm>

#include "graph/transform.h"
#include "transform/rebuild.h"

namespace seam::graph {
namespace {

/// Parameters stay: they are the computation's interface.
IdVector<Op, bool> live_ops(const SideEffects& effects, const Computation& computation) {
  IdVector<Op, bool> live(computation.ops.size(), false);
  live[computation.root] = true;
  for (std::size_t i = computation.ops.size(); i-- > 0;) {
    const Id<Op> id(i);
    const Op& op = computation.ops[id];
    if (!live[id]) live[id] = op.opcode == Opcode::Parameter || effects.of(op);
    if (!live[id]) continue;
    for (const Id<Op> operand : op.operands) live[operand] = true;
    for (const Id<Op> predecessor : op.attributes.control_predecessors) live[predecessor] = true;
  }
  return live;
}

Computation without_dead_ops(const SideEffects& effects, const Computation& computation) {
  const IdVector<Op, bool> live = live_ops(effects, computation);
  if (std::ranges::all_of(live, [](bool alive) { return alive; })) return computation;
  Rebuild rebuild(computation);
  Rebuild::IdMap map(computation.ops.size());
  for (std::size_t i = 0; i < computation.ops.size(); ++i) {
    if (live[Id<Op>(i)]) map[Id<Op>(i)] = rebuild.add(computation.ops[Id<Op>(i)], map);
  }
  return rebuild.finish(map[computation.root]);
}

}  // namespace

Graph without_dead_code(const Graph& graph) {
  Graph result = graph;
  const SideEffects effects(graph);
  for (Computation& computation : result.computations) computation = without_dead_ops(effects, computation);
  // From the entry down: callers stand behind their callees.
  IdVector<Computation, bool> called(result.computations.size(), false);
  called[result.entry] = true;
  for (std::size_t c = result.computations.size(); c-- > 0;) {
    if (!called[Id<Computation>(c)]) continue;
    for (const Op& op : result.computations[Id<Computation>(c)].ops) {
      for (const Id<Computation> callee : op.attributes.calls) called[callee] = true;
    }
  }
  IdVector<Computation, Id<Computation>> moved(result.computations.size());
  IdVector<Computation, Computation> kept;
  for (std::size_t c = 0; c < result.computations.size(); ++c) {
    if (called[Id<Computation>(c)]) moved[Id<Computation>(c)] = kept.push_back(std::move(result.computations[Id<Computation>(c)]));
  }
  for (Computation& computation : kept) {
    for (Op& op : computation.ops) {
      for (Id<Computation>& callee : op.attributes.calls) callee = moved[callee];
    }
  }
  result.computations = std::move(kept);
  result.entry = moved[result.entry];
  return result;
}

}  // namespace seam::graph
