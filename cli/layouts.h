#pragma once
/// --layouts: orders of dims by a formula, or by kernels that run on the simulator.
#include <optional>

#include "codegen/meter.h"
#include "db/costs.h"
#include "graph/graph.h"
#include "module.h"
#include "planner/planner.h"

namespace seam::cli {

/// plan_options(), with orders that were found for this module where --layouts simulated asks for them: kernels that are not in the table of costs yet
/// are compiled and run. `settled`: what was measured on the way, if it was.
[[nodiscard]] Result<planner::PlanOptions> plan_options_for(const graph::Graph& module, const PlanFlags& flags, std::optional<codegen::SettledLayouts>* settled = nullptr);

/// The table of costs that `file` names, or the usual one; one that cannot be kept lasts as long as the program, and that is said on stderr.
[[nodiscard]] Result<db::CostTable> table_of_costs(const std::string& file);

}  // namespace seam::cli
