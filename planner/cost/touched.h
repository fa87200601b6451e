#pragma once
/// What a kernel touches of each value it reads: regions travel from the loops backwards through the inlined ops. The
/// planner's byte model; the simulator must count the same.
#include <map>

#include "cost/region.h"
#include "planner/plan.h"

namespace seam::planner {

/// The region of operand `which` that an op reads to compute `output` of its own value.
[[nodiscard]] Region operand_region(const graph::Computation& computation, const graph::Op& op, std::size_t which,
                                    const Region& output);

struct Touched {
  std::map<Id<graph::Op>, Region> inputs;  ///< by storage op; those only updated in place have none
  std::int64_t bytes_read = 0, bytes_written = 0;
  bool exact = true;
};
[[nodiscard]] Touched touched(const graph::Computation& computation, const FusionGroup& group);

}  // namespace seam::planner
