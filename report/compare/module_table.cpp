#include "planner/pipeline.h"
#include "report/module_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/units.h"

namespace seam::report {
namespace {

constexpr std::string_view kBaseline = "xla2018";

std::string counts(std::int64_t kernels, std::int64_t copies, std::int64_t library_calls) { return fmt::format("{}+{}+{}", kernels, copies, library_calls); }

Cell ratio(std::int64_t ours, std::int64_t theirs) { return theirs == 0 ? Cell(Blank{}) : Cell(static_cast<double>(ours) / static_cast<double>(theirs)); }

/// Over the modules for which there is a result of compiler `c`; both measures, since moving work into library calls is no win by itself.
std::string means_note(const ModuleTable& all, std::size_t c) {
  double launches = 0, with_library = 0;
  int modules = 0;
  for (const ModuleRow& row : all.rows) {
    if (!row.compilers[c]) continue;
    const planner::Totals& ours = row.policies.back();
    const analyzer::LaunchCounts& theirs = row.compilers[c]->counts;
    const std::int64_t mine = ours.kernels + ours.copies, other = theirs.kernels + theirs.copies;
    if (mine == 0 || other == 0) continue;
    launches += std::log(static_cast<double>(mine) / static_cast<double>(other));
    with_library += std::log(static_cast<double>(mine + ours.library_calls) / static_cast<double>(other + theirs.library_calls));
    ++modules;
  }
  if (modules == 0) return {};
  return fmt::format("{} over {}, geometric mean of {} {}: kernels and copies {:.2f}, with library calls {:.2f}.", all.policies.back(), all.compilers[c], modules, modules == 1 ? "module" : "modules", std::exp(launches / modules),
                     std::exp(with_library / modules));
}

std::vector<std::string> notes_of(const ModuleTable& all) {
  std::vector<std::string> notes = {
      "Cells are kernels+copies+library calls, as often as they run: loops times their trips. none = one kernel per op; xla2018 = XLA's fusion rules of 2018, re-implemented; the floor is that of the last "
      "policy's plan: levels between its library calls that hold work, copies included.",
      fmt::format("ratio = kernels of the last policy over those of {}; then kernels and copies over kernels and copies.", kBaseline)};
  if (!all.compilers.empty()) notes.emplace_back("Columns named after files hold what a real compiler made of the module, counted in its optimized module; what it moved into library calls stands there.");
  for (std::size_t c = 0; c < all.compilers.size(); ++c)
    if (std::string means = means_note(all, c); !means.empty()) notes.push_back(std::move(means));
  for (const ModuleRow& row : all.rows) {
    if (row.unknown_trips) notes.push_back(fmt::format("{}: how often a loop runs depends on data: counted once.", row.module));
    for (std::size_t c = 0; c < all.compilers.size(); ++c) {
      if (!row.compilers[c]) notes.push_back(fmt::format("{}: there is no {}.", row.module, all.compilers[c]));
      if (!row.compilers[c]) continue;
      for (const std::string& note : row.compilers[c]->notes) notes.push_back(fmt::format("{}, {}: {}.", row.module, all.compilers[c], note));
    }
    constexpr std::size_t kMost = 4;
    for (std::size_t i = 0; i < std::min(kMost, row.outside.size()); ++i) {
      notes.push_back(fmt::format("{}: {} ({}) is in no kernel: {}.", row.module, row.outside[i].op, row.outside[i].opcode, row.outside[i].reason));
    }
    if (row.outside.size() > kMost) notes.push_back(fmt::format("{}: and {} more are in no kernel.", row.module, human_count(static_cast<std::int64_t>(row.outside.size() - kMost))));
  }
  return notes;
}

}  // namespace

Result<ModuleRow> module_row(const std::string& file, const graph::Graph& module, const planner::PlanOptions& options, const std::vector<std::string>& policies,
                             const std::vector<std::optional<CompilerModule>>& compilers) {
  ModuleRow row;
  row.module = std::filesystem::path(file).stem().string();
  for (const std::optional<CompilerModule>& given : compilers) {
    row.compilers.emplace_back();
    if (!given) continue;
    SEAM_TRY(row.compilers.back(), compiler_result(*given, module, file));
  }
  for (const std::string& policy : policies) {
    planner::PlanOptions own = options;
    own.policy = policy;
    SEAM_TRY(const planner::Planning planning, planner::plan_module(module, own));
    const planner::Plan& plan = planning.plan;
    row.policies.push_back(plan.totals);
    row.unknown_trips = std::ranges::any_of(plan.computations, [](const planner::ComputationPlan& one) { return one.trips == 0; });
    row.outside = outside_kernels(plan, planning.graph);
  }
  return row;
}

Table to_table(const ModuleTable& all) {
  Table table{fmt::format("Launches by policy and module ({})", all.device), {{"module", "module"}}, {}, notes_of(all)};
  const std::string& ours = all.policies.back();
  const auto found = std::ranges::find(all.policies, kBaseline);
  const bool has_baseline = found != all.policies.end() && *found != ours;
  const auto baseline = static_cast<std::size_t>(found - all.policies.begin());
  for (std::size_t p = 0; p + 1 < all.policies.size(); ++p) table.columns.push_back({all.policies[p], all.policies[p]});
  for (const std::string& compiler : all.compilers) table.columns.push_back({compiler, compiler});
  table.columns.push_back({ours, ours});
  table.columns.push_back({"floor", "floor", Unit::Count});
  if (has_baseline) {
    table.columns.push_back({"ratio", "ratio", Unit::Ratio});
    table.columns.push_back({"ratio_with_copies", "with copies", Unit::Ratio});
  }
  table.columns.push_back({"inside", "ops in kernels"});
  for (const ModuleRow& row : all.rows) {
    std::vector<Cell>& cells = table.rows.emplace_back();
    cells.emplace_back(row.module);
    const auto add = [&](const planner::Totals& t) { cells.emplace_back(counts(t.kernels, t.copies, t.library_calls)); };
    for (std::size_t p = 0; p + 1 < row.policies.size(); ++p) add(row.policies[p]);
    for (const std::optional<CompilerResult>& result : row.compilers) {
      cells.push_back(result ? Cell(counts(result->counts.kernels, result->counts.copies, result->counts.library_calls)) : Cell(Unknown{}));
    }
    const planner::Totals& t = row.policies.back();
    add(t);
    cells.emplace_back(t.floor_kernels);
    if (has_baseline) {
      const planner::Totals& b = row.policies[baseline];
      cells.push_back(ratio(t.kernels, b.kernels));
      cells.push_back(ratio(t.kernels + t.copies, b.kernels + b.copies));
    }
    cells.emplace_back(fmt::format("{} of {}", t.fused_ops, t.fusable_ops));
  }
  return table;
}

}  // namespace seam::report
