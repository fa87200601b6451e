/// seam diff: two runs beside each other; exit 1 for a regression, 4 where the data cannot tell.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.h"
#include "open_run.h"
#include "report/render.h"
#include "report/run_diff.h"

namespace seam::cli {
namespace {

struct Options {
  std::string before, after;
  std::size_t rows = 20;
  bool why = false;
};

Result<int> run(const Options& options, const Common& common) {
  SEAM_TRY(const OpenRun a, OpenRun::open(options.before, common));
  SEAM_TRY(const OpenRun b, OpenRun::open(options.after, common));
  SEAM_TRY(const report::RunReport before, during("reading " + options.before, report::run_report(a.database())));
  SEAM_TRY(const report::RunReport after, during("reading " + options.after, report::run_report(b.database())));
  if (before.timeline.work.empty() || after.timeline.work.empty()) return fail(Error::Code::BadInput, "a run without recorded work on a device cannot be compared");
  report::RunDiff diff = report::run_diff(before, after);
  const bool all = common.verbose > 0 || common.format == Format::Json;
  if (options.why) SEAM_DO(report::explain(diff, a.database(), b.database(), all ? 0 : options.rows));
  if (common.format == Format::Json) {
    fmt::print("{}\n", report::diff_json(diff));
  } else {
    const report::Document document = report::diff_document(diff, common.verbose > 0 ? 0 : options.rows);
    fmt::print("{}", common.format == Format::Markdown ? report::to_markdown(document) : report::to_text(document));
  }
  switch (diff.verdict) {
    case report::DiffVerdict::Pass: return kPass;
    case report::DiffVerdict::Regression: return kFailed;
    case report::DiffVerdict::Inconclusive: return kInconclusive;
  }
  return kInconclusive;
}

}  // namespace

Run define_diff(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("before", options->before, "a .seam run or a trace")->required();
  app.add_option("after", options->after, "the one that is held against it")->required();
  app.add_option("--rows", options->rows, "rows of the table of kernels")->capture_default_str();
  app.add_flag("--why", options->why, "name the ops, annotations and steps under which launches came or went, with SQL for their rows");
  return [options](const Common& common) { return run(*options, common); };
}

}  // namespace seam::cli
