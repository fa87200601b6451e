/// seam codegen: the kernels of a plan, as IR, CUDA text, PTX and launch description.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/json_out.h"
#include "base/units.h"
#include "cli/command.h"
#include "codegen/codegen.h"
#include "codegen/passes.h"
#include "codegen/program.h"
#include "module.h"
#include "report/launch.h"

namespace seam::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string module, output, kernel;
  PassOptions passes;
  bool time_passes = false;
  PlanFlags plan;
};

struct Written {
  std::vector<std::string> files;
  codegen::Source source;
};

/// Lowered by the pass options given, emitted, and compiled where there is a compiler.
struct Emitter {
  const Options& options;
  const Planned& planned;
  const codegen::Compiler* compiler;
  std::FILE* log;  ///< standard output, unless that is one JSON value and nothing else
  std::map<std::string_view, std::chrono::nanoseconds> took;

  Result<Written> one(const planner::ComputationPlan& where, const planner::FusionGroup& group, report::Optimized& facts) {
    const graph::Computation& computation = planned.graph.computations[where.computation];
    SEAM_TRY(codegen::Lowered lowered, during(fmt::format("lowering {}", group.name), codegen::lower_with(planned.graph, computation, group, options.passes)));
    for (const PassRecord& record : lowered.log) {
      took[record.name] += record.took;
      if (!record.dump.empty()) fmt::print(log, "// {} after {}{}\n{}\n", group.name, record.name, record.changed ? "" : " (unchanged)", record.dump);
    }
    codegen::Built built;
    built.ir = codegen::print(lowered.kernel);
    built.source = codegen::emit(lowered.kernel);
    if (compiler != nullptr) {
      const Device& device = planned.options.device;
      SEAM_TRY(built.ptx, during(fmt::format("compiling {}", group.name), compiler->compile(built.source.cuda, group.name + ".cu", device.compute_major, device.compute_minor)));
    }
    Written out{{}, built.source};
    if (options.output.empty()) return out;
    codegen::Verdict not_proven;
    not_proven.kernel = group.name;
    const report::KernelView view{planned.graph, where, computation, group, built, not_proven};
    const std::filesystem::path folder = std::filesystem::path(options.output) / "kernels";
    const auto write = [&](std::string_view extension, const std::string& text) -> Result<void> {
      const std::string file = group.name + std::string(extension);
      out.files.push_back("kernels/" + file);
      return write_file(folder / file, text);
    };
    if (auto ok = write(".kernel", built.ir); !ok) return tl::unexpected(ok.error());
    if (auto ok = write(".cu", built.source.cuda); !ok) return tl::unexpected(ok.error());
    if (!built.ptx.empty()) {
      if (auto ok = write(".ptx", built.ptx); !ok) return tl::unexpected(ok.error());
    }
    if (auto ok = write(".json", report::kernel_json(facts, view)); !ok) return tl::unexpected(ok.error());
    return out;
  }
};

Result<int> run(const Options& options, const Common& common) {
  SEAM_TRY(const graph::Graph module, open_module(options.module, options.plan.module));
  SEAM_TRY(const Planned planned_module, planned(module, options.plan));
  const auto compiler = codegen::Compiler::find();
  report::Optimized facts;
  facts.options = planned_module.options;
  facts.compiler = compiler ? (*compiler)->version() : std::string();
  facts.ptx_target = compiler ? (*compiler)->target(facts.options.device.compute_major, facts.options.device.compute_minor) : 0;
  Emitter emitter{options, planned_module, compiler ? compiler->get() : nullptr, common.format == Format::Json ? stderr : stdout, {}};
  Json kernels = Json::array();
  std::string text;
  for (const planner::ComputationPlan& where : planned_module.plan.computations) {
    for (const planner::FusionGroup& group : where.groups) {
      if (!options.kernel.empty() && group.name != options.kernel) continue;
      SEAM_TRY(const Written written, emitter.one(where, group, facts));
      kernels.push_back({{"name", written.source.name}, {"grid", written.source.grid}, {"block", written.source.block},
                         {"shared_bytes", written.source.shared_bytes}, {"files", written.files}});
      text += options.output.empty() && options.passes.dump_after.empty()
                  ? written.source.cuda + "\n"
                  : fmt::format("{}: {} of {} threads, {} bytes of shared memory\n", written.source.name, counted(written.source.grid, "block"),
                                written.source.block, written.source.shared_bytes);
    }
  }
  if (!options.kernel.empty() && kernels.empty()) return fail(Error::Code::NotFound, fmt::format("the plan has no kernel named {}", options.kernel));
  if (options.time_passes) {
    for (const Pass<codegen::Kernel>& pass : codegen::kPasses) {
      fmt::print(emitter.log, "{:>10.3f} ms  {}\n", std::chrono::duration<double, std::milli>(emitter.took[pass.name]).count(), pass.name);
    }
  }
  if (common.format == Format::Json) {
    const Json json = {{"schema", "seam.codegen/1"}, {"compiler", compiler ? Json(facts.compiler) : Json(nullptr)}, {"kernels", kernels}};
    fmt::print("{}\n", dumped(json));
  } else if (!common.quiet || options.output.empty()) {  // without a folder the text is the result
    fmt::print("{}", text);
    if (!compiler) fmt::print("no PTX was written: {}\n", describe(compiler.error()));
  }
  return kPass;
}

}  // namespace

Run define_codegen(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("module", options->module, "an HLO or .graph module")->required();
  add_plan_flags(app, options->plan);
  app.add_option("--plan", options->plan.plan_file, "the .plan to write kernels for (default: plan it now)");
  app.add_option("-o", options->output, "folder for kernels/<name>.{kernel,cu,ptx,json}; without it the CUDA text is printed");
  app.add_option("--kernel", options->kernel, "only this one");
  app.add_option("--dump-after", options->passes.dump_after, "print the kernel IR after these passes, or all")->delimiter(',');
  app.add_option("--skip", options->passes.skip, "passes to leave out")->delimiter(',');
  app.add_option("--stop-after", options->passes.stop_after, "the last pass to run");
  app.add_flag("--time-passes", options->time_passes, "print how long each pass took, over all kernels");
  return [options](const Common& common) { return run(*options, common); };
}

}  // namespace seam::cli
