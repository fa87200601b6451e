#pragma once
/// How an op's output is divided among the blocks of a kernel: FusionStitching (2018) section 4.2.
/// A schedule is (kind, split_dim, sword) on the output's dims; `blocks` follows:
///   Row:    blocks = sword * prod(dims[0 .. split_dim)), sword divides dims[split_dim].
///   Column: blocks = sword * prod(dims(split_dim, rank)), sword divides dims[split_dim].
///   Flat:   ours: nothing is kept on chip, so any division will do; sword = blocks, blocks own ceil(n / blocks)
///           consecutive elements each, the last ones fewer or none.
/// What a block owns (one rule for code that is emitted): see the output as a matrix of R rows and C columns (row-major), then block b
/// owns all rows of the columns [b * C / blocks, (b + 1) * C / blocks).
///   Row: R = 1, C = n (a contiguous run). Column: R = prod(dims[0 .. split_dim)), C = n / R. Both need C % blocks == 0.
///   The paper gives a Column block one trailing index and a piece of split_dim; contiguous columns are the same number of blocks and
///   coalesce, so we read it that way.
/// The local index of element (r, c) inside its block is r * (C / blocks) + (c - b * C / blocks): also its place in shared memory.
#include <cstdint>
#include <string_view>

namespace seam::planner {

enum class ScheduleKind : std::uint8_t { Flat, Row, Column };

struct Schedule {
  ScheduleKind kind = ScheduleKind::Flat;
  std::int64_t split_dim = 0;
  std::int64_t sword = 1;
  friend bool operator==(const Schedule&, const Schedule&) = default;
};

/// Where the value of an op lives inside a kernel.
enum class Placement : std::uint8_t {
  Inline,  ///< computed in registers by every thread that wants it (thread composition)
  Warp,    ///< a reduce whose result the lanes of one warp share by shuffles (warp composition)
  Shared,  ///< block-local chunk in shared memory (block composition)
  Output,  ///< written to global memory; readers in the same part recompute or read what their own block wrote
};

[[nodiscard]] constexpr std::string_view name(ScheduleKind kind) {
  return kind == ScheduleKind::Row ? "row" : kind == ScheduleKind::Column ? "column" : "flat";
}
[[nodiscard]] constexpr std::string_view name(Placement placement) {
  switch (placement) {
    case Placement::Inline: return "inline";
    case Placement::Warp: return "warp";
    case Placement::Shared: return "shared";
    case Placement::Output: break;
  }
  return "output";
}

}  // namespace seam::planner
