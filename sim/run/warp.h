#pragma once
/// The state of a running launch, from outside in: Execution (one launch), Block, Warp. Handlers see a Warp and reach
/// the rest through it.
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "decode/program.h"
#include "memory/buffer.h"
#include "memory/memory.h"
#include "run/order.h"
#include "run/reports.h"
#include "run/suspects.h"
#include "sim/sim.h"

namespace seam::sim {

struct Block;
struct Execution;
struct Perturbed;

/// Lanes that stand at one place and wait for their turn, or for others.
struct Group {
  enum class State : std::uint8_t { Ready, Barrier, WarpSync };
  std::uint32_t pc = 0;
  std::uint32_t lanes = 0;
  State state = State::Ready;
};

/// A cp.async whose bytes have been read but not yet delivered to shared memory.
struct PendingCopy {
  std::uint32_t destination = 0;
  std::uint32_t lane = 0;
  std::uint32_t group = 0;
  std::uint32_t bytes = 0;
  std::array<std::byte, 16> data{};
};

/// Why a warp stopped running.
enum class Stop : std::uint8_t { No, Yield, Fault };

struct Warp {
  std::byte* registers = nullptr;
  std::uint32_t pc = 0;             ///< the next instruction; handlers of branches overwrite it
  std::uint32_t active = 0;         ///< lanes that run now
  std::uint32_t nearest = UINT32_MAX;  ///< smallest pc of a ready group: where lanes may meet again
  Stop stop = Stop::No;
  std::uint32_t sync_epoch = 1;     ///< counts bar.warp.sync inside a segment
  Block* block = nullptr;
  Execution* execution = nullptr;
  const Program* program = nullptr;
  std::uint32_t index = 0;
  std::uint32_t present = 0;        ///< lanes that exist: fewer in the last warp of an odd block
  std::uint32_t exited = 0;
  std::uint32_t carry = 0;          ///< CC.CF, one bit per lane
  std::uint32_t fenced = 0;         ///< lanes that executed a grid-visible fence since the last barrier
  std::uint32_t arrived = 0;        ///< lanes that wait at a block barrier
  std::uint32_t barrier_pc = 0;     ///< of the barrier they wait at
  std::vector<Group> groups;
  std::vector<PendingCopy> copies;
  std::array<std::uint32_t, 32> copy_group{};  ///< cp.async group that each lane fills now
  std::byte* local = nullptr;       ///< 32 frames of Program::local_bytes

  [[nodiscard]] std::uint32_t thread(std::uint32_t lane) const { return index * 32 + lane; }
  [[nodiscard]] const Instruction& here() const { return program->code[pc - 1]; }
  void find_nearest();
};

template <class T>
[[nodiscard]] inline T* row(Warp& warp, std::uint32_t offset) {
  return reinterpret_cast<T*>(__builtin_assume_aligned(warp.registers + offset, 64));
}
[[nodiscard]] inline std::uint32_t& predicate_bits(Warp& warp, std::uint32_t offset) {
  return *row<std::uint32_t>(warp, offset);
}
[[nodiscard]] inline std::uint32_t first_lane(std::uint32_t lanes) {
  return static_cast<std::uint32_t>(std::countr_zero(lanes));
}

/// Lanes in a mask. Not std::popcount: without the instruction that is a call, with a table.
[[nodiscard]] inline std::uint32_t lane_count(std::uint32_t lanes) {
  lanes -= lanes >> 1 & 0x55555555U;
  lanes = (lanes & 0x33333333U) + (lanes >> 2 & 0x33333333U);
  return ((lanes + (lanes >> 4)) & 0x0f0f0f0fU) * 0x01010101U >> 24;
}

struct Block {
  Execution* execution = nullptr;
  std::uint64_t index = 0;              ///< linear, as in the grid
  std::uint32_t ordinal = 0;            ///< in order of starting
  std::uint32_t segment = 0;
  std::uint32_t first_segment = 0;
  std::array<std::uint32_t, 3> ctaid{};
  std::vector<Warp> warps;
  std::vector<std::uint32_t> turn;      ///< warp order
  Pages register_file;
  std::vector<std::byte> local;
  std::vector<std::byte> shared;
  std::vector<std::uint32_t> shared_written;    ///< bit per byte
  std::vector<std::uint32_t> shared_gaps;       ///< bit per byte that belongs to no array; empty: no static arrays
  std::vector<std::uint32_t> shared_in_flight;  ///< bit per byte: target of an unfinished cp.async
  std::uint32_t in_flight = 0;          ///< unfinished cp.async of the block
  std::vector<std::uint32_t> shared_cells;
  Acquired acquired;                    ///< what all threads of the block have seen of other blocks
  std::vector<std::pair<std::uint32_t, Acquired>> pending;  ///< by thread, until the next barrier
  bool done = false;

  [[nodiscard]] Cells cells() {
    const std::size_t n = shared_cells.size() / 4;
    std::uint32_t* base = shared_cells.data();
    return {base, base + n, base + 2 * n, base + 3 * n};
  }
};

struct Execution {
  Execution(const Module& from, const Program& what, Memory::Impl& where, const Launch& how,
            const Checks& which)
      : module(from), program(what), memory(where), launch(how), checks(which),
        reports(from, what, which.max_reports), notes(from, what, which.max_reports) {}

  const Module& module;
  const Program& program;
  Memory::Impl& memory;
  const Launch& launch;
  const Checks& checks;
  Reports reports;
  Reports notes;
  Suspects suspects;
  Trial* trial = nullptr;               ///< this is a block run again to see whether a race matters
  Counters counters;
  std::vector<std::uint64_t> first_level;  ///< tags of a block's cache; empty unless profiled
  const std::vector<std::uint64_t>* globals = nullptr;  ///< addresses of module variables
  std::vector<std::uint32_t> block_of_segment{UINT32_MAX};  ///< ordinal by segment; [0] nobody
  std::vector<std::uint64_t> blocks;                     ///< linear index by ordinal
  ReleaseLogs releases;
  const CellLoops* cell_loops = nullptr;
  std::vector<Buffer*> used;            ///< buffers that this launch touched
  std::uint32_t stamp = 0;
  std::uint32_t threads = 0;            ///< of a block
  int shared_shift = 2;                 ///< log2 bytes of a shared race cell
  int global_shift = 2;
  bool interleaved = false;             ///< several blocks run at once
  bool faulted = false;                 ///< the launch ends here
  std::uint64_t instruction_limit = UINT64_MAX;
  std::uint64_t instructions = 0;       ///< of finished turns, for the limit
  struct Executed {
    std::uint64_t warp = 0, threads = 0;
  };
  std::vector<Executed> executed;       ///< by instruction; empty: nobody asked for a profile
  const Perturbed* perturbed = nullptr; ///< the program's approximate instructions err (run/approximate.h)

  [[nodiscard]] std::uint32_t new_segment(const Block& block) {
    block_of_segment.push_back(block.ordinal);
    return static_cast<std::uint32_t>(block_of_segment.size() - 1);
  }
  /// The buffer that holds [address, address + bytes), ready for this launch; null if there is none.
  [[nodiscard]] Buffer* buffer_at(std::uint64_t address, std::size_t bytes) {
    Buffer* buffer = memory.find(address);
    if (!buffer) return nullptr;
    const std::uint64_t offset = address & kOffsetMask;
    if (offset + bytes > buffer->bytes) return nullptr;
    if (!buffer->in_launch(stamp)) {
      if (trial) return nullptr;  // the block never came here before
      buffer->begin_launch(stamp, global_shift, checks.races);
      used.push_back(buffer);
    }
    return buffer;
  }
  /// Reports in the name of a lane of the instruction that runs now.
  void report(Warp& warp, std::string_view kind, std::uint32_t lane, std::string_view what);
  /// The same, and the launch ends.
  void fault(Warp& warp, std::string_view kind, std::uint32_t lane, std::string_view what);
};

}  // namespace seam::sim
