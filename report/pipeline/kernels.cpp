#include <fmt/core.h>
#include <unistd.h>

#include <atomic>
#include <chrono>

#include "base/parallel.h"
#include "base/sha256.h"
#include "pipeline/memory_gate.h"
#include "pipeline/stages.h"

namespace seam::report {
namespace {

using codegen::Built;
using codegen::Outcome;
using codegen::Verdict;

std::vector<Built*> all_kernels(codegen::Program& program) {
  std::vector<Built*> all;
  for (auto& computation : program.kernels) {
    for (Built& built : computation) all.push_back(&built);
  }
  return all;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string one_line(const Error& error) {
  std::string text = error.message;
  for (const std::string& context : error.context) text += ", " + context;
  for (char& c : text) c = c == '\n' ? ' ' : c;
  return text;
}

/// Operands exist twice (host and simulated device), with a mark per byte, and again as numbers where they are compared.
std::int64_t proof_memory(const Built& built) {
  std::int64_t total = 0;
  for (const codegen::Argument& argument : built.source.arguments) total += argument.workspace_bytes > 0 ? argument.workspace_bytes : argument.elements * bytes(argument.dtype);
  return 4 * total;
}

std::int64_t half_of_memory() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page = ::sysconf(_SC_PAGE_SIZE);
  return pages > 0 && page > 0 ? std::int64_t{pages} * page / 2 : std::int64_t{4} << 30;
}

/// Tier 1 alone, where nothing could be compiled.
codegen::Tier check_ir(const Built& built) {
  const auto kernel = codegen::parse_kernel(built.ir, built.source.name + ".kernel");
  if (!kernel) return {Outcome::Failed, one_line(kernel.error())};
  const auto sound = codegen::verify(*kernel);
  if (!sound) return {Outcome::Failed, one_line(sound.error())};
  return {Outcome::Passed, fmt::format("{} of {} accesses proven in bounds by intervals", sound->proven, sound->accesses)};
}

void fail_kernel(Built& built, Verdict& verdict, const Error& error) {
  if (error.code == Error::Code::Cancelled) {
    verdict.sim.detail = error.message;
    return;
  }
  verdict.ir = check_ir(built);
  verdict.sim = {Outcome::Failed, one_line(error)};
  built.module = nullptr;
}

/// PTX and, where there is an assembler, resources of what could be lowered.
void compile_kernels(Optimized& out, const Tools& tools, std::size_t threads, const Watch& watch) {
  auto start = std::chrono::steady_clock::now();
  std::vector<Built*> kernels;
  std::vector<Verdict*> verdicts;
  const std::vector<Built*> all = all_kernels(out.program);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i]->ir.empty()) continue;
    kernels.push_back(all[i]);
    verdicts.push_back(&out.verdicts[i]);
  }
  const auto cancelled = [&] { return watch.cancelled(); };
  const auto compiled = codegen::compile(kernels, out.options.device, *tools.compiler, {threads, watch.stage("compiling kernels"), cancelled});
  std::vector<Built*> whole;
  std::vector<Verdict*> verdict_of;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (!kernels[i]->ptx.empty()) verdicts[i]->ptx_sha256 = sha256(kernels[i]->ptx);
    if (compiled[i]) {
      whole.push_back(kernels[i]);
      verdict_of.push_back(verdicts[i]);
    } else {
      fail_kernel(*kernels[i], *verdicts[i], compiled[i].error());
    }
  }
  out.program.compile_seconds = out.seconds.compile = seconds_since(start);
  if (tools.assembler == nullptr) return;
  start = std::chrono::steady_clock::now();
  const auto assembled = codegen::assemble(whole, out.options.device, *tools.compiler, *tools.assembler, {threads, watch.stage("assembling kernels"), cancelled});
  for (std::size_t i = 0; i < whole.size(); ++i) {
    verdict_of[i]->resources = whole[i]->resources;
    // A log that cannot be read leaves figures unknown; PTX that cannot be assembled is no kernel.
    if (!assembled[i] && assembled[i].error().code == Error::Code::BadInput) fail_kernel(*whole[i], *verdict_of[i], assembled[i].error());
  }
  out.seconds.assemble = seconds_since(start);
}

}  // namespace

void build_kernels(Optimized& out, const Tools& tools, std::size_t threads, const Watch& watch) {
  const codegen::Compiler* compiler = tools.compiler.get();
  const planner::Plan& plan = *out.plan;
  out.program.graph = out.graph.get();
  out.program.plan = out.plan.get();
  out.program.compiler = out.compiler;
  const auto start = std::chrono::steady_clock::now();
  std::size_t total = 0;
  for (const planner::ComputationPlan& computation : plan.computations) {
    out.program.kernels.emplace_back(computation.groups.size());
    total += computation.groups.size();
  }
  const codegen::Progress writing = watch.stage("writing kernels");
  for (std::size_t c = 0; c < plan.computations.size(); ++c) {
    for (std::size_t g = 0; g < plan.computations[c].groups.size(); ++g) {
      Verdict& verdict = out.verdicts.emplace_back();
      verdict.kernel = plan.computations[c].groups[g].name;
      Built& built = out.program.kernels[c][g];
      if (auto lowered = codegen::lower_group(*out.graph, plan, c, g)) {
        built = *std::move(lowered);
        verdict.cuda_sha256 = sha256(built.source.cuda);
        verdict.ir_sha256 = sha256(built.ir);
      } else {
        built.computation = c;
        built.group = g;
        built.source.name = verdict.kernel;
        verdict.ir = {Outcome::Failed, one_line(lowered.error())};
      }
      const planner::FusionGroup& group = plan.computations[c].groups[g];
      verdict.blocks = static_cast<std::uint64_t>(group.blocks());
      verdict.model_read = static_cast<std::uint64_t>(group.estimate.bytes_read);
      verdict.model_written = static_cast<std::uint64_t>(group.estimate.bytes_written);
      for (codegen::Tier* tier : {&verdict.sim, &verdict.values}) *tier = {Outcome::NotRun, "not reached"};
      verdict.host = {Outcome::NotRun, "host build is not part of this version"};
      verdict.gpu = {Outcome::NotRun, "no GPU was used"};
      if (writing) writing(out.verdicts.size(), total);
    }
  }
  out.program.lower_seconds = out.seconds.emit = seconds_since(start);

  if (compiler != nullptr) {
    compile_kernels(out, tools, threads, watch);
  } else {
    const std::vector<Built*> all = all_kernels(out.program);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i]->ir.empty()) continue;
      out.verdicts[i].ir = check_ir(*all[i]);
      out.verdicts[i].sim.detail = out.verdicts[i].values.detail = tools.no_compiler;
    }
  }
}

void prove_kernels(Optimized& out, std::size_t threads, const Watch& watch) {
  const std::vector<Built*> all = all_kernels(out.program);
  std::vector<std::size_t> ready;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i]->module != nullptr) ready.push_back(i);
  }
  if (ready.empty()) return;
  const codegen::Progress proving = watch.stage("proving kernels");
  std::atomic<std::size_t> done{0};
  MemoryGate memory(half_of_memory());
  out.prove_seconds.assign(all.size(), 0);
  parallel_for(ready.size(), threads, [&](std::size_t k) {
    const std::size_t i = ready[k];
    const MemoryGate::Pass pass(memory, proof_memory(*all[i]));
    const auto start = std::chrono::steady_clock::now();
    if (watch.cancelled()) {
      out.verdicts[i].sim.detail = "stopped before it was proven";
    } else if (auto verdict = codegen::prove(out.program, *all[i], out.proving)) {
      out.verdicts[i] = *std::move(verdict);
    } else {
      out.verdicts[i].sim = {Outcome::Inconclusive, one_line(verdict.error())};
    }
    out.prove_seconds[i] = seconds_since(start);
    if (proving) proving(++done, ready.size());
  });
}

}  // namespace seam::report
