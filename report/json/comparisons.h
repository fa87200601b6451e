#pragma once
/// JSON that one plan and tables over many share: totals, compilers' results, ops outside kernels. For .cpp files only, like verdicts.h.
#include "json/verdicts.h"
#include "planner/plan.h"
#include "report/compiler_result.h"
#include "report/outside.h"
#include "report/side_by_side.h"

namespace seam::report {

[[nodiscard]] Json json_of(const planner::Totals& totals);
[[nodiscard]] Json json_of(const CompilerResult& result);
[[nodiscard]] Json json_of(const std::vector<OutsideKernels>& outside);
[[nodiscard]] Json json_of(const std::vector<SideBySide>& all);
/// Without launches: {name, theirs, ours}.
[[nodiscard]] Json totals_json(const SideBySide& sides);

}  // namespace seam::report
