#pragma once
/// Instructions that lanes of a warp execute together: shuffles, votes, bar.warp.sync, mma, ldmatrix.
#include "run/warp.h"

namespace seam::sim {

/// Are all the lanes of `members` here? Those that never existed (an odd last warp) or have exited are not waited for. If some
/// are still to come, the lanes here wait; the instruction is executed again when more have arrived.
[[nodiscard]] inline bool gather(Warp& warp, std::uint32_t lanes, std::uint32_t members) {
  const std::uint32_t awaited = members & warp.present & ~warp.exited;
  if ((awaited & ~lanes) == 0) return true;
  // All active lanes stop here: those whose guard is false come along and do nothing.
  warp.groups.push_back({warp.pc - 1, warp.active, Group::State::WarpSync});
  warp.active = 0;
  return false;
}

/// For .aligned instructions, which all 32 lanes must execute: are all here that will ever come? If some never will, that is a report, and the
/// instruction goes on with what their registers hold.
[[nodiscard]] inline bool whole_warp(Warp& warp, std::uint32_t lanes) {
  if (lanes == ~0U) return true;
  if (!gather(warp, lanes, ~0U)) return false;
  if (warp.execution->checks.barriers) {
    warp.execution->report(warp, "absent-lanes", first_lane(lanes), "executes a whole-warp instruction without all 32 lanes: the result is undefined");
  }
  return true;
}

}  // namespace seam::sim
