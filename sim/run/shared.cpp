#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "memory/bits.h"
#include "run/access.h"
#include "run/races.h"

namespace seam::sim {
namespace {

bool aligned(std::uint64_t address, std::size_t bytes) { return (address & (bytes - 1)) == 0; }

bool inside(const Block& block, std::uint64_t address, std::size_t bytes) {
  if (address > block.shared.size() || bytes > block.shared.size() - address) return false;
  return block.shared_gaps.empty() || !any_set(block.shared_gaps.data(), address, bytes);
}

void note_cells(Warp& warp, std::uint32_t lane, std::uint64_t address, std::size_t bytes,
                Access access, const std::byte* value) {
  Block& block = *warp.block;
  const int shift = warp.execution->shared_shift;
  const std::size_t cell_bytes = std::size_t{1} << shift;
  for (std::size_t at = 0; at < bytes; at += cell_bytes) {
    CellUse use{access, false};
    if (value) {
      const std::size_t part = std::min(cell_bytes, bytes - at);
      use.same_value = std::memcmp(block.shared.data() + address + at, value + at, part) == 0;
    }
    use_shared_cell(warp, lane, (address + at) >> shift, use, address, bytes);
  }
}

/// Lanes of a run without contention are noted together.
bool note_run(Warp& warp, std::uint64_t address, Run run, std::size_t bytes, bool store) {
  Execution& execution = *warp.execution;
  if (!execution.checks.races) return true;
  const int shift = execution.shared_shift;
  CellAccess access;
  access.segment = warp.block->segment;
  access.first_segment = warp.block->first_segment;
  access.who = warp.thread(run.first) | warp.sync_epoch << who::kEpochShift;
  access.lane_shift = std::countr_zero(static_cast<std::uint32_t>(bytes)) - shift;
  access.count = bytes * run.count >> shift;
  const Cells cells = warp.block->cells().from(address >> shift);
  return store ? execution.cell_loops->write_shared(cells, access)
               : execution.cell_loops->read_shared(cells, access);
}

void check_in_flight(Warp& warp, std::uint32_t lane, std::uint64_t address, std::size_t bytes,
                     bool write) {
  const Block& block = *warp.block;
  if (block.in_flight == 0 || !warp.execution->checks.races) return;
  for (std::size_t k = 0; k < bytes; ++k) {
    if (!get_bit(block.shared_in_flight.data(), address + k)) continue;
    warp.execution->report(
        warp, "race-shared", lane,
        fmt::format("{} {} while a cp.async to it has not been waited for",
                    write ? "writes" : "reads", shared_place(warp, address, bytes)));
    return;
  }
}

/// Side by side: as many passes as 128-byte groups of lanes.
void count_shared_run(Execution& execution, Run run, std::size_t bytes) {
  if (!execution.checks.counters) return;
  const std::uint32_t together = lanes_a_pass(bytes);
  ++execution.counters.shared_requests;
  execution.counters.shared_wavefronts +=
      (run.first + run.count - 1) / together - run.first / together + 1;
}

void report_unwritten(Warp& warp, std::uint32_t lane, std::uint64_t address, std::size_t bytes) {
  if (warp.execution->reports.again("uninitialized", warp.pc - 1, 0)) return;
  warp.execution->report(
      warp, "uninitialized", lane,
      fmt::format("reads {} that nobody has written", shared_place(warp, address, bytes)));
}

}  // namespace

std::string shared_place(const Warp& warp, std::uint64_t address, std::size_t bytes) {
  const Program& program = *warp.program;
  const auto at = static_cast<std::int64_t>(address);
  if (at >= program.dynamic_start) {
    const std::int64_t size = warp.execution->launch.dynamic_shared;
    return fmt::format("{} bytes at byte {} of dynamic shared memory ({} bytes{})", bytes, at - program.dynamic_start, size,
                       size == 0 ? ": the launch gives it none" : "");
  }
  for (std::size_t k = program.shared_arrays.size(); k > 0; --k) {
    const auto& [begin, end] = program.shared_arrays[k - 1];
    if (at >= begin) {
      return fmt::format("{} bytes at byte {} of shared array {} ({} bytes)", bytes, at - begin, k,
                         end - begin);
    }
  }
  return fmt::format("{} bytes before the first shared array", bytes);
}

std::byte* shared_bytes(Warp& warp, std::uint32_t lane, std::uint64_t address, std::size_t bytes,
                        std::size_t alignment) {
  Block& block = *warp.block;
  if (alignment == 0) alignment = bytes;
  if (!inside(block, address, bytes)) {
    warp.execution->fault(warp, "out-of-bounds", lane,
                          "accesses " + shared_place(warp, address, bytes));
    return nullptr;
  }
  if (!aligned(address, alignment) && warp.execution->checks.memory) {
    warp.execution->fault(
        warp, "misaligned", lane,
        fmt::format("accesses {}, which is not a multiple of {}", shared_place(warp, address, bytes),
                    alignment));
    return nullptr;
  }
  return block.shared.data() + address;
}

void note_shared(Warp& warp, std::uint32_t lane, std::uint64_t address, std::size_t bytes,
                 Access access, const std::byte* value) {
  Execution& execution = *warp.execution;
  Block& block = *warp.block;
  const bool writes = access == Access::Write || access == Access::Atomic;
  check_in_flight(warp, lane, address, bytes, writes);
  if (access != Access::Write && execution.checks.initialized &&
      !all_set(block.shared_written.data(), address, bytes)) {
    report_unwritten(warp, lane, address, bytes);
  }
  if (execution.checks.races) note_cells(warp, lane, address, bytes, access, value);
  if (writes) set_bits(block.shared_written.data(), address, bytes);
}

void load_shared(Warp& warp, const Instruction& i, std::uint32_t lanes, const Addresses& at,
                 Run run, const Mover& mover) {
  Execution& execution = *warp.execution;
  Block& block = *warp.block;
  const std::size_t bytes = std::size_t{i.bytes} * i.count;
  if (run.count > 0 && block.in_flight == 0 && i.used == i.count) {
    const std::uint64_t from = at[run.first];
    const std::size_t whole = bytes * run.count;
    if (inside(block, from, whole) && aligned(from, bytes) &&
        (!execution.checks.initialized || all_set(block.shared_written.data(), from, whole)) &&
        note_run(warp, from, run, bytes, false)) {
      count_shared_run(execution, run, bytes);
      mover.span(block.shared.data() + from, warp, i, run.first, run.count);
      return;
    }
  }
  count_shared(execution, at, lanes, bytes);
  const Access access = (i.flags & kStrong) != 0 ? Access::StrongRead : Access::Read;
  const std::size_t used = std::size_t{i.bytes} * i.used;
  for (std::uint32_t l = 0; l < 32; ++l) {
    if ((lanes >> l & 1U) == 0) continue;
    std::byte* from = shared_bytes(warp, l, at[l], used, bytes);
    std::byte poison[32];
    if (!from) {
      std::memset(poison, 0xff, sizeof poison);
      from = poison;
    } else {
      note_shared(warp, l, at[l], used, access, nullptr);
    }
    mover.lane(from, warp, i, l);
  }
}

void store_shared(Warp& warp, const Instruction& i, std::uint32_t lanes, const Addresses& at,
                  Run run, const Mover& mover) {
  Execution& execution = *warp.execution;
  Block& block = *warp.block;
  const std::size_t bytes = std::size_t{i.bytes} * i.count;
  if (run.count > 0 && block.in_flight == 0) {
    const std::uint64_t from = at[run.first];
    const std::size_t whole = bytes * run.count;
    if (inside(block, from, whole) && aligned(from, bytes) &&
        note_run(warp, from, run, bytes, true)) {
      count_shared_run(execution, run, bytes);
      set_bits(block.shared_written.data(), from, whole);
      mover.span(block.shared.data() + from, warp, i, run.first, run.count);
      return;
    }
  }
  count_shared(execution, at, lanes, bytes);
  const Access access = (i.flags & kStrong) != 0 ? Access::Atomic : Access::Write;
  for (std::uint32_t l = 0; l < 32; ++l) {
    if ((lanes >> l & 1U) == 0) continue;
    std::byte* to = shared_bytes(warp, l, at[l], bytes);
    if (!to) continue;
    std::byte value[32];
    mover.lane(value, warp, i, l);
    note_shared(warp, l, at[l], bytes, access, value);
    std::memcpy(to, value, bytes);
  }
}

void access_local(Warp& warp, const Instruction& i, std::uint32_t lanes, const Addresses& at,
                  const Mover& mover) {
  const std::size_t bytes = std::size_t{i.bytes} * i.count;
  const auto frame = static_cast<std::uint64_t>(warp.program->local_bytes);
  for (std::uint32_t l = 0; l < 32; ++l) {
    if ((lanes >> l & 1U) == 0) continue;
    if (at[l] > frame || bytes > frame - at[l]) {
      warp.execution->fault(warp, "out-of-bounds", l,
                            fmt::format("accesses {} bytes at byte {} of local memory ({} bytes)",
                                        bytes, at[l], frame));
      continue;
    }
    mover.lane(warp.local + l * frame + at[l], warp, i, l);
  }
}

void load_parameter(Warp& warp, const Instruction& i, std::uint32_t lanes, const Addresses& at,
                    const Mover& mover) {
  const std::size_t bytes = std::size_t{i.bytes} * i.count;
  const std::vector<std::byte>& parameters = warp.execution->launch.parameters;
  for (std::uint32_t l = 0; l < 32; ++l) {
    if ((lanes >> l & 1U) == 0) continue;
    if (at[l] > parameters.size() || bytes > parameters.size() - at[l]) {
      warp.execution->fault(warp, "out-of-bounds", l,
                            fmt::format("reads {} bytes at byte {} of the parameters ({} bytes)",
                                        bytes, at[l], parameters.size()));
      continue;
    }
    std::byte value[32];
    std::memcpy(value, parameters.data() + at[l], bytes);
    mover.lane(value, warp, i, l);
  }
}

}  // namespace seam::sim
