#pragma once
/// Sums over everything that follow something row by row.
#include "graph/graph.h"

namespace seam::planner {

/// A reduce over rows and columns at once, of values that are made row by row (they hold a statistic of their row: a normalized loss), becomes a
/// reduce of each row and one of the rows' results: the first can share the kernel that made the rows, which a reduce of everything
/// cannot, and what is left to read is one number per row. Types of 16 bits stay as they are: their rows' results would be rounded.
[[nodiscard]] graph::Graph with_row_sums(const graph::Graph& graph);

}  // namespace seam::planner
