#pragma once
/// What to do about a job whose ranks are known: rules over the figures of a RankSet.
#include <vector>

#include "analyzer/ranks.h"

namespace seam::analyzer {

[[nodiscard]] std::vector<Finding> rank_findings(const RankSet& set);

}  // namespace seam::analyzer
