#include "planner/pipeline.h"
#include "report/layouts.h"
#include "report/optimize.h"

#include <fmt/core.h>

#include <chrono>
#include <filesystem>
#include <utility>

#include "base/sha256.h"
#include "base/units.h"
#include "graph/cuts.h"
#include "graph/text.h"
#include "pipeline/stages.h"

namespace seam::report {
namespace {

class Stopwatch {
 public:
  explicit Stopwatch(double& seconds) : seconds_(seconds), start_(std::chrono::steady_clock::now()) {}
  ~Stopwatch() { seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& seconds_;
  std::chrono::steady_clock::time_point start_;
};

Result<graph::Graph> read(const OptimizeRequest& request, Seconds& seconds) {
  const Stopwatch watch(seconds.read);
  if (request.module) return *request.module;
  return graph::read_graph(request.text, request.file, request.torch);
}

Result<void> plan_all(Optimized& out, const graph::Graph& module, const OptimizeRequest& request) {
  const Stopwatch watch(out.seconds.plan);
  SEAM_TRY(planner::Planning planning, planner::plan_module(module, request.options));
  out.graph = std::make_unique<const graph::Graph>(std::move(planning.graph));
  out.plan = std::make_unique<const planner::Plan>(std::move(planning.plan));
  SEAM_TRY(out.layouts, layout_reasons(module, request.options, *out.plan));
  for (const std::string& policy : request.compare) {
    if (policy == request.options.policy) continue;
    planner::PlanOptions options = request.options;
    options.policy = policy;
    if (auto other = planner::plan_module(module, options)) {
      out.baselines.push_back(std::move(other->plan));
    } else {
      out.warnings.push_back({"no-baseline", "policy " + policy + " has no plan for this module: " + other.error().message});
    }
  }
  return {};
}

/// Compiler and assembler, and what their absence or age means for the result.
Tools find_tools(Optimized& out, const OptimizeRequest& request) {
  Tools tools;
  const auto compiler = request.find_compiler();
  if (!compiler) {
    tools.no_compiler = compiler.error().message;
    out.warnings.push_back({"no-compiler", tools.no_compiler});
    return tools;
  }
  tools.compiler = *compiler;
  const Device& device = request.options.device;
  out.compiler = tools.compiler->version();
  out.ptx_target = tools.compiler->target(device.compute_major, device.compute_minor);
  if (out.ptx_target != device.compute_major * 10 + device.compute_minor) {
    out.warnings.push_back({"ptx-target", fmt::format("{} no longer knows compute capability {}.{}: the PTX is for {}.{} and later. It is proven here, but will not load on a {}; an older toolkit makes one that does.",
                                                      out.compiler, device.compute_major, device.compute_minor, out.ptx_target / 10, out.ptx_target % 10, device.name)});
  }
  if (!request.find_assembler) return tools;
  if (const auto assembler = request.find_assembler()) {
    tools.assembler = *assembler;
    out.assembler = tools.assembler->version();
  } else {
    out.warnings.push_back({"no-assembler", assembler.error().message});
  }
  return tools;
}

}  // namespace

Result<Optimized> optimize(const OptimizeRequest& request, const Observer& observer) {
  const Watch watch(observer);
  Optimized out;
  out.input = std::filesystem::path(request.file).filename().string();
  out.command = request.command;
  out.tool = request.tool;
  out.options = request.options;
  out.proving = request.proving;
  SEAM_TRY(const graph::Graph module, read(request, out.seconds));
  if (const std::int64_t cuts = graph::cuts(module); cuts > 0)
    out.warnings.push_back({"cut-writes", fmt::format("what operators wrote into {}, through views that cannot be followed, is not in this graph; its readers take it from outside. Kernels are proven; the program is not the one that was recorded", counted(cuts, "tensor"))});
  SEAM_TRY(out.compilers, compiler_results(request.compilers, module, request.file));
  (void)watch.stage("planning");
  SEAM_DO(plan_all(out, module, request));
  out.module_sha256 = sha256(graph::print_graph(*out.graph));

  const Tools tools = find_tools(out, request);
  build_kernels(out, tools, request.threads, watch);
  if (request.prove) {
    {
      const Stopwatch proving(out.seconds.prove);
      prove_kernels(out, request.threads, watch);
    }
    const Stopwatch running(out.seconds.run);
    run_program(out, module, request, watch);
  } else {
    out.run.check = {codegen::Outcome::NotRun, "proofs were not asked for (--no-prove)", {}};
  }
  if (const std::vector<NamedProgram> theirs = with_kernels(request.compilers, out.compilers); !theirs.empty() && !watch.cancelled()) {
    const Stopwatch counting(out.seconds.count);
    out.beside = side_by_side(theirs, out.program, request.options.device, {.threads = request.threads}, [&](std::string_view stage) { return watch.stage(stage); });
  }
  out.cancelled = watch.cancelled();
  return out;
}

}  // namespace seam::report
