#pragma once
/// Says before anything runs whether the evaluator can do an op.
#include "graph/graph.h"

namespace seam::graph {

/// Unsupported, with name, place and reason; called computations included.
[[nodiscard]] Result<void> supported(const Graph& graph, const Op& op);
/// Every op that the entry reaches.
[[nodiscard]] Result<void> all_supported(const Graph& graph);

}  // namespace seam::graph
