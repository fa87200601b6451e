#pragma once
/// What a matrix product of the library takes as it lies in memory. Modelled after cublasLtMatmul with a strided batch (cuBLAS 13 documentation: operands
/// transposed or not, CUBLASLT_MATRIX_LAYOUT_LD, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET): each of lhs, rhs and result is a batch of matrices with one
/// stride per role (batch, rows, columns, contracted), one of the two of a matrix being 1. Dims of a role that stand next to each other in the same order
/// everywhere count as one. Without batch dims one free dim may be the batch: the other operand then has batch stride 0. Everything else needs a copy first.
#include <cstdint>
#include <vector>

#include "graph/graph.h"
#include "graph/orders.h"

namespace seam::analyzer {

/// A product with dims as the module numbers them, and where they lie. `result` dims as dot numbers them: batch, free of lhs, free of rhs.
struct ProductDims {
  std::vector<std::int64_t> lhs, rhs, result;  ///< extents
  graph::DotDims dot;
};
struct ProductOrders {
  graph::Order lhs, rhs, result;
  friend bool operator==(const ProductOrders&, const ProductOrders&) = default;
};
[[nodiscard]] ProductDims product_dims(const graph::Computation& computation, const graph::Op& dot);

/// Which of the three must be copied into another order, and into which.
struct ProductFit {
  bool copy_lhs = false, copy_rhs = false, copy_result = false;
  ProductOrders orders;  ///< what the library sees: of those that are copied, the order in which it takes them
  [[nodiscard]] bool free() const { return !copy_lhs && !copy_rhs && !copy_result; }
};
/// The fit with the fewest bytes copied; `bytes` per element of lhs, rhs and result weigh them.
[[nodiscard]] ProductFit product_fit(const ProductDims& dims, const ProductOrders& orders, std::int64_t operand_bytes, std::int64_t result_bytes);

}  // namespace seam::analyzer
