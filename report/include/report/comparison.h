#pragma once
/// The table that answers "what did it bring": policies and real compilers side by side on one module, down to the floors.
#include <span>

#include "report/compiler_result.h"
#include "report/optimized.h"
#include "report/table.h"

namespace seam::report {

/// Ops of the module that library calls of the prepared graph compute in their epilogues.
[[nodiscard]] std::size_t taken_over(const graph::Graph& graph);

/// One row per baseline, per compiler's result, for the plan, and one for its floor. Counts are dynamic (times trips of loops); kernels, copies and
/// library calls are never mixed in one column without its sum saying so.
[[nodiscard]] Table comparison(const planner::Plan& plan, const graph::Graph& graph, std::span<const planner::Plan> baselines, std::span<const CompilerResult> compilers);
[[nodiscard]] Table comparison(const Optimized& optimized);
/// Where the time of this run of Seam went.
[[nodiscard]] Table time_table(const Optimized& optimized);

struct VetoGroup {
  planner::VetoCode code{};
  std::size_t count = 0;
  std::vector<const planner::Veto*> examples;  ///< the first few
};
/// Refusals by code, most frequent first.
[[nodiscard]] std::vector<VetoGroup> vetoes_by_code(const planner::Plan& plan, std::size_t examples);
/// "needs 71,680, has 49,152".
[[nodiscard]] std::string numbers_of(const planner::Veto& veto);
/// Names of its ops, the first `most`.
[[nodiscard]] std::string ops_of(const planner::Veto& veto, const graph::Graph& graph, std::size_t most);

}  // namespace seam::report
