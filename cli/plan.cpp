/// seam plan: which ops become one kernel, and why not more; of several modules one row each (plan_many.cpp).
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/json_out.h"
#include "base/units.h"
#include "cli/command.h"
#include "compare.h"
#include "layouts.h"
#include "module.h"
#include "plan_many.h"
#include "planner/pipeline.h"
#include "progress.h"
#include "report/layouts.h"
#include "report/comparison.h"
#include "report/outside.h"
#include "report/plan_json.h"
#include "report/render.h"
#include "report/side_by_side.h"

namespace seam::cli {
namespace {

/// Of another compiler, those first where most is saved; -v shows all.
constexpr std::size_t kLaunchesShown = 20;

struct Options {
  std::vector<std::string> modules;
  CompareFlags compare;
  std::string output, explain;
  std::vector<std::string> dump_after, skip;
  std::string stop_after;
  bool dot = false, text = false, time_passes = false, explain_given = false;
  PlanFlags plan;
};

/// What every policy, and every compiler given, makes of the same module.
Result<report::Table> table_of(const graph::Graph& module, const planner::Planning& planning, const std::vector<report::CompilerResult>& compilers) {
  std::vector<planner::Plan> baselines;
  for (const std::string& policy : policies_with_last(planning.plan.policy)) {
    if (policy == planning.plan.policy) continue;
    planner::PlanOptions options = planning.options;
    options.policy = policy;
    SEAM_TRY(planner::Planning other, planner::plan_module(module, options));
    baselines.push_back(std::move(other.plan));
  }
  report::Table table = report::comparison(planning.plan, planning.graph, baselines, compilers);
  table.title = fmt::format("{} on {}", planning.plan.module, planning.plan.device);
  const planner::Totals& t = planning.plan.totals;
  table.notes.push_back(fmt::format("{} of {} fusable ops are inside kernels; {} ops in all, free ones aside.", t.fused_ops, t.fusable_ops, t.ops));
  return table;
}

/// Empty if every op that could be inside a kernel is.
report::Table outside_of(const planner::Planning& planning) {
  report::Table table{"ops in no kernel", {{"op", "op"}, {"opcode", "what"}, {"computation", "computation"}, {"reason", "because"}}, {}, {}};
  for (const report::OutsideKernels& one : report::outside_kernels(planning.plan, planning.graph)) table.rows.push_back({one.op, one.opcode, one.computation, one.reason});
  return table;
}

report::Table kernels_of(const planner::Planning& planning) {
  report::Table table;
  table.title = "kernels";
  table.columns = {{"kernel", "kernel", report::Unit::Text, {}},       {"level", "level", report::Unit::Count, {}},
                   {"scheme", "scheme", report::Unit::Text, {}},       {"ops", "ops", report::Unit::Count, {}},
                   {"grid", "grid", report::Unit::Count, {}},          {"shared", "shared", report::Unit::Bytes, {}},
                   {"read", "read", report::Unit::Bytes, Evidence::Modelled}, {"written", "written", report::Unit::Bytes, Evidence::Modelled},
                   {"time", "time", report::Unit::Microseconds, Evidence::Modelled}};
  double sum = 0;
  for (const planner::ComputationPlan& one : planning.plan.computations)
    for (const planner::FusionGroup& group : one.groups) {
      table.rows.push_back({group.name, std::int64_t{group.level}, report::scheme_of(group), report::op_count(group), group.blocks(), group.shared_bytes(),
                            group.estimate.bytes_read, group.estimate.bytes_written, group.estimate.time_mid_us});
      sum += group.estimate.time_mid_us;
    }
  table.notes.push_back(fmt::format("time: the planner's estimate from bytes and arithmetic, {} for all of them, loops once; it does not know how values lie in memory (--layouts simulated runs the kernels and counts)", human_microseconds(sum)));
  return table;
}

/// Kernels of both sides, counted; ours must be compiled for it.
Result<std::vector<report::SideBySide>> beside(const planner::Planning& planning, const std::vector<report::NamedProgram>& theirs, const Common& common) {
  if (theirs.empty()) return std::vector<report::SideBySide>();
  SEAM_TRY(const auto compiler, during("comparing kernels", codegen::Compiler::find()));
  Progress bar(common.quiet || common.format == Format::Json);
  SEAM_TRY(const codegen::Program program, codegen::build(planning.graph, planning.plan, planning.options.device, *compiler, bar.stage("compiling kernels")));
  std::vector<report::SideBySide> sides = report::side_by_side(theirs, program, planning.options.device, {}, [&](std::string_view stage) { return bar.stage(stage); });
  bar.done();
  return sides;
}

Result<std::string> explained(const Options& options, const graph::Graph& module, const planner::Planning& planning) {
  if (options.explain.empty()) return planner::explain_all(planning.plan, planning.graph);
  SEAM_TRY(const auto reasons, report::layout_reasons(module, planning.options, planning.plan));
  const std::string layout = report::explained_layout(reasons, options.explain);
  if (!layout.empty()) {
    // A value that only the unplanned graph has by this name has no place in a kernel, but it has a layout.
    const auto place = planner::explain(planning.plan, planning.graph, options.explain, "");
    return layout + (place ? *place : "");
  }
  const std::size_t comma = options.explain.find(',');
  const std::string_view all = options.explain;
  return planner::explain(planning.plan, planning.graph, all.substr(0, comma), comma == std::string::npos ? "" : all.substr(comma + 1));
}

Result<planner::Planning> planned_here(const graph::Graph& module, const Options& options, std::FILE* log, std::optional<codegen::SettledLayouts>& settled) {
  if (!options.plan.plan_file.empty()) {
    SEAM_TRY(Planned given, planned(module, options.plan));
    return planner::Planning{std::move(given.graph), given.options, std::move(given.plan), true};
  }
  SEAM_TRY(const planner::PlanOptions plan_options_given, plan_options_for(module, options.plan, &settled));
  PassOptions passes{options.dump_after, options.skip, options.stop_after, true};
  SEAM_TRY(PassRun<planner::Planning> run, planner::run_pipeline(module, plan_options_given, passes));
  for (const PassRecord& record : run.log) {
    if (!record.dump.empty()) fmt::print(log, "// after {}{}\n{}", record.name, record.changed ? "" : " (unchanged)", record.dump);
    if (options.time_passes) fmt::print(log, "{:>10.3f} ms  {}{}\n", std::chrono::duration<double, std::milli>(record.took).count(), record.name, record.changed ? "" : " (unchanged)");
  }
  return std::move(run.ir);
}

/// Flags that speak of one plan, of those given.
std::string for_one_module(const Options& options) {
  std::string out;
  for (const auto& [given, flag] : {std::pair<bool, const char*>{!options.plan.plan_file.empty(), "--plan"}, {!options.output.empty(), "-o"}, {options.text, "--text"}, {options.dot, "--dot"},
                                    {options.explain_given, "--explain"}, {!options.dump_after.empty(), "--dump-after"}, {!options.skip.empty(), "--skip"}, {!options.stop_after.empty(), "--stop-after"},
                                    {options.time_passes, "--time-passes"}}) {
    if (given) out += fmt::format("{}{}", out.empty() ? "" : ", ", flag);
  }
  return out;
}

Result<int> run(const Options& options, const Common& common) {
  if (options.modules.size() > 1) {
    if (const std::string flags = for_one_module(options); !flags.empty()) return fail(Error::Code::BadInput, fmt::format("{} of several modules: one at a time", flags));
    SEAM_TRY(const planner::PlanOptions shared, plan_options(options.plan));
    return plan_many(options.modules, options.compare, shared, common);
  }
  const bool json = common.format == Format::Json;
  if (json && (options.dot || options.text)) return fail(Error::Code::BadInput, "--dot and --text print their own form: not with --format json");
  SEAM_TRY(const graph::Graph module, open_module(options.modules.front(), options.plan.module));
  // Standard output is one JSON value then, and nothing else.
  std::optional<codegen::SettledLayouts> settled;
  SEAM_TRY(const planner::Planning planning, planned_here(module, options, json ? stderr : stdout, settled));
  if (!planning.planned) return kPass;  // stopped before
  SEAM_TRY(const std::vector<report::CompilerModule> given, compared_with(options.compare, options.modules.front()));
  SEAM_TRY(const std::vector<report::CompilerResult> compilers, report::compiler_results(given, module, options.modules.front()));
  SEAM_TRY(const std::vector<report::SideBySide> sides, beside(planning, report::with_kernels(given, compilers), common));
  const std::string text = planner::print_plan(planning.plan, planning.graph);
  if (!options.output.empty()) {
    if (const auto written = write_file(options.output, text); !written) return tl::unexpected(written.error());
  }
  if (options.dot) {
    fmt::print("{}", planner::print_plan_dot(planning.plan, planning.graph));
  } else if (options.explain_given) {
    SEAM_TRY(const std::string why, explained(options, module, planning));
    if (json) {
      auto plan = nlohmann::ordered_json::parse(report::plan_json(planning.plan, planning.graph, compilers, sides));
      plan["explanation"] = why;
      fmt::print("{}\n", dumped(plan));
    } else {
      fmt::print("{}", why);
    }
  } else if (json) {
    auto plan = nlohmann::ordered_json::parse(report::plan_json(planning.plan, planning.graph, compilers, sides));
    if (settled)
      plan["layout_gains"] = {{"row_major_us", settled->row_major_us}, {"chosen_us", settled->chosen_us}, {"plans_measured", settled->tried}, {"kernels_run", settled->kernels_run}, {"kernels_looked_up", settled->kernels_looked_up},
                              {"network", {{"chosen_us", settled->network.cost_us}, {"lower_bound_us", settled->network.lower_bound_us}}}, {"evidence", "modelled"}};
    fmt::print("{}\n", dumped(plan));
  } else if (options.text) {
    fmt::print("{}", text);
  } else {
    SEAM_TRY(report::Table policies, table_of(module, planning, compilers));
    report::Document document{std::move(policies), kernels_of(planning)};
    SEAM_TRY(const auto reasons, report::layout_reasons(module, planning.options, planning.plan));
    if (settled) {
      SEAM_TRY(report::Table gains, report::gains_table(module, *settled, planning.options.device));
      document.emplace_back(std::move(gains));
    }
    if (report::Table layouts = report::layout_table(reasons, planning.plan, planning.graph); !layouts.rows.empty()) document.emplace_back(std::move(layouts));
    if (report::Table outside = outside_of(planning); !outside.rows.empty()) document.emplace_back(std::move(outside));
    for (const report::SideBySide& one : sides) {
      document.emplace_back(report::totals_table(one));
      document.emplace_back(report::launches_table(one, common.verbose > 0 ? 0 : kLaunchesShown));
      document.emplace_back(report::our_launches_table(one, common.verbose > 0 ? 0 : kLaunchesShown));
      document.emplace_back(report::formula_table(one));
    }
    fmt::print("{}", common.format == Format::Markdown ? report::to_markdown(document) : report::to_text(document));
  }
  return kPass;
}

}  // namespace

Run define_plan(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("module", options->modules, "an HLO or .graph module; several: one row each")->required();
  add_plan_flags(app, options->plan);
  add_compare_flags(app, options->compare);
  app.add_option("--plan", options->plan.plan_file, "take this .plan instead of making one: checked against the module");
  app.add_option("-o", options->output, "write the .plan here");
  app.add_flag("--text", options->text, "print the .plan itself");
  app.add_flag("--dot", options->dot, "print the plan as a Graphviz picture");
  app.add_option("--explain", options->explain, "why not fewer kernels: all refusals, those of one op (=a), or of a pair (=a,b)")->expected(0, 1);
  app.add_option("--dump-after", options->dump_after, "print the text form after these passes, or all")->delimiter(',');
  app.add_option("--skip", options->skip, "passes to leave out")->delimiter(',');
  app.add_option("--stop-after", options->stop_after, "the last pass to run");
  app.add_flag("--time-passes", options->time_passes, "print how long each pass took");
  CLI::Option* explain = app.get_option("--explain");
  return [options, explain](const Common& common) {
    options->explain_given = explain->count() > 0;
    return run(*options, common);
  };
}

}  // namespace seam::cli
