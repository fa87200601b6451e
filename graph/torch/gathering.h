#pragma once
/// Gathers and scatters in PyTorch's terms; row-major, since indices name dims by number.
#include "torch/call.h"

namespace seam::graph::torch {

/// Rows of `a` along `dim` at `index` (any shape, in range): dims of a with dim replaced by those of index.
Tensor taken(Builder& b, const Tensor& a, std::int64_t dim, const Tensor& index);
/// torch.gather: element of `a` along `dim` where index says, position by position.
Tensor gathered(Builder& b, const Tensor& a, std::int64_t dim, const Tensor& index);
/// Indices below zero count from the end.
Tensor from_the_front(Builder& b, const Tensor& index, std::int64_t extent);
/// `updates` added into, or assigned to, `a`.
Tensor scattered(Builder& b, const Tensor& a, const Tensor& index, const Tensor& updates, GatherDims dims, bool add);

}  // namespace seam::graph::torch
