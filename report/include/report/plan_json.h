#pragma once
/// A plan as JSON: "schema": "seam.plan/1". Printed by `seam plan --format json` and part of `seam optimize`.
#include <span>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "planner/plan.h"
#include "report/compiler_result.h"
#include "report/side_by_side.h"

namespace seam::report {
[[nodiscard]] std::string plan_json(const planner::Plan& plan, const graph::Graph& graph, std::span<const CompilerResult> compilers = {},
                                    const std::vector<SideBySide>& sides = {});

/// How values travel inside a kernel: "thread" (registers), "warp" (shuffles), "block" (shared memory), several parts side by side as
/// "packing of thread, block".
[[nodiscard]] std::string scheme_of(const planner::FusionGroup& group);

/// Ops inside a kernel; one that several of its parts compute again counts once.
[[nodiscard]] std::int64_t op_count(const planner::FusionGroup& group);
}  // namespace seam::report
