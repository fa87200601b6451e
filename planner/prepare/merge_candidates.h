#pragma once
/// Which products of a computation may become one: the law alone, no prices.
#include <set>
#include <vector>

#include "planner/veto.h"
#include "prepare/merge.h"
#include "stitch/problem.h"

namespace seam::planner {

struct MergeCandidates {
  std::vector<Merge> merges;  ///< no product in two of them
  std::vector<EarlyVeto> refused;
};

/// How far apart in the program products may stand that are stacked.
enum class Reach : std::uint8_t {
  Level,  ///< after the same number of calls: nobody waits longer than before
  Any,    ///< the first waits until the last one's factor is there
};
/// Products for the library that read the same factor on the same side, with the same dims, types and precision, none of which needs
/// another: stacked along the first free dim of the other factor. Dims besides that one must agree.
[[nodiscard]] MergeCandidates stacks(const stitch::Problem& problem, Reach reach);
/// Sums of such products of one shape, which nothing else reads. A product accumulates in a type no narrower than its result, so where the
/// result is f32 or f64 the one longer sum rounds no more coarsely than the sums and additions that it replaces. Results of 16 bits are left alone: the
/// module rounds each product (and may overflow) before it adds, and no rounding to 16 bits is left out.
[[nodiscard]] MergeCandidates sums(const stitch::Problem& problem);

}  // namespace seam::planner
