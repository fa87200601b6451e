#pragma once
/// Windows into memory, as as_strided() names them: read, or written with the rest kept.
#include "torch/builder.h"

namespace seam::graph::torch {

/// What `window` shows of the memory that `base` fills. Refuses windows that are no box of that memory however its elements are counted (they
/// repeat elements, or wrap around the end of a row).
Tensor window_of(Builder& b, Id<Op> base, const StridedView& window);
/// `base` with `part`, of the window's dims, written where the window shows it: a value of base's dims. Refuses as above.
Id<Op> written_through(Builder& b, Id<Op> base, const StridedView& window, const Tensor& part);

}  // namespace seam::graph::torch
