/// seam study: a published result recounted, beside what was published and what Seam makes of the same program.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "bundled.h"
#include "cli/command.h"
#include "module.h"
#include "report/render.h"
#include "report/study.h"

namespace seam::cli {
namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 24;

struct Options {
  std::string name;
  std::int64_t batch = 8, sequence = 512;
  PlanFlags plan;
};

Result<int> run(const Options& options, const Common& common) {
  if (options.name != "bert-layer") return fail(Error::Code::BadInput, fmt::format("there is no study '{}'; there is bert-layer", options.name));
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
  app.add_option("name", options->name, "bert-layer: words and launches of \"Data Movement Is All You Need\"")->required();
  app.add_option("--batch", options->batch, "sequences at once; the paper's is 8")->check(CLI::Range(std::int64_t{1}, kMost).description(""))->capture_default_str();
  app.add_option("--seq", options->sequence, "tokens in each; the paper's is 512")->check(CLI::Range(std::int64_t{2}, kMost).description(""))->capture_default_str();
  add_plan_flags(app, options->plan);
  return [options](const Common& common) { return run(*options, common); };
}

}  // namespace seam::cli
