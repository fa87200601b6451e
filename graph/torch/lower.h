#pragma once
/// From an FX graph as written to the op graph: every operator by its meaning (call.h), the border as PyTorch lays it out.
#include "graph/graph.h"
#include "torch/builder.h"
#include "graph/torch_program.h"

namespace seam::graph::torch {

/// Errors: BadInput or Unsupported at the node.
[[nodiscard]] Result<Graph> lowered(const Program& program);

}  // namespace seam::graph::torch
