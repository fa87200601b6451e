#pragma once
/// Element-wise parts of one kernel that walk the same elements and have something in common become one part with several outputs: what they share is
/// read and computed once per element, not once per output.
#include <set>
#include <vector>

#include "draft/draft.h"
#include "stitch/problem.h"

namespace seam::planner::stitch {

/// `reads`: what the kernel reads from memory. Parts keep their order; each joins the first that it has something in common with.
[[nodiscard]] std::vector<DraftPart> siblings_joined(const Problem& problem, std::vector<DraftPart> parts, const std::set<Id<graph::Op>>& reads);

}  // namespace seam::planner::stitch
