#pragma once
/// Constants in text: scalars, nested braces, tuples, elided values.
#include "graph/graph.h"
#include "read/cursor.h"

namespace seam::graph {

/// What stands between the parentheses of constant(…).
[[nodiscard]] Result<Literal> read_literal(Cursor& cursor, const Shape& shape);
[[nodiscard]] std::string print(const Literal& literal, const Shape& shape);

}  // namespace seam::graph
