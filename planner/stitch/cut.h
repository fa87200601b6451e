#pragma once
/// What each kernel reads from memory and what it computes again. A value computed earlier can be written there and read
/// here, or recomputed from values that are in memory anyway: a minimum cut over bytes (written + read) and instructions, phase by
/// phase from the last to the first, so that what a later kernel asks for is known when the earlier one is decided.
#include <set>
#include <vector>

#include "stitch/phases.h"

namespace seam::planner::stitch {

struct Traffic {
  std::vector<std::set<Id<graph::Op>>> reads;   ///< per phase: values read from memory (storage)
  std::set<Id<graph::Op>> written;              ///< values that some kernel writes
};

[[nodiscard]] Traffic choose_traffic(const Problem& problem, Timeline& timeline, Vetoes& vetoes);

}  // namespace seam::planner::stitch
