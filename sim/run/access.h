#pragma once
/// One warp instruction's access to memory: where each lane goes, what the checks and counters make of it, and the bytes
/// moved. The fast way takes lanes that stand side by side in memory; everything else goes lane by lane.
#include <cstddef>
#include <cstdint>
#include <string>

#include "run/warp.h"

namespace seam::sim {

using Addresses = std::uint64_t[32];

/// How bytes move between memory and the rows of an instruction.
struct Mover {
  /// Lanes [first, first + count), side by side at `at`.
  void (*span)(std::byte* at, Warp& warp, const Instruction& i, std::uint32_t first,
               std::uint32_t count);
  void (*lane)(std::byte* at, Warp& warp, const Instruction& i, std::uint32_t lane);
};

/// Lanes without gaps whose addresses follow each other.
struct Run {
  std::uint32_t first = 0;
  std::uint32_t count = 0;  ///< 0: no such thing
};

void load_global(Warp& warp, const Instruction& i, std::uint32_t lanes, const Addresses& at,
                 Run run, const Mover& mover);
void store_global(Warp& warp, const Instruction& i, std::uint32_t lanes, const Addresses& at,
                  Run run, const Mover& mover);
void load_shared(Warp& warp, const Instruction& i, std::uint32_t lanes, const Addresses& at,
                 Run run, const Mover& mover);
void store_shared(Warp& warp, const Instruction& i, std::uint32_t lanes, const Addresses& at,
                  Run run, const Mover& mover);
/// Local memory and parameters belong to one thread or to nobody: bounds only.
void access_local(Warp& warp, const Instruction& i, std::uint32_t lanes, const Addresses& at,
                  const Mover& mover);
void load_parameter(Warp& warp, const Instruction& i, std::uint32_t lanes, const Addresses& at,
                    const Mover& mover);

/// "16 bytes at byte 4 of shared array 1 (1024 bytes)": offsets as the device has them, without our gaps.
[[nodiscard]] std::string shared_place(const Warp& warp, std::uint64_t address, std::size_t bytes);

// Pieces that atomics and cp.async use too.

/// The buffer that holds the lane's bytes, aligned as asked; reports and returns null otherwise.
[[nodiscard]] Buffer* global_bytes(Warp& warp, std::uint32_t lane, std::uint64_t address,
                                   std::size_t bytes, std::size_t alignment, bool write);
/// The lane's bytes in shared memory; reports and returns null if they lie outside or are misaligned. `alignment` if the
/// instruction is wider than what it reads (Instruction::used).
[[nodiscard]] std::byte* shared_bytes(Warp& warp, std::uint32_t lane, std::uint64_t address,
                                      std::size_t bytes, std::size_t alignment = 0);
/// Checks and counts a lane's access to bytes that global_bytes has approved. `value`: what a store will write.
enum class Access : std::uint8_t;
void note_global(Warp& warp, std::uint32_t lane, Buffer& buffer, std::uint64_t address,
                 std::size_t bytes, Access access, const std::byte* value);
void note_shared(Warp& warp, std::uint32_t lane, std::uint64_t address, std::size_t bytes,
                 Access access, const std::byte* value);

/// Distinct 32-byte sectors.
[[nodiscard]] std::uint32_t sectors(const Addresses& at, std::uint32_t lanes, std::size_t bytes);
/// Distinct 128-byte lines: passes through L1.
[[nodiscard]] std::uint32_t lines(const Addresses& at, std::uint32_t lanes);
/// At the start of a block.
void empty_cache(Execution& execution);
/// A warp's read of global memory, seen by the block's first-level cache (Counters::l2_sectors_read). `passing`: it does not look there.
void look_up(Execution& execution, const Addresses& at, std::uint32_t lanes, bool passing);
/// The same of `bytes` in a row.
void look_up(Execution& execution, std::uint64_t from, std::size_t bytes);
/// Passes that shared memory needs: 32 banks of 4 bytes; a pass moves 128 bytes at most.
[[nodiscard]] std::uint32_t wavefronts(const Addresses& at, std::uint32_t lanes, std::size_t bytes);
/// Lanes that share a pass if no banks conflict; and the passes that these lanes need then.
[[nodiscard]] constexpr std::uint32_t lanes_a_pass(std::size_t bytes) {
  return bytes <= 4 ? 32 : bytes == 8 ? 16 : bytes == 16 ? 8 : 4;
}
[[nodiscard]] std::uint32_t least_wavefronts(std::uint32_t lanes, std::size_t bytes);
/// Adds an access to shared memory to the counters.
void count_shared(Execution& execution, const Addresses& at, std::uint32_t lanes, std::size_t bytes);

}  // namespace seam::sim
