#pragma once
/// Races inside a block that may not matter. Compilers let threads load what they never use (replicas of a value that another thread updates
/// in place), and exchange values between the lanes of a warp by shuffles between loading and storing one place. The race model knows no
/// values: it sees a read and a write that nothing orders. Such a pair is held back until the block has ended; then the block is run
/// again, on the memory it found, and asked (run/trial.h):
///  - Does the value written change with the value read? Then the write cannot come before the read: "race-ordered".
///  - Does memory come out the same if the reads get other values? Then nothing needs them: "race-unused".
/// Both are notes. Anything else, and whatever cannot be run again, is a report like any other race.
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>

#include "memory/buffer.h"

namespace seam::sim {

struct Execution;
struct Block;
class Trial;

/// Chunks of buffers as they once were.
class SavedChunks {
 public:
  struct Chunk {
    std::array<std::byte, kChunkBytes> data{};
    std::array<std::uint32_t, kChunkBytes / 32> written{};
    friend bool operator==(const Chunk&, const Chunk&) = default;
  };
  using Key = std::pair<Buffer*, std::size_t>;

  /// Keeps the chunks of a range, those that are not kept yet.
  void save(Buffer& buffer, std::size_t offset, std::size_t length);
  void restore() const;
  [[nodiscard]] SavedChunks now() const;  ///< the same chunks as they are now
  [[nodiscard]] const std::map<Key, Chunk>& all() const { return chunks_; }
  void clear() { chunks_.clear(), last_ = {}; }

 private:
  std::map<Key, Chunk> chunks_;
  Key last_{};
};

struct Suspects {
  struct Held {
    std::string message;
    std::uint64_t count = 0;
  };
  std::map<std::pair<std::uint32_t, std::uint64_t>, Held> held;  ///< by instruction and buffer
  std::unordered_set<std::uint64_t> cells;                       ///< addresses of race cells
  SavedChunks before;                                            ///< what the block found where it reads and writes
  std::set<std::pair<std::uint32_t, std::uint32_t>> ordered, unordered;  ///< load and store: does the value written need the value read?
  bool too_many = false;

  /// False: there are too many, or no room; report it now.
  template <class Text>
  bool hold(std::uint32_t pc, std::uint64_t buffer, std::uint64_t cell, Text&& text) {
    constexpr std::size_t kMostCells = 1 << 14;
    if (cells.size() >= kMostCells && !cells.contains(cell)) too_many = true;
    if (too_many) return false;
    cells.insert(cell);
    Held& one = held[{pc, buffer}];
    if (one.count++ == 0) one.message = text();
    return true;
  }
};

/// Before a store or an atomic changes a buffer.
void before_write(Execution& execution, const Block& block, Buffer& buffer, std::size_t offset, std::size_t length);
/// The block has ended: what is held becomes reports or notes.
void settle_suspects(Execution& execution, Block& block);

}  // namespace seam::sim
