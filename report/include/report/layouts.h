#pragma once
/// How values lie in memory under a plan, per tensor: before, after, what that saves and why; and ops that pay for how a module lays its values out.
#include <string>
#include <string_view>
#include <vector>

#include "codegen/meter.h"
#include "planner/layouts.h"
#include "report/table.h"

namespace seam::report {

/// Of a module whose plan chose layouts (empty otherwise); costs by the time model's formula.
[[nodiscard]] Result<std::vector<planner::LayoutReason>> layout_reasons(const graph::Graph& module, const planner::PlanOptions& options, const planner::Plan& plan);
/// A row per value in memory that does not lie as the module writes it; `planned`: the graph that the plan speaks of.
[[nodiscard]] Table layout_table(const std::vector<planner::LayoutReason>& reasons, const planner::Plan& plan, const graph::Graph& planned);
/// Why a value lies as it does, in sentences; empty for a name that no reason knows.
[[nodiscard]] std::string explained_layout(const std::vector<planner::LayoutReason>& reasons, std::string_view value);

/// What fusing and what choosing layouts gains, apart: the module one kernel per op, fused as the plan fuses it, and that with the layouts that were chosen.
[[nodiscard]] Result<Table> gains_table(const graph::Graph& module, const codegen::SettledLayouts& settled, const Device& device);

/// Rows: ops whose layouts cost at least twice their best, transposes and copies that other orders save. No rows: there are none.
[[nodiscard]] Result<Table> bad_layout_table(const graph::Graph& module, const planner::PlanOptions& options);

}  // namespace seam::report
