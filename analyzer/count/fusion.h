#pragma once
/// Bytes and kinds of XLA fusions.
#include <cstdint>

#include "graph/graph.h"

namespace seam::analyzer {

/// Distinct operands and results; the scratch at the end of a library call's tuple aside.
[[nodiscard]] std::int64_t bytes_moved(const graph::Computation& computation, const graph::Op& op);
/// Operands that the fusion only slices count what is taken, updates in place what they write (scatter: twice, it reads as well).
[[nodiscard]] std::int64_t fusion_bytes(const graph::Graph& graph, const graph::Computation& computation, const graph::Op& fusion);
/// A copy of one parameter, or of a contiguous slice of it: XLA makes it a memcpy.
[[nodiscard]] bool only_copies(const graph::Graph& graph, const graph::Op& fusion);

/// Kernels of XLA's bitonic sort over so many elements: stages up to 4096 elements share one.
[[nodiscard]] std::int64_t sort_kernels(std::int64_t elements);
[[nodiscard]] std::int64_t inner_sort_length(const graph::Op& sort);

}  // namespace seam::analyzer
