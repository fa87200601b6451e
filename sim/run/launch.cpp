#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "memory/bits.h"
#include "ops/isa.h"
#include "run/approximate.h"
#include "run/profile.h"
#include "run/scheduler.h"
#include "sim/sim.h"

namespace seam::sim {
namespace {

// What any GPU since compute capability 7.0 allows.
constexpr std::uint64_t kMostThreads = 1024;
constexpr std::int64_t kMostShared = 227 * 1024;
/// Cooperative blocks are all resident: more than any GPU holds is a wrong launch.
constexpr std::uint64_t kMostResident = 32 * 256;

Result<const Program*> program_of(const Module& module, const std::string& kernel) {
  for (const Program& program : module.programs) {
    if (program.info.name == kernel) return &program;
  }
  std::string names;
  for (const Program& program : module.programs) {
    names += (names.empty() ? "" : ", ") + program.info.name;
  }
  return fail(Error::Code::NotFound,
              fmt::format("kernel {} is not in {}; it has: {}", kernel, module.file, names));
}

Result<void> check_shape(const Program& program, const Launch& launch) {
  const auto bad = [&](std::string what) {
    return fail(Error::Code::BadInput, fmt::format("launch of {}: {}", program.info.name, what));
  };
  const Dim3& block = launch.block;
  const Dim3& grid = launch.grid;
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  if (block.x > 1024 || block.y > 1024 || block.z > 64 || threads == 0 || threads > kMostThreads) {
    return bad(fmt::format("a block of {} x {} x {} threads", block.x, block.y, block.z));
  }
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.x > INT32_MAX || grid.y > 65535 ||
      grid.z > 65535) {
    return bad(fmt::format("a grid of {} x {} x {} blocks", grid.x, grid.y, grid.z));
  }
  const auto& want = program.info.required_threads;
  if (want[0] != 0 && (static_cast<std::uint32_t>(want[0]) != block.x ||
                       static_cast<std::uint32_t>(want[1]) != block.y ||
                       static_cast<std::uint32_t>(want[2]) != block.z)) {
    return bad(fmt::format("the kernel requires blocks of {} x {} x {}, got {} x {} x {}", want[0],
                           want[1], want[2], block.x, block.y, block.z));
  }
  if (program.info.max_threads != 0 &&
      threads > static_cast<std::uint64_t>(program.info.max_threads)) {
    return bad(fmt::format("{} threads a block; its launch bounds allow {}", threads,
                           program.info.max_threads));
  }
  if (launch.dynamic_shared < 0 ||
      launch.dynamic_shared + program.info.static_shared > kMostShared) {
    return bad(fmt::format("{} bytes of shared memory ({} static); a block can have {}",
                           launch.dynamic_shared + program.info.static_shared,
                           program.info.static_shared, kMostShared));
  }
  if (launch.parameters.size() != static_cast<std::size_t>(program.parameter_bytes)) {
    return bad(fmt::format("a parameter block of {} bytes; the kernel has {}",
                           launch.parameters.size(), program.parameter_bytes));
  }
  const std::uint64_t total = std::uint64_t{grid.x} * grid.y * grid.z;
  for (const std::uint64_t one : launch.blocks) {
    if (one >= total) return bad(fmt::format("block {} is not in the grid of {}", one, total));
  }
  if (launch.cooperative &&
      (launch.blocks.empty() ? total : launch.blocks.size()) > kMostResident) {
    return bad(fmt::format("a cooperative launch of {} blocks can not be resident", total));
  }
  return {};
}

/// log2 of the bytes of a race cell: the smallest access there is, at most 4.
int cell_shift(int smallest) { return smallest >= 4 ? 2 : smallest == 2 ? 1 : 0; }

void collect(Execution& execution, Outcome& out) {
  Counters& counters = execution.counters;
  for (const Buffer* buffer : execution.used) {
    Outcome::Touched touched;
    touched.address = buffer->address;
    for (const std::uint32_t index : buffer->touched()) {
      const ChunkBits& chunk = buffer->bits(index);
      for (std::size_t i = 0; i < std::size(chunk.read); ++i) {
        counters.footprint_read += chunk.read[i] != 0;
        counters.footprint_written += chunk.written[i] != 0;
      }
      touched.distinct_bytes_read += ones(chunk.read, std::size(chunk.read));
      touched.distinct_bytes_written += ones(chunk.written, std::size(chunk.written));
    }
    counters.distinct_bytes_read += touched.distinct_bytes_read;
    counters.distinct_bytes_written += touched.distinct_bytes_written;
    out.touched.push_back(touched);
  }
  std::ranges::sort(out.touched, {}, &Outcome::Touched::address);
}

}  // namespace

Result<Outcome> launch(const Module& module, Memory& memory, const Launch& launch,
                       const Checks& checks) {
  SEAM_TRY(const Program* program, program_of(module, launch.kernel));
  if (auto fits = check_shape(*program, launch); !fits) return tl::unexpected(fits.error());
  std::optional<Perturbed> perturbed;
  if (checks.ulp != 0) {
    if (checks.ulp < 0 && checks.ulp != kDocumentedUlp) return fail(Error::Code::BadInput, fmt::format("an error of {} units in the last place", checks.ulp));
    perturbed.emplace(*program, checks.ulp, checks.seed);
    program = &perturbed->program;
  }
  Execution execution(module, *program, memory.impl(), launch, checks);
  if (perturbed) execution.perturbed = &*perturbed;
  if (checks.profile) execution.executed.resize(program->code.size());
  execution.globals = &memory.impl().globals_of(module);
  execution.stamp = ++memory.impl().launches;
  execution.threads = launch.block.x * launch.block.y * launch.block.z;
  execution.shared_shift = cell_shift(program->smallest_shared);
  execution.global_shift = cell_shift(program->smallest_global);
  execution.interleaved = launch.cooperative;
  execution.cell_loops = &cell_loops(program->wide);
  if (checks.max_instructions != 0) execution.instruction_limit = checks.max_instructions;
  run_blocks(execution);
  Outcome out;
  collect(execution, out);
  out.counters = execution.counters;
  out.reports = execution.reports.take();
  out.dropped_reports = execution.reports.dropped();
  out.notes = execution.notes.take();
  out.profile = profile_of(*program, execution.executed);
  return out;
}

std::vector<KernelInfo> kernels(const Module& module) {
  std::vector<KernelInfo> out;
  for (const Program& program : module.programs) out.push_back(program.info);
  return out;
}

}  // namespace seam::sim
