#pragma once
/// Where a graph made of a recording does not hold what ran: a write into a part of a tensor cuts it, and later readers take that tensor from
/// outside. The number stands in the graph's header, so that it goes wherever the graph goes.
#include <cstdint>

#include "graph/graph.h"

namespace seam::graph {

void set_cuts(Graph& graph, std::int64_t writes);
/// 0: none is known of.
[[nodiscard]] std::int64_t cuts(const Graph& graph);

}  // namespace seam::graph
