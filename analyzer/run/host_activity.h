#pragma once
/// What each host thread is in at any time: the innermost kind that a trace tells, as disjoint pieces.
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "analyzer/timeline.h"

namespace seam::analyzer {

/// Stronger kinds hide weaker ones around them.
enum class Activity : std::uint8_t { Nothing, Python, Op, Call, Memory, Wait };
inline constexpr std::size_t kActivities = 6;

class HostActivity {
 public:
  explicit HostActivity(const Timeline& timeline);

  /// Nanoseconds of each kind on the thread within [from, to).
  [[nodiscard]] std::array<std::int64_t, kActivities> within(std::uint32_t thread, std::int64_t from, std::int64_t to) const;
  /// The piece that ends at or spans `at` from the left: where it begins (INT64_MIN: nothing is recorded before it) and what it is.
  [[nodiscard]] std::pair<std::int64_t, Activity> piece_before(std::uint32_t thread, std::int64_t at) const;
  /// Of all threads but one, the one that was active last before `at`, and until when it was (at most `at`).
  [[nodiscard]] std::optional<std::pair<std::uint32_t, std::int64_t>> active_before(std::int64_t at, std::uint32_t but) const;

 private:
  struct Piece {
    std::int64_t from_ns = 0;
    Activity what = Activity::Nothing;  ///< until the next piece
  };
  std::map<std::uint32_t, std::vector<Piece>> threads_;
};

}  // namespace seam::analyzer
