#include "plan_many.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <optional>

#include "base/parallel.h"
#include "codegen/program.h"
#include "module.h"
#include "planner/pipeline.h"
#include "progress.h"
#include "report/module_table.h"
#include "report/render.h"
#include "report/side_by_side.h"

namespace seam::cli {
namespace {

constexpr std::size_t kWidth = 140;  // names of modules are worth more than eighty columns

/// One kernel at a time: modules are what runs side by side.
Result<std::vector<report::SideBySide>> beside(const graph::Graph& module, const std::vector<report::NamedProgram>& theirs, const planner::PlanOptions& options) {
  SEAM_TRY(const auto compiler, codegen::Compiler::find());
  SEAM_TRY(const planner::Planning planning, planner::plan_module(module, options));
  SEAM_TRY(const codegen::Program program, codegen::build(planning.graph, planning.plan, options.device, *compiler, {}, 1));
  return report::side_by_side(theirs, program, options.device, {.threads = 1});
}

Result<report::ModuleRow> row_of(const std::string& file, const CompareFlags& compare, const planner::PlanOptions& options, const std::vector<std::string>& policies) {
  SEAM_TRY(const graph::Graph module, open_module(file));
  SEAM_TRY(const auto compilers, compared_if_there(compare, file));
  SEAM_TRY(report::ModuleRow row, during(fmt::format("planning {}", file), report::module_row(file, module, options, policies, compilers)));
  row.beside.resize(compilers.size());
  std::vector<report::NamedProgram> theirs;
  std::vector<std::size_t> which;
  for (std::size_t c = 0; c < compilers.size(); ++c) {
    if (!compilers[c] || !compilers[c]->program) continue;
    theirs.push_back({row.compilers[c]->name, compilers[c]->program});
    which.push_back(c);
  }
  if (theirs.empty()) return row;
  SEAM_TRY(std::vector<report::SideBySide> sides, during(fmt::format("comparing kernels of {}", file), beside(module, theirs, options)));
  for (std::size_t i = 0; i < sides.size(); ++i) row.beside[which[i]] = std::move(sides[i]);
  return row;
}

/// A pattern that names the same file for all modules, or none at all, is a slip.
Result<void> check_patterns(const std::vector<std::string>& compare, const report::ModuleTable& table) {
  for (std::size_t c = 0; c < compare.size(); ++c) {
    const bool any = std::ranges::any_of(table.rows, [&](const report::ModuleRow& row) { return row.compilers[c].has_value(); });
    if (!any) return fail(Error::Code::NotFound, fmt::format("--compare {}: there is such a file for none of the modules", compare[c]));
  }
  return {};
}

}  // namespace

std::vector<std::string> policies_with_last(const std::string& last) {
  std::vector<std::string> out;
  const std::vector<planner::PolicyInfo> best_first = planner::policy_list();
  for (auto policy = best_first.rbegin(); policy != best_first.rend(); ++policy)
    if (policy->name != last) out.emplace_back(policy->name);
  out.push_back(last);
  return out;
}

Result<int> plan_many(const std::vector<std::string>& modules, const CompareFlags& compare, const planner::PlanOptions& options, const Common& common) {
  for (const std::string& pattern : compare.compare) {
    if (pattern.find("{}") == std::string::npos) {
      return fail(Error::Code::BadInput, fmt::format("--compare {}: for several modules it needs a {{}} where their names differ, as in '{{}}.h100.library.hlo'", pattern));
    }
  }
  report::ModuleTable table{std::string(options.device.name), policies_with_last(options.policy), headings(compare.compare), {}};
  table.rows.resize(modules.size());
  std::vector<std::optional<Error>> errors(modules.size());
  Progress bar(common.quiet || common.format == Format::Json);
  const auto planned = bar.stage("planning");
  std::atomic<std::size_t> done{0};
  parallel_for(modules.size(), 0, [&](std::size_t i) {
    if (auto row = row_of(modules[i], compare, options, table.policies)) {
      table.rows[i] = *std::move(row);
    } else {
      errors[i] = std::move(row).error();
    }
    if (planned) planned(++done, modules.size());
  });
  bar.done();
  for (std::optional<Error>& error : errors)
    if (error) return tl::unexpected(*std::move(error));
  SEAM_DO(check_patterns(compare.compare, table));
  if (common.format == Format::Json) {
    fmt::print("{}\n", report::module_table_json(table));
  } else {
    // Who asks for kernels beside kernels has the launches of both there; what other policies make of the modules is in the JSON.
    report::Document document;
    for (report::Table& one : report::beside_tables(table)) document.emplace_back(std::move(one));
    if (document.empty()) document.emplace_back(report::to_table(table));
    fmt::print("{}", common.format == Format::Markdown ? report::to_markdown(document) : report::to_text(document, kWidth));
  }
  return kPass;
}

}  // namespace seam::cli
