#include "report/optimized.h"

#include <algorithm>

namespace seam::report {

const planner::Plan* Optimized::baseline(std::string_view policy) const {
  if (plan->policy == policy) return plan.get();
  const auto found = std::ranges::find(baselines, policy, &planner::Plan::policy);
  return found == baselines.end() ? nullptr : &*found;
}

void for_each_kernel(const Optimized& optimized, const std::function<void(const KernelView&)>& visit) {
  std::size_t next = 0;
  for (std::size_t c = 0; c < optimized.program.kernels.size(); ++c) {
    const planner::ComputationPlan& where = optimized.plan->computations[c];
    for (std::size_t g = 0; g < optimized.program.kernels[c].size(); ++g, ++next) {
      visit({*optimized.graph, where, optimized.graph->computations[where.computation], where.groups[g], optimized.program.kernels[c][g], optimized.verdicts[next]});
    }
  }
}

VerdictCounts count(const std::vector<codegen::Verdict>& verdicts) {
  VerdictCounts counts;
  for (const codegen::Verdict& verdict : verdicts) {
    const codegen::Outcome outcome = verdict.outcome();
    ++(outcome == codegen::Outcome::Passed ? counts.passed : outcome == codegen::Outcome::Failed ? counts.failed : counts.inconclusive);
  }
  return counts;
}

}  // namespace seam::report
