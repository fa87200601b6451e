#pragma once
/// Why nothing is stitched across a call: one veto per call, by what it is.
#include "stitch/problem.h"

namespace seam::planner::stitch {

/// Library calls, ops that codegen cannot emit, communication, loops and branches.
void explain_roofs(const Problem& problem, Vetoes& vetoes);

}  // namespace seam::planner::stitch
