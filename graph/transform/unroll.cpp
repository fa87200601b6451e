#include <fmt/core.h>

#include "graph/transform.h"
#include "transform/rebuild.h"

namespace seam::graph {

Result<Graph> unrolled(const Graph& graph, std::int64_t limit) {
  Graph result = graph;
  for (std::size_t c = 0; c < result.computations.size(); ++c) {
    Computation& computation = result.computations[Id<Computation>(c)];
    std::vector<std::optional<std::int64_t>> trips(computation.ops.size());
    bool any = false;
    for (std::size_t i = 0; i < computation.ops.size(); ++i) {
      const Op& op = computation.ops[Id<Op>(i)];
      if (op.opcode != Opcode::While) continue;
      trips[i] = trip_count(graph, graph.computations[Id<Computation>(c)], graph.computations[Id<Computation>(c)].ops[Id<Op>(i)]);
      if (trips[i] && *trips[i] > limit) trips[i].reset();
      any = any || trips[i].has_value();
    }
    if (!any) continue;
    Rebuild rebuild(computation);
    Rebuild::IdMap map(computation.ops.size());
    for (std::size_t i = 0; i < computation.ops.size(); ++i) {
      const Op& op = computation.ops[Id<Op>(i)];
      if (const auto element = rebuild.forwarded(op, map)) {
        map[Id<Op>(i)] = *element;
        continue;
      }
      if (!trips[i]) {
        map[Id<Op>(i)] = rebuild.add(op, map);
        continue;
      }
      const Computation& body = result.computations[op.attributes.calls[1]];
      Id<Op> state = map[op.operands[0]];
      for (std::int64_t trip = 0; trip < *trips[i]; ++trip) {
        if (rebuild.size() + body.ops.size() > kMaxOps) {
          return fail(Error::Code::Unsupported,
                      fmt::format("unrolling '{}' {} times makes more than {} ops", op.name, *trips[i], kMaxOps), op.at);
        }
        state = rebuild.add_body(body, {state}, fmt::format("{}.{}", op.name, trip), op.metadata);
      }
      map[Id<Op>(i)] = state;
    }
    computation = rebuild.finish(map[computation.root]);
  }
  return without_dead_code(result);
}

}  // namespace seam::graph
