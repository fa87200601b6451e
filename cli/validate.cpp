/// seam validate: proves the kernels of a plan, or runs the whole planned program on given inputs and compares its outputs. Programs of other
/// compilers: validate_foreign.cpp.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "base/sha256.h"
#include "cli/command.h"
#include "codegen/program_check.h"
#include "codegen/prove.h"
#include "codegen/run.h"
#include "graph/text.h"
#include "module.h"
#include "progress.h"
#include "report/output_dir.h"
#include "report/run_file.h"
#include "report/validate_json.h"
#include "validate_foreign.h"

namespace seam::cli {
namespace {

struct Options {
  std::string module, inputs, expect, certificate, run, backend = "sim";
  std::uint64_t instructions = 0;
  std::size_t threads = 0;
  bool no_kernels = false;
  PlanFlags plan;
  ForeignFlags foreign;
};

/// `module` as it was read: the reference knows nothing of what planning did to the graph.
Result<codegen::ProgramCheck> check_program(const graph::Graph& module, const codegen::Program& program, const Options& options, bool& completed) {
  SEAM_TRY(const std::vector<Array> inputs, read_inputs(options.inputs, *program.graph));
  codegen::RunOptions run_options;
  run_options.instruction_budget = options.instructions;
  SEAM_TRY(const codegen::RunResult ran, codegen::run(program, inputs, run_options));
  if (auto stopped = not_comparable(ran.reports, ran.over_budget, ran.instructions)) return *std::move(stopped);
  completed = true;
  if (options.expect.empty()) {
    SEAM_TRY(const std::vector<Array> expected, codegen::reference_outputs(module, inputs));
    return codegen::check_outputs_at(module, inputs, *program.graph, ran.outputs, expected, {});
  }
  SEAM_TRY(const std::vector<Array> expected, read_outputs(options.expect, *program.graph, ran.outputs));
  return codegen::check_outputs_at(module, inputs, *program.graph, ran.outputs, expected, read_spreads(options.expect));
}

Result<int> run(const Options& options, const Common& common) {
  if (!options.certificate.empty()) {
    SEAM_TRY(const std::vector<std::string> problems, report::check_certificate(options.certificate));
    for (const std::string& problem : problems) fmt::print("{}\n", problem);
    if (problems.empty() && !common.quiet) fmt::print("certificate holds: every file it names has the bytes that were proven\n");
    return problems.empty() ? kPass : kFailed;
  }
  if (!options.expect.empty() && options.inputs.empty()) {
    return fail(Error::Code::BadInput, "--expect is what the program gives for --inputs, which are missing");
  }
  if (options.module.empty()) return fail(Error::Code::BadInput, "validate needs a module (or --certificate FILE)");
  if (is_foreign(options.module, options.foreign)) {
    if (!options.plan.plan_file.empty()) return fail(Error::Code::BadInput, "--plan is for a module that Seam plans, and --ptx and --launches say that another compiler did");
    return validate_foreign({options.module, options.inputs, options.expect, options.plan.device, options.run, options.instructions, options.threads, options.no_kernels, options.foreign}, common);
  }
  if (options.foreign.profile || !options.foreign.before.empty()) {
    return fail(Error::Code::BadInput, "--profile and --before are for another compiler's program (--ptx and --launches, or a dump folder)");
  }
  if (options.backend != "sim") {
    return fail(Error::Code::Unsupported, fmt::format("backend '{}' is not part of this version; 'sim' is", options.backend));
  }
  SEAM_TRY(const graph::Graph module, open_module(options.module, options.plan.module));
  SEAM_TRY(const Planned planned_module, planned(module, options.plan));
  SEAM_TRY(const auto compiler, codegen::Compiler::find());
  const auto assembler = codegen::Assembler::find();  // optional: without it registers are unknown
  Progress bar(common.quiet || common.format == Format::Json);
  SEAM_TRY(const codegen::Program program, codegen::build(planned_module.graph, planned_module.plan, planned_module.options.device, *compiler,
                                                          bar.stage("compiling kernels"), options.threads, assembler ? assembler->get() : nullptr));
  std::vector<codegen::Verdict> verdicts;
  if (!options.no_kernels) {
    SEAM_TRY(verdicts, codegen::prove_all(program, {}, bar.stage("proving kernels"), options.threads));
  }
  codegen::ProgramCheck check;
  bool completed = false;
  if (!options.inputs.empty()) {
    SEAM_TRY(check, check_program(module, program, options, completed));
  }
  bar.done();
  if (!options.run.empty()) {
    const std::string_view name = std::string_view(options.module).substr(options.module.find_last_of('/') + 1);
    SEAM_DO(report::write_run_file({planned_module.graph, planned_module.plan, program, verdicts, planned_module.options.device, completed, fmt::format("seam validate {}", name), std::string("seam ") + SEAM_VERSION,
                                    program.compiler, sha256(graph::print_graph(planned_module.graph)), {}}, options.run));
  }
  const codegen::Outcome outcome = report::overall(verdicts, check);
  if (common.format == Format::Json) {
    fmt::print("{}\n", report::validate_json(verdicts, check));
  } else {
    fmt::print("{}", report::validate_text(verdicts, check, common.format == Format::Markdown));
  }
  return exit_of_outcome(outcome);
}

}  // namespace

Run define_validate(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("module", options->module, "an HLO or .graph module; with --ptx and --launches an optimized one, or a folder that --xla_dump_to filled");
  app.add_option("--plan", options->plan.plan_file, "a .plan for it (default: plan it now)");
  add_plan_flags(app, options->plan);
  app.add_option("--inputs", options->inputs, "folder with in<k>.npy: run the whole planned program on them");
  app.add_option("--expect", options->expect, "folder with out<k>.npy to compare with (default: the reference evaluator)");
  app.add_option("--backend", options->backend, "where kernels run: sim")->capture_default_str();
  app.add_option("--instructions", options->instructions, "thread instructions the whole program may take (0: no limit)");
  app.add_option("--threads", options->threads, "kernels proven at once (0: all cores)");
  app.add_flag("--no-kernels", options->no_kernels, "only the whole program, not each kernel");
  add_foreign_flags(app, options->foreign);
  app.add_option("-o,--run,--output", options->run, "write the program as a run here (.seam), for analyze, diff and sql: a row per launch, bytes simulated, times modelled");
  app.add_option("--certificate", options->certificate, "check that the files a certificate.json names are those that were proven");
  return [options](const Common& common) { return run(*options, common); };
}

}  // namespace seam::cli
