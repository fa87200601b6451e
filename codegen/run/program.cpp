#include "codegen/program.h"

#include <fmt/core.h>

#include <chrono>
#include <cstring>
#include <utility>
#include <vector>

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
  std::vector<Built*> all;
  for (const auto& [c, g] : jobs) all.push_back(&program.kernels[c][g]);
  for (Result<void>& compiled : compile(all, device, compiler, {threads, progress, {}})) SEAM_DO(std::move(compiled));
  if (assembler != nullptr) {
    // A log that we cannot read leaves figures unknown; code that cannot be assembled is an error.
    for (Result<void>& assembled : assemble(all, device, compiler, *assembler, {threads, {}, {}})) {
      if (!assembled && assembled.error().code == Error::Code::BadInput) return tl::unexpected(std::move(assembled).error());
    }
  }
  program.compile_seconds = seconds_since(start);
  return program;
}

std::vector<std::byte> parameter_block(const std::vector<std::uint64_t>& addresses) {
  std::vector<std::byte> block(addresses.size() * sizeof(std::uint64_t));
  if (!block.empty()) std::memcpy(block.data(), addresses.data(), block.size());
  return block;
}

}  // namespace seam::codegen
