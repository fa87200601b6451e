#pragma once
/// Kernel packing: parts of one phase are independent and share a launch, as far as caps allow (FusionStitching's intra-layer fusion with its
/// tunable footprint, and the parameters that a launch may have).
#include "draft/draft.h"
#include "stitch/problem.h"

namespace seam::planner::stitch {

/// Parts of one phase, in as few groups as the caps allow, in order.
[[nodiscard]] std::vector<DraftGroup> packed(const Problem& problem, DraftGroup phase, Vetoes& vetoes);

}  // namespace seam::planner::stitch
