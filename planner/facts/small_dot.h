#pragma once
/// Which contractions a stitched kernel may hold itself instead of calling the library: batched ones whose single
/// product is small, so that the call is bound by memory and launch, not by arithmetic (FusionStitching's BatchDot).
#include <cstdint>

#include "base/device.h"
#include "graph/graph.h"

namespace seam::planner {

struct DotExtents {
  std::int64_t batch = 1, rows = 1, columns = 1, contracted = 1;
};
[[nodiscard]] DotExtents dot_extents(const graph::Computation& computation, const graph::Op& dot);
[[nodiscard]] bool is_small_dot(const graph::Computation& computation, const graph::Op& dot);

/// What a small dot costs in a kernel of ours and as a library call with its launch: microseconds, mid of the time model.
struct DotPrice {
  double kernel_us = 0, library_us = 0;
  [[nodiscard]] bool pays() const { return kernel_us <= library_us; }
};
/// `on_chip`: a factor that is read several times over is computed in the same kernel, so that whole products of the batch must stay in one block.
[[nodiscard]] DotPrice price_of_dot(const graph::Computation& computation, const graph::Op& dot, bool on_chip, const Device& device);

}  // namespace seam::planner
