/// seam study: a published result recounted, beside what was published and what Seam makes of the same program.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "bundled.h"
#include "cli/command.h"
#include "layouts.h"
#include "module.h"
#include "progress.h"
#include "report/layout_study.h"
#include "report/render.h"
#include "report/study.h"

namespace seam::cli {
namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 24;

struct Options {
  std::string name;
  std::int64_t batch = 8, sequence = 512;
  std::string group;
  std::int64_t every = 1;
  bool no_prove = false;
  PlanFlags plan;
};

/// What a study takes no notice of is refused, not dropped.
Result<void> takes_none_of(const Options& options, std::initializer_list<const char*> flags) {
  for (const char* flag : flags)
    if (options.plan.given(flag)) return fail(Error::Code::BadInput, fmt::format("{} says nothing to study {}", flag, options.name));
  return {};
}

Result<int> run_layouts(const Options& options, const Common& common) {
  SEAM_DO(takes_none_of(options, {"--layouts", "--policy", "--shared-cap", "--footprint-cap", "--unroll", "--no-merges", "--no-epilogues", "--size", "--graph", "--step"}));
  SEAM_TRY(const planner::PlanOptions plan, plan_options(options.plan));
  SEAM_TRY(const std::filesystem::path file, bundled("bert_paper.graph"));
  SEAM_TRY(const graph::Graph layer, open_module(file));
  SEAM_TRY(const auto compiler, codegen::Compiler::find());
  SEAM_TRY(db::CostTable costs, table_of_costs(options.plan.costs_file));
  constexpr std::uint64_t kInstructions = 80'000'000;
  const codegen::Meter meter(plan.device, compiler, costs, kInstructions);
  Progress bar(common.quiet || common.format == Format::Json);
  const report::LayoutStudyRequest request{options.batch, options.sequence, options.group, options.every, !options.no_prove};
  SEAM_TRY(const report::LayoutStudy study, report::layout_study(layer, request, meter, *compiler, [&](std::string_view stage) { return bar.stage(stage); }));
  bar.done();
  if (common.format == Format::Json) {
    fmt::print("{}\n", report::layout_study_json(study));
  } else {
    const report::Document document = report::layout_study_document(study);
    fmt::print("{}", common.format == Format::Markdown ? report::to_markdown(document) : report::to_text(document));
  }
  bool failed = false, open = false;
  for (const report::LayoutGroup& group : study.groups)
    for (const report::LayoutConfiguration& one : group.configurations) {
      failed = failed || one.proof == codegen::Outcome::Failed;
      open = open || one.proof == codegen::Outcome::Inconclusive;
    }
  return failed ? kFailed : open ? kInconclusive : kPass;
}

Result<int> run(const Options& options, const Common& common) {
  if (options.name == "layouts") return run_layouts(options, common);
  if (options.name != "bert-layer") return fail(Error::Code::BadInput, fmt::format("there is no study '{}'; there are bert-layer and layouts", options.name));
  SEAM_DO(takes_none_of(options, {"--group", "--every", "--no-prove", "--costs", "--size", "--graph", "--step"}));
  SEAM_TRY(const planner::PlanOptions plan, plan_options(options.plan));
  SEAM_TRY(const std::filesystem::path file, bundled("bert_paper.graph"));
  SEAM_TRY(const graph::Graph layer, open_module(file));
  SEAM_TRY(const report::BertStudy study, report::bert_study(layer, options.batch, options.sequence, plan));
  if (common.format == Format::Json) {
    fmt::print("{}\n", report::study_json(study));
    return kPass;
  }
  const report::Document document = report::study_document(study);
  fmt::print("{}", common.format == Format::Markdown ? report::to_markdown(document) : report::to_text(document));
  return kPass;
}

}  // namespace

Run define_study(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("name", options->name, "bert-layer: words and launches of \"Data Movement Is All You Need\"; layouts: three of its kernels in every order of their operands' dims")->required();
  app.add_option("--batch", options->batch, "sequences at once; the paper's is 8")->check(CLI::Range(std::int64_t{1}, kMost).description(""))->capture_default_str();
  app.add_option("--seq", options->sequence, "tokens in each; the paper's is 512")->check(CLI::Range(std::int64_t{2}, kMost).description(""))->capture_default_str();
  app.add_option("--group", options->group, "layouts: only this group (softmax, bias-relu-dropout, bias-dropout-residual-layer-norm)");
  app.add_option("--every", options->every, "layouts: only each n-th configuration")->check(CLI::Range(std::int64_t{1}, kMost).description(""))->capture_default_str();
  app.add_flag("--no-prove", options->no_prove, "layouts: count only");
  options->plan.layouts = "chosen";  // as written, products would read what no library reads
  add_plan_flags(app, options->plan);
  return [options](const Common& common) { return run(*options, common); };
}

}  // namespace seam::cli
