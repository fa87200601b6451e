#pragma once
/// seam plan with several modules: one table, a row each.
#include <string>
#include <vector>

#include "cli/command.h"
#include "compare.h"
#include "planner/planner.h"

namespace seam::cli {

/// All policies, those that fuse least first, `last` at the end.
[[nodiscard]] std::vector<std::string> policies_with_last(const std::string& last);

/// Plans every module by every policy, `options.policy` last, and counts what `compare` names for each, kernels included where they are at hand.
[[nodiscard]] Result<int> plan_many(const std::vector<std::string>& modules, const CompareFlags& compare, const planner::PlanOptions& options, const Common& common);

}  // namespace seam::cli
