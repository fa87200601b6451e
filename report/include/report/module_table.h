#pragma once
/// One table over many modules: what every policy, and every compiler whose optimized modules are at hand, makes of each.
#include <optional>
#include <string>
#include <vector>

#include "planner/planner.h"
#include "report/compiler_result.h"
#include "report/outside.h"
#include "report/side_by_side.h"
#include "report/table.h"

namespace seam::report {

struct ModuleRow {
  std::string module;                                    ///< its file's name without the ending
  std::vector<planner::Totals> policies;                 ///< in the order of ModuleTable::policies
  std::vector<std::optional<CompilerResult>> compilers;  ///< in the order of ModuleTable::compilers; none: no such file
  std::vector<std::optional<SideBySide>> beside;         ///< the same order; none: their kernels are not at hand
  std::vector<OutsideKernels> outside;                   ///< of the last policy
  bool unknown_trips = false;                            ///< some loop's length depends on data: counted once
};

struct ModuleTable {
  std::string device;
  std::vector<std::string> policies;   ///< the one in question last
  std::vector<std::string> compilers;  ///< headings: what their files have in common
  std::vector<ModuleRow> rows;
};

/// Plans `module`, read from `file`, by each of `policies` and counts what the compilers made of it.
[[nodiscard]] Result<ModuleRow> module_row(const std::string& file, const graph::Graph& module, const planner::PlanOptions& options, const std::vector<std::string>& policies,
                                           const std::vector<std::optional<CompilerModule>>& compilers);

/// Counts stand as kernels+copies+library calls: never mixed, and one column per policy.
[[nodiscard]] Table to_table(const ModuleTable& table);
/// One table per compiler whose kernels are at hand: what they and ours move and how long they take, with geometric means over the modules.
[[nodiscard]] std::vector<Table> beside_tables(const ModuleTable& table);
/// "schema": "seam.plans/1".
[[nodiscard]] std::string module_table_json(const ModuleTable& table);

}  // namespace seam::report
