#include "codegen/program.h"

#include <fmt/core.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <optional>
#include <utility>

#include "base/parallel.h"

namespace seam::codegen {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

}  // namespace

Result<Built> lower_group(const graph::Graph& graph, const planner::Plan& plan, std::size_t c, std::size_t g) {
  const planner::ComputationPlan& part = plan.computations[c];
  const planner::FusionGroup& group = part.groups[g];
  SEAM_TRY(const Kernel kernel, during(fmt::format("lowering group {}", group.name),
                                       lower(graph, graph.computations[part.computation], group)));
  Built built;
  built.computation = c;
  built.group = g;
  built.ir = print(kernel);
  built.source = emit(kernel);
  return built;
}

Result<void> compile(Built& built, const Device& device, const Compiler& compiler) {
  const std::string& name = built.source.name;
  SEAM_TRY(built.ptx, during(fmt::format("compiling kernel {}", name),
                             compiler.compile(built.source.cuda, name + ".cu", device.compute_major, device.compute_minor)));
  SEAM_TRY(built.module, during(fmt::format("reading the PTX of kernel {}", name), sim::load_ptx(built.ptx, name + ".ptx")));
  return {};
}

Result<void> assemble(Built& built, const Device& device, const Compiler& compiler, const Assembler& assembler) {
  SEAM_TRY(built.resources, during(fmt::format("assembling kernel {}", built.source.name),
                                   assembler.resources(built.ptx, built.source.name, compiler.target(device.compute_major, device.compute_minor))));
  return {};
}

Result<Program> build(const graph::Graph& graph, const planner::Plan& plan, const Device& device, const Compiler& compiler,
                      const Progress& progress, std::size_t threads, const Assembler* assembler) {
  Program program{&graph, &plan, {}, compiler.version(), 0, 0};
  std::vector<std::pair<std::size_t, std::size_t>> jobs;
  for (std::size_t c = 0; c < plan.computations.size(); ++c) {
    program.kernels.emplace_back(plan.computations[c].groups.size());
    for (std::size_t g = 0; g < plan.computations[c].groups.size(); ++g) jobs.emplace_back(c, g);
  }
  auto start = Clock::now();
  for (const auto& [c, g] : jobs) {
    SEAM_TRY(program.kernels[c][g], lower_group(graph, plan, c, g));
  }
  program.lower_seconds = seconds_since(start);

  start = Clock::now();
  std::vector<std::optional<Error>> errors(jobs.size());
  std::atomic<std::size_t> done{0};
  parallel_for(jobs.size(), threads, [&](std::size_t i) {
    Built& built = program.kernels[jobs[i].first][jobs[i].second];
    Result<void> compiled = compile(built, device, compiler);
    if (compiled && assembler != nullptr) {
      // A log that we cannot read leaves figures unknown; code that cannot be assembled is an error.
      if (auto assembled = assemble(built, device, compiler, *assembler); !assembled && assembled.error().code == Error::Code::BadInput) compiled = std::move(assembled);
    }
    if (!compiled) errors[i] = std::move(compiled).error();
    if (progress) progress(++done, jobs.size());
  });
  program.compile_seconds = seconds_since(start);
  for (std::optional<Error>& error : errors) {
    if (error) return tl::unexpected(*std::move(error));
  }
  return program;
}

std::vector<std::byte> parameter_block(const std::vector<std::uint64_t>& addresses) {
  std::vector<std::byte> block(addresses.size() * sizeof(std::uint64_t));
  if (!block.empty()) std::memcpy(block.data(), addresses.data(), block.size());
  return block;
}

}  // namespace seam::codegen
