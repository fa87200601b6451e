#pragma once
/// --layouts: orders of dims by a formula, or by kernels that run on the simulator.
#include "graph/graph.h"
#include "module.h"
#include "planner/planner.h"

namespace seam::cli {

/// plan_options(), with orders that were found for this module where --layouts simulated asks for them: kernels that are not in the table of costs yet
/// are compiled and run.
[[nodiscard]] Result<planner::PlanOptions> plan_options_for(const graph::Graph& module, const PlanFlags& flags);

}  // namespace seam::cli
