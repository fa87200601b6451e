/// seam plan: which ops become one kernel, and why not more.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "base/files.h"
#include "cli/command.h"
#include "module.h"
#include "planner/pipeline.h"
#include "report/comparison.h"
#include "report/plan_json.h"
#include "report/render.h"

namespace seam::cli {
namespace {

struct Options {
  std::string module, output, explain;
  std::vector<std::string> dump_after, skip;
  std::string stop_after;
  bool dot = false, text = false, time_passes = false, explain_given = false;
  PlanFlags plan;
};

/// What every policy makes of the same prepared graph.
Result<report::Table> table_of(const planner::Planning& planning) {
  report::Table table;
  table.title = fmt::format("{}: kernels by policy ({})", planning.plan.module, planning.plan.device);
  table.columns = {{"policy", "policy", report::Unit::Text, {}},
                   {"kernels", "kernels", report::Unit::Count, {}},
                   {"copies", "copies", report::Unit::Count, {}},
                   {"library_calls", "library calls", report::Unit::Count, {}},
                   {"bytes_read", "read", report::Unit::Bytes, Evidence::Modelled},
                   {"bytes_written", "written", report::Unit::Bytes, Evidence::Modelled},
                   {"roof_floor", "roof floor", report::Unit::Count, {}},
                   {"byte_floor", "byte floor", report::Unit::Bytes, Evidence::Modelled}};
  const auto row = [&](const planner::Plan& plan) {
    const planner::Totals& t = plan.totals;
    table.rows.push_back({plan.policy, t.kernels, t.copies, t.library_calls, t.bytes_read, t.bytes_written, t.floor_kernels, t.floor_bytes});
  };
  for (const planner::PolicyInfo& policy : planner::policy_list()) {
    if (policy.name == planning.plan.policy) continue;
    planner::PlanOptions options = planning.options;
    options.policy = policy.name;
    SEAM_TRY(const planner::Plan plan, planner::make_plan(planning.graph, options));
    row(plan);
  }
  row(planning.plan);
  const planner::Totals& t = planning.plan.totals;
  table.notes.push_back(fmt::format("{} of {} fusable ops are inside kernels; {} ops in all, free ones aside", t.fused_ops, t.fusable_ops, t.ops));
  table.notes.push_back("counts are what runs: times the trips of loops; bytes are of kernels; policies other than stitch are rules re-implemented for comparison");
  for (const planner::ComputationPlan& one : planning.plan.computations)
    if (one.trips == 0) table.notes.push_back(fmt::format("how often {} runs depends on data: counted once", planning.graph.computations[one.computation].name));
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
  for (const planner::ComputationPlan& one : planning.plan.computations)
    for (const planner::FusionGroup& group : one.groups) {
      std::int64_t ops = 0;
      for (const planner::Part& part : group.parts) ops += static_cast<std::int64_t>(part.ops.size());
      table.rows.push_back({group.name, std::int64_t{group.level}, report::scheme_of(group), ops, group.blocks(), group.shared_bytes(),
                            group.estimate.bytes_read, group.estimate.bytes_written, group.estimate.time_mid_us});
    }
  return table;
}

Result<std::string> explained(const Options& options, const planner::Planning& planning) {
  if (options.explain.empty()) return planner::explain_all(planning.plan, planning.graph);
  const std::size_t comma = options.explain.find(',');
  const std::string_view all = options.explain;
  return planner::explain(planning.plan, planning.graph, all.substr(0, comma), comma == std::string::npos ? "" : all.substr(comma + 1));
}

Result<planner::Planning> planned_here(const Options& options) {
  SEAM_TRY(const graph::Graph module, open_module(options.module));
  SEAM_TRY(const planner::PlanOptions plan_options_given, plan_options(options.plan));
  if (!options.plan.plan_file.empty()) {
    SEAM_TRY(Planned given, planned(module, options.plan));
    return planner::Planning{std::move(given.graph), given.options, std::move(given.plan), true};
  }
  PassOptions passes{options.dump_after, options.skip, options.stop_after, true};
  SEAM_TRY(PassRun<planner::Planning> run, planner::run_pipeline(module, plan_options_given, passes));
  for (const PassRecord& record : run.log) {
    if (!record.dump.empty()) fmt::print("// after {}{}\n{}", record.name, record.changed ? "" : " (unchanged)", record.dump);
    if (options.time_passes) fmt::print("{:>10.3f} ms  {}{}\n", std::chrono::duration<double, std::milli>(record.took).count(), record.name, record.changed ? "" : " (unchanged)");
  }
  return std::move(run.ir);
}

Result<int> run(const Options& options, const Common& common) {
  SEAM_TRY(const planner::Planning planning, planned_here(options));
  if (!planning.planned) return kPass;  // stopped before
  const std::string text = planner::print_plan(planning.plan, planning.graph);
  if (!options.output.empty()) {
    if (const auto written = write_file(options.output, text); !written) return tl::unexpected(written.error());
  }
  if (options.dot) {
    fmt::print("{}", planner::print_plan_dot(planning.plan, planning.graph));
  } else if (options.explain_given) {
    SEAM_TRY(const std::string why, explained(options, planning));
    fmt::print("{}", why);
  } else if (common.format == Format::Json) {
    fmt::print("{}\n", report::plan_json(planning.plan, planning.graph));
  } else if (options.text) {
    fmt::print("{}", text);
  } else if (!common.quiet) {
    SEAM_TRY(report::Table policies, table_of(planning));
    report::Document document{std::move(policies), kernels_of(planning)};
    fmt::print("{}", common.format == Format::Markdown ? report::to_markdown(document) : report::to_text(document));
  }
  return kPass;
}

}  // namespace

Run define_plan(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("module", options->module, "an HLO or .graph module")->required();
  add_plan_flags(app, options->plan);
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
