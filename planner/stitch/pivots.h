#pragma once
/// Values that must not be inlined: read at so many different places that computing them again would double at every step of a
/// chain (a recurrence that reads its last state shifted by one, two, …). They are looped over like reduces: kept on chip or written.
#include <vector>

#include "facts/roles.h"

namespace seam::planner::stitch {

/// Map ops that become Role::Pivot, ascending.
[[nodiscard]] std::vector<Id<graph::Op>> pivots(const graph::Computation& computation, const Roles& roles);

}  // namespace seam::planner::stitch
