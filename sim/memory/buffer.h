#pragma once
/// One buffer of device memory: its bytes, which of them were ever written, and what the current launch did to them.
///
/// The launch's part is kept in chunks of 1 KiB that are cleared when a launch first touches them (a stamp per chunk says
/// for which launch it is valid), so nothing is cleared between launches and nothing untouched is paid for.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "memory/cells.h"
#include "memory/pages.h"

namespace seam::sim {

constexpr std::size_t kChunkBytes = 1024;

/// Bytes of a chunk that the launch read and wrote: one bit each.
struct ChunkBits {
  std::uint32_t read[kChunkBytes / 32];
  std::uint32_t written[kChunkBytes / 32];
};

class Buffer {
 public:
  Buffer(std::string name, std::uint64_t address, std::int64_t bytes);

  std::string name;
  std::uint64_t address = 0;
  std::size_t bytes = 0;
  bool read_only = false;
  bool was_read = false;     ///< by this launch
  std::uint32_t unsaved = 0; ///< first segment of the block that last wrote here without keeping what was there (run/suspects.h)
  bool all_written = false;  ///< every byte counts as written; the bitmap is not consulted

  [[nodiscard]] std::byte* data() const { return data_.data(); }
  [[nodiscard]] std::uint32_t* written() { return written_.as<std::uint32_t>(); }
  [[nodiscard]] const std::uint32_t* written() const { return written_.as<std::uint32_t>(); }
  void set_initialized(bool initialized);
  [[nodiscard]] std::int64_t unwritten_bytes() const;

  /// Starts a launch: chunks with an older stamp are stale. `cell_shift`: log2 of the bytes of a race cell.
  void begin_launch(std::uint32_t stamp, int cell_shift, bool races);
  [[nodiscard]] int cell_shift() const { return cell_shift_; }
  /// The chunk's bits, cleared if this launch had not touched it.
  ChunkBits& chunk(std::size_t index) {
    if (stamps_.as<std::uint32_t>()[index] != stamp_) open_chunk(index);
    return bits_.as<ChunkBits>()[index];
  }
  /// The bits of a chunk that this launch touched.
  [[nodiscard]] const ChunkBits& bits(std::size_t index) const {
    return bits_.as<ChunkBits>()[index];
  }
  /// The race cells of a chunk that chunk() has opened.
  [[nodiscard]] Cells cells(std::size_t chunk_index) const {
    const std::size_t per_array = kChunkBytes >> cell_shift_;
    std::uint32_t* base = cells_.as<std::uint32_t>() + chunk_index * 4 * per_array;
    return {base, base + per_array, base + 2 * per_array, base + 3 * per_array};
  }
  /// Chunks that this launch touched.
  [[nodiscard]] std::span<const std::uint32_t> touched() const { return touched_; }
  [[nodiscard]] bool in_launch(std::uint32_t stamp) const { return stamp_ == stamp; }

 private:
  void open_chunk(std::size_t index);

  Pages data_;
  Pages written_;
  Pages stamps_;
  Pages bits_;
  Pages cells_;
  std::vector<std::uint32_t> touched_;
  std::uint32_t stamp_ = 0;
  int cell_shift_ = 2;
  bool races_ = false;
};

}  // namespace seam::sim
