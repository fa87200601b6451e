/// The graph that is planned, and that everything after speaks of.
#include "graph/transform.h"
#include "planner/planner.h"
#include "prepare/simplify.h"

namespace seam::planner {

using graph::Graph;

namespace {

/// Longer loops stay loops: their copies would only make the program long.
constexpr std::int64_t kMostUnrolled = 1024;

/// Each step may open work for the others; two rounds settle everything seen so far, and the result only has to be
/// equivalent, not minimal.
Graph cleaned(Graph graph) {
  for (int round = 0; round < 2; ++round)
    graph = graph::without_duplicates(graph::without_dead_code(simplified(graph)));
  return graph::without_dead_code(graph);
}

}  // namespace

Result<Graph> prepared(const Graph& graph, const PlanOptions& options) {
  Graph next = cleaned(graph::inline_calls(graph, true));
  if (options.unroll_loops) {
    SEAM_TRY(next, graph::unrolled(next, kMostUnrolled));
    next = cleaned(std::move(next));
  }
  return next;
}

}  // namespace seam::planner
