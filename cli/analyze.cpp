/// seam analyze: where bytes and flops go, per class and origin; work and span; the floors of a plan; with --movement, words per operator and launch.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "analyzer/count.h"
#include "analyzer/floor.h"
#include "analyzer/shares.h"
#include "base/json_out.h"
#include "cli/command.h"
#include "graph/transform.h"
#include "import_traces.h"
#include "layouts.h"
#include "module.h"
#include "open_ranks.h"
#include "open_run.h"
#include "report/layouts.h"
#include "report/movement.h"
#include "report/rank_report.h"
#include "report/run_report.h"
#include "report/render.h"

namespace seam::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::vector<std::string> inputs;
  std::size_t origins = 20;
  bool movement = false;
  std::string granularity = "paper46";
  PlanFlags plan;
};

/// Everything that is said, as values.
struct Analysis {
  std::string module;
  std::vector<analyzer::Share> shares;
  std::vector<analyzer::OriginShare> origins;
  analyzer::WorkSpan work;
  analyzer::LaunchCounts counts;
  bool optimized = false;               ///< holds fusions or library custom calls: a compiler's result
  analyzer::RoofFloor module_floor;     ///< of an optimized module as it stands
  planner::Totals plan;                 ///< of the chosen policy
  planner::PlanOptions options;
};

bool is_optimized(const graph::Graph& graph) {
  for (const graph::Computation& computation : graph.computations)
    for (const graph::Op& op : computation.ops)
      if (op.opcode == graph::Opcode::Fusion) return true;
  return graph.is_scheduled;
}

Result<Analysis> analyzed(const graph::Graph& module, const PlanFlags& flags) {
  Analysis out;
  out.module = module.name;
  out.optimized = is_optimized(module);
  out.counts = analyzer::count_launches(module);
  out.module_floor = analyzer::roof_floor(module, analyzer::load_in_optimized);
  SEAM_TRY(const Planned planned_module, planned(module, flags));
  // Of the module as it is: what the planner simplifies away (duplicates, dead ops) is work that it asked for.
  const graph::Graph flat = graph::inline_calls(module, true);
  out.shares = analyzer::shares_of(flat);
  out.origins = analyzer::origins_of(flat);
  out.work = analyzer::work_span(flat);
  out.plan = planned_module.plan.totals;
  out.options = planned_module.options;
  return out;
}

template <class T, class F>
auto sum_of(const std::vector<T>& list, F field) {
  decltype(field(list.front())) sum{};
  for (const T& item : list) sum += field(item);
  return sum;
}

report::Table share_table(const Analysis& a) {
  report::Table table;
  table.title = fmt::format("{}: shares by class, op by op", a.module);
  table.columns = {{"class", "class", report::Unit::Text, {}},
                   {"ops", "ops", report::Unit::Count, {}},
                   {"runs", "runs", report::Unit::Count, {}},
                   {"flops", "flop", report::Unit::Count, Evidence::Modelled},
                   {"flop_share", "of flop", report::Unit::Percent, Evidence::Modelled},
                   {"bytes", "bytes", report::Unit::Bytes, Evidence::Modelled},
                   {"byte_share", "of bytes", report::Unit::Percent, Evidence::Modelled}};
  const double flops = sum_of(a.shares, [](const analyzer::Share& s) { return s.flops; });
  const auto bytes = static_cast<double>(sum_of(a.shares, [](const analyzer::Share& s) { return s.bytes; }));
  for (const analyzer::Share& s : a.shares)
    table.rows.push_back({std::string(analyzer::name(s.op_class)), s.ops, s.runs, static_cast<std::int64_t>(s.flops),
                          flops > 0 ? report::Cell(100 * s.flops / flops) : report::Cell(report::Unknown{}), s.bytes,
                          bytes > 0 ? report::Cell(100 * static_cast<double>(s.bytes) / bytes) : report::Cell(report::Unknown{})});
  table.notes.push_back("bytes and flop as if every op were a kernel of its own; loops multiplied by their trips; free ops aside");
  table.notes.push_back("statistical normalization: an origin that reduces and spreads a statistic, its element-wise ops included; nothing ran, so there is no time");
  return table;
}

report::Table origin_table(const Analysis& a, std::size_t most) {
  report::Table table;
  table.title = "origins by bytes";
  table.columns = {{"origin", "origin", report::Unit::Text, {}},
                   {"ops", "ops", report::Unit::Count, {}},
                   {"flops", "flop", report::Unit::Count, Evidence::Modelled},
                   {"bytes", "bytes", report::Unit::Bytes, Evidence::Modelled}};
  for (std::size_t i = 0; i < a.origins.size() && i < most; ++i)
    table.rows.push_back({a.origins[i].label, a.origins[i].ops, static_cast<std::int64_t>(a.origins[i].flops), a.origins[i].bytes});
  if (a.origins.size() > most) table.notes.push_back(fmt::format("{} more origins (--origins)", a.origins.size() - most));
  return table;
}

report::Table total_table(const Analysis& a) {
  report::Table table;
  table.title = "whole module";
  table.columns = {{"figure", "figure", report::Unit::Text, {}}, {"value", "value", report::Unit::Count, {}}};
  const auto row = [&](const char* what, std::int64_t value) { table.rows.push_back({std::string(what), value}); };
  row("ops that run", a.work.ops);
  row("longest chain of ops", a.work.span_ops);
  row("flop", static_cast<std::int64_t>(a.work.flops));
  row("flop on the longest chain", static_cast<std::int64_t>(a.work.span_flops));
  if (a.optimized) {
    row("kernels in this module", a.counts.kernels);
    row("library calls in this module", a.counts.library_calls);
    row("copies in this module", a.counts.copies);
    row("bytes its launches move", a.counts.bytes());
    row("its roof floor", a.module_floor.kernels);
  }
  row("kernels planned", a.plan.kernels);
  row("copies planned", a.plan.copies);
  row("library calls planned", a.plan.library_calls);
  row("bytes of planned kernels", a.plan.bytes_read + a.plan.bytes_written);
  row("roof floor of the plan", a.plan.floor_kernels);
  row("byte floor of the plan", a.plan.floor_bytes);
  table.notes.push_back(fmt::format("plan: policy {}, device {}", a.options.policy, a.options.device.name));
  return table;
}

std::string json_of(const Analysis& a) {
  Json shares = Json::array(), origins = Json::array();
  for (const analyzer::Share& s : a.shares)
    shares.push_back({{"class", analyzer::name(s.op_class)}, {"ns", nullptr}, {"bytes", s.bytes}, {"flops", s.flops}, {"words", s.words}, {"ops", s.ops}, {"runs", s.runs}, {"evidence", "modelled"}});
  for (const analyzer::OriginShare& o : a.origins) origins.push_back({{"origin", o.label}, {"ops", o.ops}, {"flops", o.flops}, {"bytes", o.bytes}, {"evidence", "modelled"}});
  Json out = {{"schema", "seam.analyze/1"},
              {"module", a.module},
              {"wall_ns", nullptr},
              {"shares", std::move(shares)},
              {"origins", std::move(origins)},
              {"work", {{"flops", a.work.flops}, {"span_flops", a.work.span_flops}, {"ops", a.work.ops}, {"span_ops", a.work.span_ops}}},
              {"plan",
               {{"policy", a.options.policy},
                {"device", a.options.device.name},
                {"kernels", a.plan.kernels},
                {"library_calls", a.plan.library_calls},
                {"copies", a.plan.copies},
                {"floor_kernels", a.plan.floor_kernels},
                {"floor_bytes", a.plan.floor_bytes}}}};
  if (a.optimized)
    out["compiled"] = {{"kernels", a.counts.kernels},
                       {"library_calls", a.counts.library_calls},
                       {"copies", a.counts.copies},
                       {"bytes", a.counts.bytes()},
                       {"kernel_bytes", a.counts.kernel_bytes},
                       {"floor_kernels", a.module_floor.kernels},
                       {"loops_of_unknown_length", a.counts.loops_of_unknown_length}};
  return dumped(out);
}

void print(const report::Document& document, const Common& common) { fmt::print("{}", common.format == Format::Markdown ? report::to_markdown(document) : report::to_text(document)); }
std::size_t most_rows(const Options& options, const Common& common) { return common.verbose > 0 ? 0 : std::max<std::size_t>(1, options.origins); }

/// Words, bytes and what is read again, instead of the shares (report/movement.h).
Result<int> run_movement(const graph::Graph& module, const Options& options, const Common& common) {
  SEAM_TRY(const analyzer::Granularity granularity, during("reading --granularity", analyzer::granularity_named(options.granularity)));
  SEAM_TRY(const planner::PlanOptions plan, plan_options_for(module, options.plan));
  SEAM_TRY(const report::MovementReport movement, report::movement_report(module, granularity, plan));
  if (common.format == Format::Json) {
    SEAM_TRY(const Analysis analysis, analyzed(module, options.plan));
    Json out = Json::parse(json_of(analysis));
    out["movement"] = Json::parse(report::movement_json(movement));
    fmt::print("{}\n", dumped(out));
    return kPass;
  }
  print(report::movement_document(movement, most_rows(options, common)), common);
  return kPass;
}

/// Flags that say nothing to what was recorded.
Result<void> refuse_module_flags(const Options& options) {
  if (options.movement) return fail(Error::Code::BadInput, "--movement is about modules; a run's bytes are in its tables (seam sql)");
  for (const char* flag : {"--device", "--policy", "--layouts", "--costs", "--shared-cap", "--footprint-cap", "--unroll", "--no-merges", "--no-epilogues"})
    if (options.plan.given(flag)) return fail(Error::Code::BadInput, fmt::format("{} is about the plan of a module; this is a recorded run", flag));
  return {};
}

/// Ranks of one job.
Result<int> run_ranks(const Options& options, const Common& common) {
  SEAM_DO(refuse_module_flags(options));
  SEAM_TRY(OpenRanks ranks, open_ranks(options.inputs, common));
  const report::RankReport report = report::rank_report(ranks.runs, std::move(ranks.remarks));
  if (common.format == Format::Json) {
    fmt::print("{}\n", report::rank_json(report));
  } else {
    print(report::rank_document(report, most_rows(options, common)), common);
  }
  return kPass;
}

/// A recorded run, or a trace of one.
Result<int> run_recorded(const Options& options, const std::string& input, const Common& common) {
  SEAM_DO(refuse_module_flags(options));
  SEAM_TRY(const OpenRun run, OpenRun::open(input, common));
  SEAM_TRY(const report::RunReport recorded, during("reading " + input, report::run_report(run.database())));
  if (common.format == Format::Json) {
    fmt::print("{}\n", report::run_json(recorded));
    return kPass;
  }
  print(report::run_document(recorded, most_rows(options, common)), common);
  return kPass;
}

Result<int> run(const Options& options, const Common& common) {
  SEAM_TRY(const std::vector<std::string> files, rank_files(options.inputs));
  if (files.size() > 1) return run_ranks(options, common);
  const std::string& input = files.empty() ? options.inputs.front() : files.front();
  // What moves is a question about a graph, also of a recorded run.
  SEAM_TRY(const bool recorded, is_recorded(input));
  if (recorded && !options.movement) return run_recorded(options, input, common);
  SEAM_TRY(const graph::Graph module, open_module(input, options.plan.module));
  if (options.movement) return run_movement(module, options, common);
  SEAM_TRY(const Analysis analysis, analyzed(module, options.plan));
  // Of a compiler's result the layouts are what it chose already.
  report::Table bad;
  if (!analysis.optimized && analysis.options.layouts != planner::Layouts::Chosen) {
    SEAM_TRY(bad, report::bad_layout_table(module, analysis.options));
  }
  if (common.format == Format::Json) {
    Json out = Json::parse(json_of(analysis));
    out["bad_layouts"] = Json::parse(report::to_json(bad))["rows"];
    fmt::print("{}\n", dumped(out));
    return kPass;
  }
  report::Document document{share_table(analysis), origin_table(analysis, options.origins), total_table(analysis)};
  if (!bad.rows.empty()) document.emplace_back(std::move(bad));
  print(document, common);
  return kPass;
}

}  // namespace

Run define_analyze(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("module", options->inputs, "a .seam run, a trace, or an HLO or .graph module, optimized or not; several runs or traces, or a folder of them: the ranks of one job")->required();
  app.add_option("--origins", options->origins, "rows of the table of origins, of operators, of a run's kernels, or of a job's collectives")->capture_default_str();
  CLI::Option* movement = app.add_flag("--movement", options->movement, "words and bytes in and out of operators and launches, and what is read again");
  app.add_option("--granularity", options->granularity, "how finely --movement cuts around softmaxes: plain, scale-split, softmax-dropout-split or paper46")
      ->needs(movement)
      ->capture_default_str();
  add_plan_flags(app, options->plan);
  return [options](const Common& common) { return run(*options, common); };
}

}  // namespace seam::cli
