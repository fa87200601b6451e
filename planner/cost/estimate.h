#pragma once
/// Bytes, arithmetic and time of one kernel.
#include "base/device.h"
#include "planner/plan.h"

namespace seam::planner {

[[nodiscard]] Estimate estimate(const graph::Computation& computation, const FusionGroup& group, const Device& device);

}  // namespace seam::planner
