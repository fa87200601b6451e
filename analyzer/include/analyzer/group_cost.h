#pragma once
/// A group of ops as if it were one kernel: what it reads from outside and what leaves it, once.
#include <vector>

#include "analyzer/op_cost.h"

namespace seam::analyzer {

/// `ops` of one computation, in any order. Values read through views, slices of them count what is taken; values that the root returns or
/// an op outside reads are written. Flops add up.
[[nodiscard]] OpCost cost_of_group(const graph::Computation& computation, const std::vector<Id<graph::Op>>& ops);

}  // namespace seam::analyzer
