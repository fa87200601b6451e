#pragma once
/// An output that costs much to compute and that a row part of the same kernel computes anyway (a dropout's mask beside the softmax that it masks)
/// is written there, not computed a second time by a part of its own.
#include <set>
#include <vector>

#include "draft/draft.h"
#include "stitch/problem.h"

namespace seam::planner::stitch {

/// `reads`: what the kernel reads from memory. Parts keep their order; those whose outputs all went elsewhere are gone.
[[nodiscard]] std::vector<DraftPart> outputs_absorbed(const Problem& problem, std::vector<DraftPart> parts, const std::set<Id<graph::Op>>& reads);

}  // namespace seam::planner::stitch
