/// seam demo: optimize the bundled BERT-large encoder layer training step, into a folder with a page to open.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "bundled.h"
#include "optimize_run.h"

namespace seam::cli {
namespace {

constexpr const char* kModule = "bert_layer.step.hlo";

}  // namespace

Run define_demo(CLI::App& app) {
  auto flags = std::make_shared<OptimizeFlags>();
  flags->output = "seam-demo";
  app.add_option("-o,--output", flags->output, "folder for plan, kernels, page, run and certificate")->capture_default_str();
  add_optimize_flags(app, *flags);
  return [flags](const Common& common) -> Result<int> {
    SEAM_TRY(const std::filesystem::path module, bundled(kModule));
    OptimizeFlags all = *flags;
    all.input = module.string();
    if (!common.quiet && common.format == Format::Text) {
      fmt::print("One training step of a BERT-large encoder layer: forward, backward and Adam; batch 8 x 512 tokens, f16 with f32 master weights.\n\n");
    }
    return run_optimize(all, fmt::format("seam demo --device {} -o DIR", all.plan.device), common);
  };
}

}  // namespace seam::cli
