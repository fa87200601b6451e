#pragma once
/// How an op's output is divided among the blocks of a kernel: FusionStitching (2018) section 4.2.
/// Row:    blocks = sword * prod(dims[0 .. split_dim)); block b owns the contiguous run
///         [b * n / blocks, (b + 1) * n / blocks) of the row-major linear index.
/// Column: blocks = sword * prod(dims(split_dim, rank)); seen as a matrix of prod(dims[0..split_dim]) rows, each block owns whole
///         columns of the trailing dimensions (and dims[split_dim] / sword rows of the split dimension).
/// Flat:   no block owns anything in particular: nothing in the part stays on chip between loops over different
///         elements; blocks own ceil(n / blocks) elements of each root. Ours: legal for every part without a kept value.
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
