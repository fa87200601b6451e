/// seam validate OPTIMIZED.hlo --ptx DIR --launches FILE, or seam validate DUMP_FOLDER: another compiler's kernels and program on the simulator.
#include "validate_foreign.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>

#include "base/device.h"
#include "codegen/foreign.h"
#include "module.h"
#include "progress.h"
#include "report/foreign.h"

namespace seam::cli {
namespace {

Result<codegen::ForeignProgram> open_program(const ForeignRequest& request) {
  const ForeignFlags& flags = request.flags;
  if (std::filesystem::is_directory(request.input)) {
    if (!flags.ptx.empty() || !flags.launches.empty())
      return fail(Error::Code::BadInput, "a dump folder holds its PTX and launches: --ptx and --launches are for a module's file");
    return codegen::read_dump(request.input, flags.module);
  }
  if (flags.ptx.empty() || flags.launches.empty())
    return fail(Error::Code::BadInput, "another compiler's program is a module, its PTX (--ptx) and its launch list (--launches)");
  return codegen::read_foreign(request.input, flags.ptx, flags.launches);
}

Result<codegen::ProgramCheck> checked(const ForeignRequest& request, const codegen::ForeignProgram& program, const std::optional<graph::Graph>& before,
                                      const std::vector<Array>& inputs, const codegen::ForeignRun& ran) {
  if (auto stopped = not_comparable(ran.reports, ran.over_budget, ran.instructions)) return *std::move(stopped);
  const graph::Graph& precise = before ? *before : program.graph;
  const codegen::Arithmetic arithmetic = codegen::arithmetic(program);
  if (request.expect.empty()) {
    SEAM_TRY(const std::vector<Array> expected, codegen::reference_outputs(program.graph, inputs));
    return codegen::check_outputs_at(program.graph, inputs, precise, ran.outputs, expected, {}, arithmetic);
  }
  SEAM_TRY(const std::vector<Array> expected, read_outputs(request.expect, program.graph, ran.outputs));
  return codegen::check_outputs_at(program.graph, inputs, precise, ran.outputs, expected, read_spreads(request.expect), arithmetic);
}

std::string command_of(const ForeignRequest& request) {
  const auto short_name = [](const std::string& path) { return std::filesystem::path(path).filename().string(); };
  std::string out = "seam validate " + short_name(request.input);
  if (!request.flags.ptx.empty()) out += " --ptx " + short_name(request.flags.ptx) + " --launches " + short_name(request.flags.launches);
  return out + " --inputs " + short_name(request.inputs);
}

}  // namespace

void add_foreign_flags(CLI::App& app, ForeignFlags& flags) {
  app.add_option("--ptx", flags.ptx, "another compiler's program: folder with its .ptx files, or one file with all kernels");
  app.add_option("--launches", flags.launches, "another compiler's program: its launch list (a table, or XLA's …thunk_sequence.txt)");
  app.add_option("--before", flags.before,
                 "the module before optimization: constants that the optimized text leaves out, and what tolerances depend on");
  app.add_option("--module", flags.module, "which module of a dump folder (module_0001.jit_step)");
  app.add_flag("--profile", flags.profile, "only run each kernel once and count: no values, so that real shapes are quick");
}

bool is_foreign(const std::string& input, const ForeignFlags& flags) {
  return !flags.ptx.empty() || !flags.launches.empty() || !flags.module.empty() || std::filesystem::is_directory(input);
}

Result<int> validate_foreign(const ForeignRequest& request, const Common& common) {
  const ForeignFlags& flags = request.flags;
  if (flags.profile && !request.inputs.empty())
    return fail(Error::Code::BadInput, "--profile runs kernels alone; with --inputs the whole program runs");
  if (!request.run.empty() && request.inputs.empty())
    return fail(Error::Code::BadInput, "--run is the run of the whole program, which needs --inputs where another compiler made it");
  if (request.no_kernels && request.inputs.empty()) return fail(Error::Code::BadInput, "--no-kernels leaves nothing to do without --inputs");
  SEAM_TRY(const Device device, device_named(request.device));
  Progress bar(common.quiet || common.format == Format::Json);
  const auto reading = bar.stage("reading kernels");
  SEAM_TRY(codegen::ForeignProgram program, open_program(request));
  std::optional<graph::Graph> before;
  if (!flags.before.empty()) {
    SEAM_TRY(before, open_module(flags.before));
    codegen::take_constants(program, *before);
  }

  std::vector<codegen::ForeignCheck> alone;
  std::vector<codegen::ForeignProfile> profiles;
  std::optional<codegen::ForeignRun> ran;
  codegen::ProgramCheck check;
  if (flags.profile) {
    const auto counting = bar.stage("counting kernels");
    codegen::ProfileOptions options;
    options.threads = request.threads;
    if (request.instructions > 0) options.most_instructions = request.instructions;
    profiles = codegen::profile_kernels(program, options);
  } else if (!request.no_kernels) {
    const auto checking = bar.stage("checking kernels");
    alone = codegen::check_kernels(program, {}, request.threads);
  }
  if (!request.inputs.empty()) {
    const auto running = bar.stage("running the program");
    SEAM_TRY(const std::vector<Array> inputs, read_inputs(request.inputs, program.graph));
    codegen::ForeignOptions options;
    options.check_kernels = !request.no_kernels;
    options.instruction_budget = request.instructions;
    SEAM_TRY(ran, codegen::run(program, inputs, options));
    SEAM_TRY(check, checked(request, program, before, inputs, *ran));
  }
  bar.done();
  const report::ForeignReport report = report::foreign_report(program, alone, profiles, ran ? &*ran : nullptr, check);
  if (!request.run.empty()) {
    SEAM_DO(report::write_foreign_run(program, *ran, report, {command_of(request), std::string("seam ") + SEAM_VERSION, device}, request.run));
  }
  fmt::print("{}",
             common.format == Format::Json ? report::foreign_json(report) + "\n" : report::foreign_text(report, common.format == Format::Markdown));
  return exit_of_outcome(report.outcome());
}

}  // namespace seam::cli
