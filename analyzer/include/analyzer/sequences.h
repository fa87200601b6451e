#pragma once
/// Runs of kernels that follow one another on a stream with nothing in between that cannot be stitched to them (library products, communication, copies):
/// what one kernel could do instead of several.
#include <cstdint>
#include <vector>

#include "analyzer/timeline.h"

namespace seam::analyzer {

/// All runs of the same kernels in the same order.
struct Sequence {
  std::vector<std::uint32_t> names;    ///< in Timeline::names
  std::int64_t times = 0;              ///< how often it occurs
  std::int64_t first = 0;              ///< place of its first kernel in Timeline::work, where it occurs first
  std::int64_t kernels_ns = 0;         ///< durations of its kernels, summed over all occurrences
  std::int64_t gaps_ns = 0;            ///< between them, likewise: what one launch instead of several saves for certain
  std::int64_t longest_ns = 0;         ///< the longest kernel of each occurrence, summed: no fusion of them is shorter, unless the values in between were all of its work

  /// Recorded: the gaps go.
  [[nodiscard]] std::int64_t gain_low_ns() const { return gaps_ns; }
  /// Modelled: and everything beside the longest kernel.
  [[nodiscard]] std::int64_t gain_high_ns() const { return gaps_ns + kernels_ns - longest_ns; }
};
/// Of two kernels and more; the largest gain (high) first. Work that starts more than `most_gap_ns` after what came before begins a new run.
[[nodiscard]] std::vector<Sequence> sequences(const Timeline& timeline, std::int64_t most_gap_ns = 1'000'000);

}  // namespace seam::analyzer
