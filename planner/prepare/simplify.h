#pragma once
/// Rewrites that planning wants first, each exact on values (signs of zero of a one-element sum aside).
#include "graph/graph.h"

namespace seam::planner {

/// Elements of tuples known by their makers are read from there, through optimization barriers too (each element then has one of its own); ops that change nothing (broadcasts, transposes, reshapes and
/// converts to the same thing) give way to their operand; a reduce over dims of extent 1 and a transpose that only moves such
/// dims become reshapes; transpose(dot(a, b)) that swaps the free dims becomes dot(b, a), as every compiler does it.
[[nodiscard]] graph::Graph simplified(const graph::Graph& graph);

}  // namespace seam::planner
