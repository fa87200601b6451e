#pragma once
/// seam plan with several modules: one table, a row each.
#include <string>
#include <vector>

#include "cli/command.h"
#include "planner/planner.h"

namespace seam::cli {

/// All policies, those that fuse least first, `last` at the end.
[[nodiscard]] std::vector<std::string> policies_with_last(const std::string& last);

/// Plans every module by every policy, `options.policy` last, and counts what `compare` (compare.h) names for each.
[[nodiscard]] Result<int> plan_many(const std::vector<std::string>& modules, const std::vector<std::string>& compare, const planner::PlanOptions& options, const Common& common);

}  // namespace seam::cli
