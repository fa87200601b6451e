#pragma once
/// Which blocks of a launch a proof runs, and which elements those blocks must write.
#include <cstdint>
#include <map>
#include <vector>

#include "planner/plan.h"
#include "validate/indices.h"

namespace seam::codegen {

struct Sample {
  bool whole = true;
  std::vector<std::uint64_t> blocks;              ///< linear block indices, ascending; empty if whole
  std::map<Id<graph::Op>, Indices> owned;         ///< per output: what the sampled blocks write, ascending; empty if whole
};

/// A part's chunk is `splits` blocks that must run together. Takes whole chunks: the first and last of each part, the rest spread evenly, so that
/// about `most_blocks` run. Everything if they fit, or if some output is updated in place (its blocks do not own elements).
[[nodiscard]] Sample sample(const graph::Computation& computation, const planner::FusionGroup& group, std::uint64_t most_blocks);

/// Elements of an output that chunk `chunk` of `blocks` owns (planner/schedule.h).
[[nodiscard]] Indices owned_elements(const graph::Shape& shape, const planner::Schedule& schedule, std::int64_t blocks, std::int64_t chunk);

}  // namespace seam::codegen
