#pragma once
/// Which element-wise values a part also keeps on chip, so that several loops do not compute them again (FusionStitching's "want"),
/// and in which order that is given up again when shared memory runs short ("shrink").
#include "draft/draft.h"
#include "stitch/problem.h"

namespace seam::planner::stitch {

/// Adds kept loops to the part while everything it keeps fits into `limit` bytes. `part` is not flat and its must-haves (reduces, dots) are in.
void keep_wanted(const Problem& problem, DraftPart& part, const std::set<Id<graph::Op>>& reads, std::int64_t limit);

/// Span of each op of a list towards its readers in the list: 0 for those that nobody there reads (FusionStitching's layers).
[[nodiscard]] std::vector<int> spans(const graph::Computation& computation, const std::vector<Id<graph::Op>>& ops);

}  // namespace seam::planner::stitch
