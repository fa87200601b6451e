#include "memory/buffer.h"

#include <cstring>
#include <utility>

#include "memory/bits.h"

namespace seam::sim {

Buffer::Buffer(std::string buffer_name, std::uint64_t at, std::int64_t size)
    : name(std::move(buffer_name)),
      address(at),
      bytes(static_cast<std::size_t>(size)),
      data_(bytes),
      written_(bytes / 8 + 8) {}

void Buffer::set_initialized(bool initialized) {
  all_written = initialized;
  if (initialized) return;
  std::memset(data_.data(), 0xff, bytes);
  written_ = Pages(bytes / 8 + 8);
}

std::int64_t Buffer::unwritten_bytes() const {
  if (all_written) return 0;
  return static_cast<std::int64_t>(bytes - ones(written(), (bytes + 31) / 32));
}

void Buffer::begin_launch(std::uint32_t stamp, int cell_shift, bool races) {
  const std::size_t chunks = bytes / kChunkBytes + 1;
  if (!stamps_) {
    stamps_ = Pages(chunks * sizeof(std::uint32_t));
    bits_ = Pages(chunks * sizeof(ChunkBits));
  }
  const std::size_t cell_bytes = chunks * 4 * sizeof(std::uint32_t) * (kChunkBytes >> cell_shift);
  if (races && cells_.bytes() < cell_bytes) cells_ = Pages(cell_bytes);
  stamp_ = stamp;
  cell_shift_ = cell_shift;
  races_ = races;
  was_read = false;
  unsaved = 0;
  touched_.clear();
}

void Buffer::open_chunk(std::size_t index) {
  stamps_.as<std::uint32_t>()[index] = stamp_;
  std::memset(&bits_.as<ChunkBits>()[index], 0, sizeof(ChunkBits));
  if (races_) {
    const std::size_t words = 4 * (kChunkBytes >> cell_shift_);
    std::memset(cells_.as<std::uint32_t>() + index * words, 0, words * sizeof(std::uint32_t));
  }
  touched_.push_back(static_cast<std::uint32_t>(index));
}

}  // namespace seam::sim
