#pragma once
/// What a library's matrix product can do on its way out, so that no kernel has to.
#include "graph/graph.h"
#include "planner/planner.h"

namespace seam::planner {

/// Products that stay with the library take over what cuBLASLt computes after them (cublasLtMatmul: alpha, beta with a C matrix apart from D,
/// CUBLASLT_EPILOGUE_BIAS and _RELU, a result in the type of 16-bit operands): of f32 and f64 results scaling by a constant, a matrix added or taken
/// away, a vector along the last dimension added; of any the rounding to 16 bits and max(x, 0). The product becomes XLA's custom-call "__cublas$lt$matmul" under the product's own name (graph/matmul.h); the ops that it
/// took are listed in its frontend attribute `epilogue_ops`. A transpose of the product is taken over where the library can write that order (analyzer/product_fit.h).
///
/// Taken over is what somebody needs in memory (another call, a loop, the caller): there a kernel would have to read the product and write what becomes of
/// it. What only kernels read stays with them at no cost. No rounding to 16 bits is left out. Only values that nobody
/// else reads are taken over, and only operands that are in memory before the call's level anyway: no level and no byte is added.
[[nodiscard]] graph::Graph with_library_epilogues(const graph::Graph& graph, const PlanOptions& options);

}  // namespace seam::planner
