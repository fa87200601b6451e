#pragma once
/// The careful side of race checking: one lane, one cell at a time, with reports. The fast side (memory/cells.h) handles what
/// is plainly ordered and leaves the rest to this.
#include <cstddef>

#include "run/warp.h"

namespace seam::sim {

enum class Access : std::uint8_t {
  Read,
  StrongRead,   ///< ld.relaxed, ld.acquire, ld.volatile of global memory: no race with atomics
  Write,
  Atomic,       ///< atom, red, and strong stores
};

struct CellUse {
  Access access = Access::Read;
  bool same_value = false;  ///< a store of the bytes that are there already
};

/// `address` and `bytes` are those of the whole access, for the report.
void use_shared_cell(Warp& warp, std::uint32_t lane, std::size_t cell, CellUse use,
                     std::uint64_t address, std::size_t bytes);
void use_global_cell(Warp& warp, std::uint32_t lane, const Buffer& buffer, const Cells& cells,
                     CellUse use, std::uint64_t address, std::uint64_t cell_address);

/// The bytes of a cp.async have arrived: they count as written now by the lane that waited.
void note_delivery(Warp& warp, std::uint32_t lane, std::uint64_t address, std::size_t bytes);

/// An atomic by this lane on a global address: publishes and acquires (run/order.h).
void synchronize(Warp& warp, std::uint32_t lane, std::uint64_t address, bool release, bool acquire);

}  // namespace seam::sim
