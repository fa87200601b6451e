#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "memory/bits.h"
#include "run/access.h"
#include "run/races.h"
#include "run/trial.h"

namespace seam::sim {
namespace {

std::string where(const Buffer& buffer, std::uint64_t address, std::size_t bytes) {
  return fmt::format("{} bytes at byte {} of '{}' ({} bytes)", bytes, address & kOffsetMask,
                     buffer.name, buffer.bytes);
}

/// Race cells and read/written bits of consecutive lanes. False: somebody contends, nothing of this chunk was noted.
bool note_chunk(Warp& warp, Buffer& buffer, std::size_t offset, std::size_t length,
                std::uint32_t lane, int lane_shift, bool store) {
  Execution& execution = *warp.execution;
  const std::size_t index = offset / kChunkBytes;
  const std::size_t inside = offset % kChunkBytes;
  ChunkBits& bits = buffer.chunk(index);
  if (execution.checks.counters) set_bits(store ? bits.written : bits.read, inside, length);
  if (!execution.checks.races) return true;
  if (execution.interleaved) return false;
  const int shift = buffer.cell_shift();
  CellAccess access;
  access.segment = warp.block->segment;
  access.first_segment = warp.block->first_segment;
  access.who = warp.thread(lane) | warp.sync_epoch << who::kEpochShift;
  access.lane_shift = lane_shift - shift;
  access.count = length >> shift;
  const Cells cells = buffer.cells(index).from(inside >> shift);
  return store ? execution.cell_loops->write_global(cells, access)
               : execution.cell_loops->read_global(cells, access);
}

void note_cells(Warp& warp, std::uint32_t lane, Buffer& buffer, std::uint64_t address,
                std::size_t bytes, Access access, const std::byte* value) {
  const int shift = buffer.cell_shift();
  const std::size_t cell_bytes = std::size_t{1} << shift;
  const std::uint64_t offset = address & kOffsetMask;
  for (std::size_t at = 0; at < bytes; at += cell_bytes) {
    const std::size_t inside = (offset + at) % kChunkBytes;
    const Cells cells = buffer.cells((offset + at) / kChunkBytes).from(inside >> shift);
    CellUse use{access, false};
    if (value) {
      const std::size_t part = std::min(cell_bytes, bytes - at);
      use.same_value = std::memcmp(buffer.data() + offset + at, value + at, part) == 0;
    }
    use_global_cell(warp, lane, buffer, cells, use, address, buffer.address + offset + at);
  }
}

void report_unwritten(Warp& warp, std::uint32_t lane, const Buffer& buffer, std::uint64_t address,
                      std::size_t bytes) {
  Reports& reports = warp.execution->reports;
  if (reports.again("uninitialized", warp.pc - 1, 0)) return;
  warp.execution->report(warp, "uninitialized", lane,
                         fmt::format("reads {} that nobody has written",
                                     where(buffer, address, bytes)));
}

bool unwritten(const Buffer& buffer, std::uint64_t address, std::size_t bytes) {
  return !buffer.all_written && !all_set(buffer.written(), address & kOffsetMask, bytes);
}

/// The bytes as the program sees them: those that nobody wrote are 0xff.
void poisoned(const Buffer& buffer, std::uint64_t offset, std::size_t bytes, std::byte* out) {
  for (std::size_t k = 0; k < bytes; ++k) {
    out[k] = get_bit(buffer.written(), offset + k) ? buffer.data()[offset + k] : std::byte{0xff};
  }
}

void count_global(Execution& execution, bool store, std::uint64_t bytes, std::uint64_t touched, std::uint64_t lines) {
  if (!execution.checks.counters) return;
  Counters& counters = execution.counters;
  ++counters.global_requests;
  counters.global_wavefronts += lines;
  (store ? counters.bytes_written : counters.bytes_read) += bytes;
  (store ? counters.sectors_written : counters.sectors_read) += touched;
}

std::uint64_t sectors_of_run(std::uint64_t address, std::size_t bytes) {
  return ((address + bytes - 1) >> 5) - (address >> 5) + 1;
}
std::uint64_t lines_of_run(std::uint64_t address, std::size_t bytes) {
  return ((address + bytes - 1) >> 7) - (address >> 7) + 1;
}

/// Notes all chunks of a run; lanes of a contended chunk are noted one by one.
void note_run(Warp& warp, const Instruction& i, Buffer& buffer, std::uint64_t offset, Run run,
              std::size_t bytes, bool store, const Mover& mover) {
  const int lane_shift = std::countr_zero(static_cast<std::uint32_t>(bytes));
  std::size_t left = bytes * run.count;
  std::uint32_t lane = run.first;
  while (left > 0) {
    const std::size_t length = std::min(left, kChunkBytes - offset % kChunkBytes);
    const auto lanes_here = static_cast<std::uint32_t>(length >> lane_shift);
    if (!note_chunk(warp, buffer, offset, length, lane, lane_shift, store)) {
      for (std::uint32_t l = 0; l < lanes_here; ++l) {
        std::byte value[32];
        if (store) mover.lane(value, warp, i, lane + l);
        note_cells(warp, lane + l, buffer, offset + l * bytes, bytes,
                   store ? Access::Write : Access::Read, store ? value : nullptr);
      }
    }
    offset += length;
    left -= length;
    lane += lanes_here;
  }
}

bool aligned(std::uint64_t address, std::size_t bytes) { return (address & (bytes - 1)) == 0; }

/// All lanes at one address (a broadcast): two of them stand for all.
bool is_broadcast(const Addresses& at, std::uint32_t lanes) {
  const std::uint32_t first = first_lane(lanes);
  bool same = true;
  for (std::uint32_t l = 0; l < 32; ++l) same &= at[l] == at[first] || (lanes >> l & 1U) == 0;
  return same;
}

}  // namespace

Buffer* global_bytes(Warp& warp, std::uint32_t lane, std::uint64_t address, std::size_t bytes,
                     std::size_t alignment, bool write) {
  Execution& execution = *warp.execution;
  Buffer* buffer = execution.buffer_at(address, bytes);
  const char* what = write ? "writes" : "reads";
  if (!buffer) {
    const Buffer* near = execution.memory.find(address);
    execution.fault(warp, "out-of-bounds", lane,
                    near ? fmt::format("{} {}", what, where(*near, address, bytes))
                         : fmt::format("{} {} bytes at address 0x{:x}, where no buffer is", what,
                                       bytes, address));
    return nullptr;
  }
  if (!aligned(address, alignment) && execution.checks.memory) {
    execution.fault(warp, "misaligned", lane,
                    fmt::format("{} {}, which is not a multiple of {}", what,
                                where(*buffer, address, bytes), alignment));
    return nullptr;
  }
  if (write && buffer->read_only && execution.checks.memory) {
    execution.report(warp, "read-only", lane,
                     fmt::format("writes {}, which is read-only", where(*buffer, address, bytes)));
    return nullptr;
  }
  return buffer;
}

void note_global(Warp& warp, std::uint32_t lane, Buffer& buffer, std::uint64_t address,
                 std::size_t bytes, Access access, const std::byte* value) {
  Execution& execution = *warp.execution;
  const bool reads = access != Access::Write;
  const bool writes = access == Access::Write || access == Access::Atomic;
  const std::uint64_t offset = address & kOffsetMask;
  if (reads) buffer.was_read = true;
  if (writes) before_write(execution, *warp.block, buffer, offset, bytes);
  for (std::uint64_t at = offset; at < offset + bytes;) {
    ChunkBits& bits = buffer.chunk(at / kChunkBytes);
    const std::size_t length = std::min(offset + bytes - at, kChunkBytes - at % kChunkBytes);
    if (execution.checks.counters) {
      if (reads) set_bits(bits.read, at % kChunkBytes, length);
      if (writes) set_bits(bits.written, at % kChunkBytes, length);
    }
    at += length;
  }
  if (reads && execution.checks.initialized && unwritten(buffer, address, bytes)) {
    report_unwritten(warp, lane, buffer, address, bytes);
  }
  if (execution.checks.races) note_cells(warp, lane, buffer, address, bytes, access, value);
  if (writes && !buffer.all_written) set_bits(buffer.written(), offset, bytes);
}

void load_global(Warp& warp, const Instruction& i, std::uint32_t lanes, const Addresses& at,
                 Run run, const Mover& mover) {
  Execution& execution = *warp.execution;
  const std::size_t bytes = std::size_t{i.bytes} * i.count;
  const bool strong = (i.flags & kStrong) != 0;
  if (run.count > 0 && !strong && !execution.trial) {
    const std::uint64_t from = at[run.first];
    Buffer* buffer = execution.buffer_at(from, bytes * run.count);
    const bool fine = buffer && aligned(from, bytes) &&
                      !(execution.checks.initialized && unwritten(*buffer, from, bytes * run.count));
    if (fine) {
      count_global(execution, false, bytes * run.count, sectors_of_run(from, bytes * run.count), lines_of_run(from, bytes * run.count));
      look_up(execution, from, bytes * run.count);
      buffer->was_read = true;
      note_run(warp, i, *buffer, from & kOffsetMask, run, bytes, false, mover);
      mover.span(buffer->data() + (from & kOffsetMask), warp, i, run.first, run.count);
      return;
    }
  }
  count_global(execution, false, bytes * lane_count(lanes), sectors(at, lanes, bytes), lines(at, lanes));
  look_up(execution, at, lanes, strong);
  const bool broadcast = !strong && is_broadcast(at, lanes);
  const std::uint32_t noted =
      broadcast ? 1U << first_lane(lanes) | 1U << (31 - std::countl_zero(lanes)) : lanes;
  for (std::uint32_t l = 0; l < 32; ++l) {
    if ((lanes >> l & 1U) == 0) continue;
    Buffer* buffer = global_bytes(warp, l, at[l], bytes, bytes, false);
    std::byte value[32];
    if (!buffer) {
      std::memset(value, 0xff, sizeof value);
      mover.lane(value, warp, i, l);
      continue;
    }
    const bool poison = execution.checks.initialized && unwritten(*buffer, at[l], bytes);
    if ((noted >> l & 1U) != 0) {
      note_global(warp, l, *buffer, at[l], bytes, strong ? Access::StrongRead : Access::Read,
                  nullptr);
    }
    const std::byte* from = buffer->data() + (at[l] & kOffsetMask);
    if (poison) {
      poisoned(*buffer, at[l] & kOffsetMask, bytes, value);
      from = value;
    }
    if (execution.trial) from = execution.trial->loaded(warp, l, at[l], bytes, from, value);
    mover.lane(const_cast<std::byte*>(from), warp, i, l);  // a load's mover only reads
    if (strong && (i.flags & kBlockScope) == 0) synchronize(warp, l, at[l], false, true);
  }
  if (strong && execution.interleaved && warp.stop == Stop::No) warp.stop = Stop::Yield;
}

void store_global(Warp& warp, const Instruction& i, std::uint32_t lanes, const Addresses& at,
                  Run run, const Mover& mover) {
  Execution& execution = *warp.execution;
  const std::size_t bytes = std::size_t{i.bytes} * i.count;
  const bool strong = (i.flags & kStrong) != 0;
  if (run.count > 0 && !strong && !execution.trial) {
    const std::uint64_t from = at[run.first];
    Buffer* buffer = execution.buffer_at(from, bytes * run.count);
    if (buffer && aligned(from, bytes) && !buffer->read_only) {
      const std::uint64_t offset = from & kOffsetMask;
      count_global(execution, true, bytes * run.count, sectors_of_run(from, bytes * run.count), lines_of_run(from, bytes * run.count));
      before_write(execution, *warp.block, *buffer, offset, bytes * run.count);
      note_run(warp, i, *buffer, offset, run, bytes, true, mover);
      if (!buffer->all_written) set_bits(buffer->written(), offset, bytes * run.count);
      mover.span(buffer->data() + offset, warp, i, run.first, run.count);
      return;
    }
  }
  count_global(execution, true, bytes * lane_count(lanes), sectors(at, lanes, bytes), lines(at, lanes));
  for (std::uint32_t l = 0; l < 32; ++l) {
    if ((lanes >> l & 1U) == 0) continue;
    Buffer* buffer = global_bytes(warp, l, at[l], bytes, bytes, true);
    if (!buffer) continue;
    std::byte value[32];
    mover.lane(value, warp, i, l);
    note_global(warp, l, *buffer, at[l], bytes, strong ? Access::Atomic : Access::Write, value);
    if (execution.trial) execution.trial->stored(warp, l, at[l], bytes);
    std::memcpy(buffer->data() + (at[l] & kOffsetMask), value, bytes);
    if (strong && (i.flags & kBlockScope) == 0) {
      const bool release = (i.flags & kRelease) != 0 || (warp.fenced >> l & 1U) != 0;
      synchronize(warp, l, at[l], release, false);
    }
  }
  if (strong && execution.interleaved && warp.stop == Stop::No) warp.stop = Stop::Yield;
}

}  // namespace seam::sim
