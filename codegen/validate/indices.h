#pragma once
/// Which element of an operand an element of an op comes from: the index maps of all ops that only move or combine elements.
#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace seam::codegen {

using Indices = std::vector<std::int64_t>;  ///< row-major linear indices; -1 = none

[[nodiscard]] std::vector<std::int64_t> row_major_strides(const std::vector<std::int64_t>& dims);

/// For each element of `op` in `wanted`, the element of operand `k` it reads, or -1 (padding).
/// For ops whose map depends neither on data nor on other operands: elementwise, broadcast, reshape, transpose, slice, pad, reverse, copy.
[[nodiscard]] Indices operand_elements(const graph::Op& op, std::size_t k, const graph::Shape& operand, const Indices& wanted);

/// The piece of a concatenate that begins at `offset` along its dimension; -1 where another piece is meant.
[[nodiscard]] Indices concatenate_elements(const graph::Op& op, std::int64_t offset, const graph::Shape& operand, const Indices& wanted);

/// dynamic-slice and dynamic-update-slice with clamped starts; for the latter k = 0 is the operand, k = 1 the update.
[[nodiscard]] Indices dynamic_slice_elements(const graph::Op& op, const graph::Shape& operand, const std::vector<std::int64_t>& starts,
                                             const Indices& wanted);
[[nodiscard]] Indices dynamic_update_elements(const graph::Op& op, std::size_t k, const graph::Shape& update,
                                              const std::vector<std::int64_t>& starts, const Indices& wanted);

/// Elements of a dynamic-update-slice that come from its update, in the update's order.
[[nodiscard]] Indices updated_elements(const graph::Op& op, const graph::Shape& update, const std::vector<std::int64_t>& starts);

/// gather: `indices` are all values of the start-indices operand.
[[nodiscard]] Indices gather_elements(const graph::Op& op, const graph::Shape& operand, const graph::Shape& indices_shape,
                                      const std::vector<std::int64_t>& indices, const Indices& wanted);

/// scatter: for each update element, the element of the operand it falls on, -1 where its window leaves the operand and is dropped.
[[nodiscard]] Indices scatter_targets(const graph::Op& op, const graph::Shape& operand, const graph::Shape& indices_shape,
                                      const std::vector<std::int64_t>& indices, const graph::Shape& updates);

/// reduce: wanted.size() x K elements of the operand, row by row, where K = product of the reduced dims; pieces [from, to) of K.
[[nodiscard]] Indices reduced_elements(const graph::Op& op, const graph::Shape& operand, const Indices& wanted, std::int64_t from, std::int64_t to);
[[nodiscard]] std::int64_t reduced_count(const graph::Op& op, const graph::Shape& operand);

/// dot: wanted.size() x K elements of operand `k`.
[[nodiscard]] Indices dot_elements(const graph::Op& op, std::size_t k, const graph::Shape& lhs, const graph::Shape& rhs, const Indices& wanted);
[[nodiscard]] std::int64_t contracted_count(const graph::Op& op, const graph::Shape& lhs);

}  // namespace seam::codegen
