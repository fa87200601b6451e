#pragma once
/// JSON that one plan and tables over many share: totals, compilers' results, ops outside kernels. For .cpp files only, like verdicts.h.
#include "json/verdicts.h"
#include "planner/plan.h"
#include "report/compiler_result.h"
#include "report/outside.h"

namespace seam::report {

[[nodiscard]] Json json_of(const planner::Totals& totals);
[[nodiscard]] Json json_of(const CompilerResult& result);
[[nodiscard]] Json json_of(const std::vector<OutsideKernels>& outside);

}  // namespace seam::report
