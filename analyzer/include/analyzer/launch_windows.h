#pragma once
/// Stretches of a run in which a device waits for the host more than it does anything else: where launching less, or a CUDA graph, helps.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/timeline.h"

namespace seam::analyzer {

struct LaunchWindow {
  std::int64_t device = 0, start_ns = 0, end_ns = 0;
  std::int64_t waiting_ns = 0;  ///< no work, and the host has not launched the next one yet: more than half of the window
  std::int64_t busy_ns = 0, launches = 0;
  std::uint32_t op = kNone;     ///< in Timeline::names: the outermost framework op under which most of the waiting ends; kNone: none is recorded there
  [[nodiscard]] std::int64_t duration_ns() const { return end_ns - start_ns; }
};

/// All windows of two launches or more, the most waiting first. Waiting counts for a window, all else against it; windows are the runs whose sum no other run
/// exceeds (maximal_runs.h), so they do not touch, and there is no threshold but the half. `op` is looked up for the first kNamedWindows.
[[nodiscard]] std::vector<LaunchWindow> launch_windows(const Timeline& timeline);
inline constexpr std::size_t kNamedWindows = 1000;

}  // namespace seam::analyzer
