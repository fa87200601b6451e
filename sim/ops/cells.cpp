#include "memory/cells.h"

#include "ops/isa.h"

namespace seam::sim {
namespace {

// Branch-free, so that the compiler vectorises: `trouble` collects what is not plainly ordered.

template <bool kGlobal>
SEAM_SIM_INLINE bool read_body(const Cells& cells, const CellAccess& access) {
  const std::uint32_t* __restrict ws = cells.writer_segment;
  const std::uint32_t* __restrict ww = cells.writer;
  std::uint32_t* __restrict rs = cells.reader_segment;
  std::uint32_t* __restrict rw = cells.reader;
  const std::uint32_t now = access.segment;
  const std::uint32_t first = access.first_segment;
  const std::uint32_t me = access.who;
  const int shift = access.lane_shift;
  const std::size_t n = access.count;
  std::uint32_t trouble = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t mine = me + static_cast<std::uint32_t>(i >> shift);
    const bool own_write = ws[i] == now && ((ww[i] ^ mine) & who::kThread) == 0;
    const bool old_write = kGlobal ? (ws[i] == 0 || (ws[i] >= first && ws[i] < now)) : ws[i] < now;
    trouble |= static_cast<std::uint32_t>(!(own_write | old_write));
  }
  if (trouble != 0) return false;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t mine = me + static_cast<std::uint32_t>(i >> shift);
    const std::uint32_t kind = rw[i] & who::kKind;
    const bool same_warp = ((rw[i] ^ mine) & (who::kThread & ~31U)) == 0;
    const bool same_thread = ((rw[i] ^ mine) & (who::kThread | who::kKind)) == 0;
    const bool earlier = rw[i] >> who::kEpochShift < mine >> who::kEpochShift;
    std::uint32_t merged = earlier | same_thread ? who::kOne : who::kWarp;
    merged = (kind == who::kBlock) | !same_warp ? who::kBlock : merged;
    merged = rs[i] == now ? merged : who::kOne;
    if constexpr (kGlobal) {
      const bool others = (rs[i] != 0) & ((rs[i] < first) | (kind == who::kBlocks));
      merged = others ? who::kBlocks : merged;
    }
    rw[i] = mine | merged;
    rs[i] = now;
  }
  return true;
}

template <bool kGlobal>
SEAM_SIM_INLINE bool write_body(const Cells& cells, const CellAccess& access) {
  std::uint32_t* __restrict ws = cells.writer_segment;
  std::uint32_t* __restrict ww = cells.writer;
  std::uint32_t* __restrict rs = cells.reader_segment;
  const std::uint32_t* __restrict rw = cells.reader;
  const std::uint32_t now = access.segment;
  const std::uint32_t first = access.first_segment;
  const std::uint32_t me = access.who;
  const int shift = access.lane_shift;
  const std::size_t n = access.count;
  std::uint32_t trouble = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t mine = me + static_cast<std::uint32_t>(i >> shift);
    const bool own_write = ws[i] == now && ((ww[i] ^ mine) & (who::kThread | who::kKind)) == 0;
    const bool own_read = rs[i] == now && ((rw[i] ^ mine) & (who::kThread | who::kKind)) == 0;
    bool old_write = ws[i] < now;
    bool old_read = rs[i] < now;
    if constexpr (kGlobal) {
      old_write &= (ws[i] == 0) | (ws[i] >= first);
      old_read &= (rs[i] == 0) | ((rs[i] >= first) & ((rw[i] & who::kKind) != who::kBlocks));
    }
    trouble |= static_cast<std::uint32_t>(!((own_write | old_write) & (own_read | old_read)));
  }
  if (trouble != 0) return false;
  for (std::size_t i = 0; i < n; ++i) {
    ww[i] = me + static_cast<std::uint32_t>(i >> shift);
    ws[i] = now;
    rs[i] = 0;
  }
  return true;
}

template <bool kGlobal>
bool read_cells(const Cells& cells, const CellAccess& access) {
  return read_body<kGlobal>(cells, access);
}
template <bool kGlobal>
bool write_cells(const Cells& cells, const CellAccess& access) {
  return write_body<kGlobal>(cells, access);
}
template <bool kGlobal>
SEAM_SIM_WIDE bool read_cells_wide(const Cells& cells, const CellAccess& access) {
  return read_body<kGlobal>(cells, access);
}
template <bool kGlobal>
SEAM_SIM_WIDE bool write_cells_wide(const Cells& cells, const CellAccess& access) {
  return write_body<kGlobal>(cells, access);
}

constexpr CellLoops kNarrow{read_cells<false>, write_cells<false>, read_cells<true>,
                            write_cells<true>};
constexpr CellLoops kWide{read_cells_wide<false>, write_cells_wide<false>, read_cells_wide<true>,
                          write_cells_wide<true>};

}  // namespace

const CellLoops& cell_loops(bool wide) { return wide ? kWide : kNarrow; }

}  // namespace seam::sim
