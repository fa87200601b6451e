/// seam optimize: the whole path, module → proven kernels and a page.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "base/files.h"
#include "interrupt.h"
#include "graph/text.h"
#include "layouts.h"
#include "optimize_run.h"
#include "progress.h"
#include "report/optimize.h"
#include "report/optimize_json.h"
#include "report/output_dir.h"
#include "report/render.h"
#include "report/summary.h"
#include "report/validate_json.h"

namespace seam::cli {
namespace {

constexpr int kInterrupted = 130;

/// DESIGN section 12: a program too large to be run here is no failure as long as every kernel passed.
int exit_code(const report::Optimized& optimized, const OptimizeFlags& flags) {
  if (optimized.cancelled) return kInterrupted;
  const codegen::ProgramCheck& program = optimized.run.check;
  const report::VerdictCounts counts = report::count(optimized.verdicts);
  if (counts.failed > 0 || program.outcome == codegen::Outcome::Failed) return kFailed;
  if (counts.inconclusive > 0 && !flags.allow_inconclusive) return kInconclusive;
  return kPass;
}

/// The flags that change the result, as typed.
std::string command_of(const OptimizeFlags& flags) {
  std::string out = "seam optimize " + std::filesystem::path(flags.input).filename().string();
  out += " --device " + flags.plan.device;
  if (flags.plan.policy != "stitch") out += " --policy " + flags.plan.policy;
  if (flags.plan.shared_cap != 0) out += fmt::format(" --shared-cap {}", flags.plan.shared_cap);
  if (flags.plan.footprint_cap != 0) out += fmt::format(" --footprint-cap {}", flags.plan.footprint_cap);
  if (flags.plan.unroll) out += " --unroll";
  if (flags.plan.layouts != PlanFlags{}.layouts) out += " --layouts " + flags.plan.layouts;
  if (flags.plan.no_merges) out += " --no-merges";
  if (flags.plan.no_epilogues) out += " --no-epilogues";
  if (flags.plan.module.step >= 0) out += fmt::format(" --step {}", flags.plan.module.step);
  for (const std::string& size : flags.plan.module.sizes) out += " --size " + size;
  if (!flags.plan.module.graph.empty()) out += fmt::format(" --graph '{}'", flags.plan.module.graph);
  for (const auto& [flag, files] : {std::pair{"--compare", &flags.compare.compare}, {"--ptx", &flags.compare.ptx}, {"--launches", &flags.compare.launches}})
    for (const std::string& file : *files) out += fmt::format(" {} {}", flag, std::filesystem::path(file).filename().string());
  if (flags.no_prove) out += " --no-prove";
  if (flags.no_prove && flags.registers) out += " --registers";
  if (flags.input_sets != OptimizeFlags{}.input_sets) out += fmt::format(" --input-sets {}", flags.input_sets);
  if (flags.instructions != OptimizeFlags{}.instructions) out += fmt::format(" --instructions {}", flags.instructions);
  return out + " -o DIR";
}

}  // namespace

void add_optimize_flags(CLI::App& app, OptimizeFlags& flags) {
  add_plan_flags(app, flags.plan);
  add_compare_flags(app, flags.compare);
  app.add_flag("--no-prove", flags.no_prove, "plan, write and compile only: every verdict is inconclusive");
  app.add_flag("--registers", flags.registers, "with --no-prove: assemble the kernels all the same, for registers and spills");
  app.add_option("--threads", flags.threads, "kernels compiled and proven at once (0: all cores)");
  app.add_option("--input-sets", flags.input_sets, "inputs each kernel is proven on")->capture_default_str()->check(CLI::Range(1, 100));
  app.add_option("--instructions", flags.instructions, "thread instructions simulated per kernel and input set; larger grids are sampled")->capture_default_str();
  app.add_flag("--allow-inconclusive", flags.allow_inconclusive, "exit 0 also if a kernel's proof is inconclusive");
}

Result<int> run_optimize(const OptimizeFlags& flags, const std::string& command, const Common& common) {
  report::OptimizeRequest request;
  SEAM_TRY(const bool recorded, is_recorded(flags.input));
  if (recorded) {
    SEAM_TRY(request.module, open_module(flags.input, flags.plan.module));
  } else {
    SEAM_TRY(request.text, read_file(flags.input));
  }
  request.file = flags.input;
  SEAM_TRY(request.torch, torch_options(flags.plan.module));
  SEAM_TRY(request.compilers, compared_with(flags.compare, flags.input));
  request.command = command;
  request.tool = std::string("seam ") + SEAM_VERSION;
  if (flags.plan.layouts == kSimulatedLayouts) {
    SEAM_TRY(const graph::Graph module, open_module(flags.input, flags.plan.module));
    SEAM_TRY(request.options, plan_options_for(module, flags.plan));
  } else {
    SEAM_TRY(request.options, plan_options(flags.plan));
  }
  request.proving.input_sets = flags.input_sets;
  request.proving.instruction_budget = flags.instructions;
  request.prove = !flags.no_prove;
  if (flags.no_prove && !flags.registers) request.find_assembler = {};
  request.threads = flags.threads;

  const Interrupt interrupt;
  Progress bar(common.quiet || common.format == Format::Json);
  report::Observer observer;
  observer.stage = [&](std::string_view stage) { return bar.stage(stage); };
  observer.cancelled = [] { return Interrupt::asked(); };
  SEAM_TRY(const report::Optimized optimized, report::optimize(request, observer));
  if (!flags.output.empty()) {
    (void)bar.stage("writing files");
    SEAM_DO(during("writing " + flags.output, report::write_output(optimized, flags.output)));
  }
  bar.done();

  if (common.format == Format::Json) {
    fmt::print("{}\n", report::optimize_json(optimized));
    return exit_code(optimized, flags);
  }
  const report::Document summary = report::summary(optimized, common.verbose);
  fmt::print("{}", common.format == Format::Markdown ? report::to_markdown(summary) : report::to_text(summary));
  if (!flags.output.empty() && !common.quiet) {
    fmt::print("\n{}\n", (std::filesystem::path(flags.output) / "report.html").string() + " tells it all; certificate.json says what was proven.");
  }
  return exit_code(optimized, flags);
}

Run define_optimize(CLI::App& app) {
  auto flags = std::make_shared<OptimizeFlags>();
  app.add_option("input", flags->input, "a module: HLO, .graph, a graph of PyTorch's compiler, or a trace")->required();
  app.add_option("-o,--output", flags->output, "folder for plan, kernels, page, run and certificate");
  add_optimize_flags(app, *flags);
  return [flags](const Common& common) { return run_optimize(*flags, command_of(*flags), common); };
}

}  // namespace seam::cli
