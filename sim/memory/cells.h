#pragma once
/// Race cells: for every 1, 2 or 4 bytes of shared and global memory, who wrote them last and who read them since.
///
/// Time is counted in segments. A block enters a new segment when it starts and at every barrier that all its threads
/// pass; segment numbers are unique in a launch and grow, so "an older segment of my block" is one comparison. Inside a
/// segment, threads of one warp are further ordered by __syncwarp (the sync epoch). A shuffle orders values, not memory.
///
/// Four parallel arrays, so that the common case (a warp touching consecutive cells that nobody contends for) is a few
/// vector instructions; anything else goes cell by cell (run/races.cpp).
#include <cstddef>
#include <cstdint>

namespace seam::sim {

/// A cell's arrays: segment 0 = nobody. `who` packs thread, kind and sync epoch.
struct Cells {
  std::uint32_t* writer_segment = nullptr;
  std::uint32_t* writer = nullptr;
  std::uint32_t* reader_segment = nullptr;
  std::uint32_t* reader = nullptr;

  [[nodiscard]] Cells from(std::size_t index) const {
    return {writer_segment + index, writer + index, reader_segment + index, reader + index};
  }
};

/// thread: bits 0–9; kind: bits 10–11; sync epoch: bits 12–31.
namespace who {
constexpr std::uint32_t kThread = 0x3ff;
constexpr std::uint32_t kKind = 0xc00;
constexpr int kEpochShift = 12;
// Writers.
constexpr std::uint32_t kPlain = 0x000;
constexpr std::uint32_t kAtomic = 0x400;
constexpr std::uint32_t kSameValue = 0x800;  ///< several threads, all storing the same value
// Readers.
constexpr std::uint32_t kOne = 0x000;
constexpr std::uint32_t kWarp = 0x400;    ///< several threads of that thread's warp
constexpr std::uint32_t kBlock = 0x800;   ///< threads of several warps
constexpr std::uint32_t kBlocks = 0xc00;  ///< threads of several blocks
}  // namespace who

/// A warp's access to consecutive cells: lane l (counted from the first) has `1 << lane_shift` of them.
struct CellAccess {
  std::uint32_t segment = 0;
  std::uint32_t first_segment = 0;  ///< of the block; older ones belong to other blocks
  std::uint32_t who = 0;            ///< of the first lane
  int lane_shift = 0;
  std::size_t count = 0;            ///< cells
};

/// For memory that only one block sees (`shared`: older segments are leftovers of finished blocks and mean nothing) or that
/// blocks share. Each says whether the access is beyond doubt ordered, and if so records it.
struct CellLoops {
  bool (*read_shared)(const Cells&, const CellAccess&);
  bool (*write_shared)(const Cells&, const CellAccess&);
  bool (*read_global)(const Cells&, const CellAccess&);
  bool (*write_global)(const Cells&, const CellAccess&);
};

/// `wide`: with AVX2.
[[nodiscard]] const CellLoops& cell_loops(bool wide);

}  // namespace seam::sim
