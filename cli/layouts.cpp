#include "layouts.h"

#include <fmt/core.h>

#include "progress.h"

namespace seam::cli {

Result<db::CostTable> table_of_costs(const std::string& file) {
  if (!file.empty()) return db::CostTable::open(file);
  if (const auto usual = db::CostTable::usual_file()) {
    Result<db::CostTable> table = db::CostTable::open(*usual);
    if (table) return table;
    fmt::print(stderr, "seam: costs are not kept: {}\n", describe(table.error()));
  }
  return db::CostTable::in_memory();
}

Result<planner::PlanOptions> plan_options_for(const graph::Graph& module, const PlanFlags& flags, std::optional<codegen::SettledLayouts>* settled) {
  if (flags.layouts != kSimulatedLayouts) {
    if (!flags.costs_file.empty()) return fail(Error::Code::BadInput, "--costs is the table that --layouts simulated fills");
    return plan_options(flags);
  }
  PlanFlags chosen = flags;
  chosen.layouts = planner::name(planner::Layouts::Chosen);
  SEAM_TRY(planner::PlanOptions options, plan_options(chosen));
  SEAM_TRY(auto compiler, codegen::Compiler::find());
  SEAM_TRY(db::CostTable costs, table_of_costs(flags.costs_file));
  const codegen::Meter meter(options.device, std::move(compiler), costs);
  Progress bar(flags.quiet);
  const auto progress = bar.stage("counting what layouts cost");
  SEAM_TRY(codegen::SettledLayouts found, codegen::settle_layouts(module, options, meter, progress));
  bar.done();
  options = found.chosen.options;
  if (settled != nullptr) *settled = std::move(found);
  return options;
}

}  // namespace seam::cli
