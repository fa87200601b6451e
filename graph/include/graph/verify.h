#pragma once
/// Shape and dtype rules of every op; single producer; operands stand before users; callees fit.
#include "graph/graph.h"

namespace seam::graph {
/// The first broken rule as file:line:col: message, or ok.
[[nodiscard]] Result<void> verify(const Graph& graph);
/// The shape an op must have, from operands and attributes; Unsupported where the op's shape cannot be inferred
/// (parameter, constant, custom-call, …: stated by the text).
[[nodiscard]] Result<Shape> infer_shape(const Graph& graph, const Computation& computation, const Op& op);
}  // namespace seam::graph
