#pragma once
/// Which contractions a stitched kernel may hold itself instead of calling the library: batched ones whose single
/// product is small, so that the call is bound by memory and launch, not by arithmetic (FusionStitching's BatchDot).
#include <cstdint>

#include "graph/graph.h"

namespace seam::planner {

struct DotExtents {
  std::int64_t batch = 1, rows = 1, columns = 1, contracted = 1;
};
[[nodiscard]] DotExtents dot_extents(const graph::Computation& computation, const graph::Op& dot);
[[nodiscard]] bool is_small_dot(const graph::Computation& computation, const graph::Op& dot);

}  // namespace seam::planner
