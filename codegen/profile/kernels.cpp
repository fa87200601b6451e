#include <fmt/core.h>

#include <atomic>

#include "base/parallel.h"
#include "codegen/inputs.h"
#include "codegen/profile.h"
#include "validate/operands.h"

namespace seam::codegen {
namespace {

constexpr int kInputs = extra_set(Distribution::Usual);

LaunchProfile profile(const Program& program, const Built& built, std::uint64_t most_instructions) {
  const sim::Dim3 grid{static_cast<std::uint32_t>(built.source.grid)};
  LaunchProfile out;
  out.grid = grid;
  out.blocks = static_cast<std::uint64_t>(built.source.grid);
  if (built.module == nullptr) {
    out.refusal = Error{Error::Code::Environment, fmt::format("kernel {} is not compiled", built.source.name), {}, {}};
    return out;
  }
  Operands operands = seeded_operands(program, built, kInputs);
  out = profile_launch(
      grid,
      [&](const sim::Checks& checks, std::vector<std::uint64_t> blocks) {
        start_over(program, built, operands);
        return sim::launch(*built.module, operands.memory, launch_of(built, operands, std::move(blocks)), checks);
      },
      most_instructions,
      [&](const sim::Report& report) { return fmt::format("kernel {}: {}: {} (PTX line {})", built.source.name, report.kind, report.message, report.ptx_line); });
  out.block = {static_cast<std::uint32_t>(built.source.block)};
  out.shared_bytes = built.source.shared_bytes;
  for (const sim::KernelInfo& info : sim::kernels(*built.module))
    if (info.name == built.source.name) out.shared_bytes += info.static_shared;
  return out;
}

}  // namespace

std::vector<LaunchProfile> profile_kernels(const Program& program, const ProfileOptions& options, const Progress& progress) {
  std::vector<const Built*> all;
  for (const std::vector<Built>& computation : program.kernels)
    for (const Built& built : computation) all.push_back(&built);
  std::vector<LaunchProfile> out(all.size());
  std::atomic<std::size_t> done{0};
  parallel_for(all.size(), options.threads, [&](std::size_t i) {
    out[i] = profile(program, *all[i], options.most_instructions);
    if (progress) progress(++done, all.size());
  });
  return out;
}

}  // namespace seam::codegen
