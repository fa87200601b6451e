#pragma once
/// Where a graph made of a recording does not hold what ran: operators wrote memory through views that cannot be followed, and its readers take it
/// from outside. How often stands in the graph's header, so that it goes wherever the graph goes.
#include <cstdint>

#include "graph/graph.h"

namespace seam::graph {

void set_cuts(Graph& graph, std::int64_t count);
/// 0: none is known of.
[[nodiscard]] std::int64_t cuts(const Graph& graph);

}  // namespace seam::graph
