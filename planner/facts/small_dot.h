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
  /// Where the model sees little difference, the launch less decides.
  [[nodiscard]] bool pays() const { return kernel_us <= 1.1 * library_us; }
};
/// A factor that the product reads several times over and that would be computed in the same kernel: whole products of the batch must then stay in
/// one block. A library call instead stands between two kernels, and what nobody else reads goes through memory for it.
struct OnChip {
  bool any = false;
  std::int64_t bytes = 0;  ///< of factors that only this product reads
};
[[nodiscard]] DotPrice price_of_dot(const graph::Computation& computation, const graph::Op& dot, const OnChip& factors, const Device& device);

}  // namespace seam::planner
