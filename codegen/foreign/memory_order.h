#pragma once
/// Row-major tensors ↔ the order in which a layout puts them into memory.
#include <span>

#include "base/npy.h"
#include "graph/graph.h"

namespace seam::codegen {

/// Bytes of `row_major` in the order of shape's layout.
[[nodiscard]] std::vector<std::byte> in_memory_order(const Array& row_major, const graph::Shape& shape);
/// The reverse: `memory` holds a value of `shape`.
[[nodiscard]] Array from_memory_order(std::span<const std::byte> memory, const graph::Shape& shape);

}  // namespace seam::codegen
