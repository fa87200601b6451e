#include "run/trial.h"

#include <algorithm>
#include <cstring>

#include "memory/bits.h"
#include "run/scheduler.h"

namespace seam::sim {

void Trial::note(const Warp& warp, std::uint32_t lane, std::uint64_t cell, bool write) {
  constexpr std::size_t kMost = 1 << 20;
  if (++logged_ > kMost) {
    overflow = true;
    return;
  }
  log[cell].push_back({warp.thread(lane), warp.pc - 1, warp.block->segment, warp.sync_epoch, write});
}

void Trial::writes(Buffer& buffer, std::size_t offset, std::size_t length) {
  start.save(buffer, offset, length);
  for (std::size_t at = offset; at < offset + length;) {
    const std::size_t here = std::min(offset + length - at, kChunkBytes - at % kChunkBytes);
    set_bits(wrote[{&buffer, at / kChunkBytes}].data(), at % kChunkBytes, here);
    at += here;
  }
}

const std::byte* Trial::loaded(const Warp& warp, std::uint32_t lane, std::uint64_t address, std::size_t bytes, const std::byte* from, std::byte* scratch) {
  const std::byte* out = from;
  for (std::uint64_t cell = address & ~(cell_bytes_ - 1); cell < address + bytes; cell += cell_bytes_) {
    if (!cells_.contains(cell)) continue;
    note(warp, lane, cell, false);
    if (!changed.contains({warp.thread(lane), warp.pc - 1, cell})) continue;
    if (out == from) std::memcpy(scratch, from, bytes);
    out = scratch;
    const std::uint64_t begin = std::max(cell, address);
    const std::uint64_t end = std::min(cell + cell_bytes_, address + bytes);
    std::byte* at = scratch + (begin - address);
    const std::size_t count = end - begin;
    const bool zero = std::all_of(at, at + count, [](std::byte b) { return b == std::byte{0}; });
    for (std::size_t k = 0; k < count; ++k) {
      at[k] = other == Other::Flipped ? ~at[k] : zero ? std::byte{0x41} : std::byte{0};
    }
  }
  return out;
}

void Trial::stored(const Warp& warp, std::uint32_t lane, std::uint64_t address, std::size_t bytes) {
  for (std::uint64_t cell = address & ~(cell_bytes_ - 1); cell < address + bytes; cell += cell_bytes_) {
    if (cells_.contains(cell)) note(warp, lane, cell, true);
  }
}

bool run_again(Execution& execution, const Block& block, Trial& trial) {
  Launch launch = execution.launch;
  launch.cooperative = false;
  launch.blocks = {block.index};
  Checks checks = execution.checks;
  checks.initialized = checks.races = checks.barriers = checks.counters = checks.profile = false;
  checks.max_reports = 0;
  Execution again(execution.module, execution.program, execution.memory, launch, checks);
  again.globals = execution.globals;
  again.stamp = execution.stamp;
  again.threads = execution.threads;
  again.shared_shift = execution.shared_shift;
  again.global_shift = execution.global_shift;
  again.cell_loops = execution.cell_loops;
  again.perturbed = execution.perturbed;
  again.trial = &trial;
  // Other values may make a loop endless.
  constexpr std::uint64_t kSpare = 100'000;
  again.instruction_limit = 4 * execution.instructions + kSpare;
  run_blocks(again);
  return !again.faulted && again.reports.dropped() == 0;
}

}  // namespace seam::sim
