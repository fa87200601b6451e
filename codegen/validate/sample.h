#pragma once
/// Which blocks of a launch a proof runs, and which elements those blocks must write.
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "planner/plan.h"
#include "validate/indices.h"

namespace seam::codegen {

struct Sample {
  bool whole = true;
  std::vector<std::uint64_t> blocks;              ///< linear block indices, ascending; empty if whole
  std::map<Id<graph::Op>, Indices> owned;         ///< per output: what the sampled blocks write, ascending; empty if whole
  std::set<Id<graph::Op>> complete;               ///< outputs of which every block runs
};
/// Blocks of parts that update a buffer in place own no elements: all of them run, or, to measure the others, none.
enum class Updates : std::uint8_t { Run, Skip };

/// A part's chunk is `splits` blocks that must run together. Takes whole chunks: the first and last of each part, the rest spread evenly, so that
/// about `most_blocks` run; everything if they fit.
[[nodiscard]] Sample sample(const graph::Computation& computation, const planner::FusionGroup& group, std::uint64_t most_blocks, Updates updates = Updates::Run);

/// Elements of an output that chunk `chunk` of `blocks` owns (planner/schedule.h).
[[nodiscard]] Indices owned_elements(const graph::Shape& shape, const planner::Schedule& schedule, std::int64_t blocks, std::int64_t chunk);

}  // namespace seam::codegen
