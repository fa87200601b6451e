#pragma once
/// Which communication kernels of several ranks are one collective.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analyzer/rank_run.h"

namespace seam::analyzer {

struct Match {
  std::int64_t index = 0;  ///< place among those of its group and kind
  /// Of each run the place in RankRun::calls, or kNone.
  std::vector<std::uint32_t> calls;
};
/// Of one process group and kind of kernel, collectives are the same by their number in the group where all ranks say one, otherwise by their order: all ranks
/// of a group call them in one order. A recording may begin or end with other ones than the next: then the order is shifted so that the ends fit best
/// on the recorded clocks, which may be off by as much for all. What two runs or more have.
[[nodiscard]] std::vector<Match> match_collectives(std::span<const RankRun> runs);

}  // namespace seam::analyzer
