#pragma once
/// Instructions that lanes of a warp execute together: shuffles, votes, bar.warp.sync.
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

}  // namespace seam::sim
