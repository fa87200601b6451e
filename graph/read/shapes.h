#pragma once
/// Shapes in text: f32[2,3]{1,0:T(8,128)S(5)}, tuples, buffers, bounded and unbounded dimensions.
#include "graph/graph.h"
#include "read/cursor.h"

namespace seam::graph {

/// A shape comes next (and not a name or an opcode that only looks like one).
[[nodiscard]] bool starts_shape(Cursor cursor);
[[nodiscard]] Result<Shape> read_shape(Cursor& cursor);

}  // namespace seam::graph
