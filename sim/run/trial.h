#pragma once
/// A block run again: every access to suspect cells is written down, chosen reads get other values, and all that is written can be taken back.
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "run/suspects.h"

namespace seam::sim {

struct Warp;

class Trial {
 public:
  /// A thread's accesses to a cell by one instruction.
  struct Access {
    std::uint32_t thread = 0, pc = 0, segment = 0, epoch = 0;
    bool write = false;
  };
  /// thread, pc, cell
  using Read = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>;
  enum class Other : std::uint8_t { Zero, Flipped };  ///< 0 (or something else where it was 0); every bit flipped

  Trial(const std::unordered_set<std::uint64_t>& cells, std::size_t cell_bytes) : cells_(cells), cell_bytes_(cell_bytes) {}

  std::set<Read> changed;     ///< reads that get other values
  Other other = Other::Zero;
  SavedChunks start;          ///< what was there before the trial wrote
  std::unordered_map<std::uint64_t, std::vector<Access>> log;  ///< in the order they came
  std::map<SavedChunks::Key, std::array<std::uint32_t, kChunkBytes / 32>> wrote;  ///< which bytes, by chunk: where memory held the same before, only this shows a store
  bool overflow = false;

  /// Before the block writes.
  void writes(Buffer& buffer, std::size_t offset, std::size_t length);
  /// What the lane sees of `bytes` bytes at `from`; `scratch` holds them if they are not what is there.
  const std::byte* loaded(const Warp& warp, std::uint32_t lane, std::uint64_t address, std::size_t bytes, const std::byte* from, std::byte* scratch);
  void stored(const Warp& warp, std::uint32_t lane, std::uint64_t address, std::size_t bytes);

 private:
  void note(const Warp& warp, std::uint32_t lane, std::uint64_t cell, bool write);

  const std::unordered_set<std::uint64_t>& cells_;
  std::size_t cell_bytes_;
  std::size_t logged_ = 0;
};

/// Runs the block once more under the trial. False: it faulted, or reported something.
[[nodiscard]] bool run_again(Execution& execution, const Block& block, Trial& trial);

}  // namespace seam::sim
