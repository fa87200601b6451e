#pragma once
/// How many updates of a scatter land on one place: what its sums are long.
#include "validate/demand.h"

namespace seam::codegen {

/// The most updates of `scatter` that share their indices, whether or not these are in bounds, on the inputs behind `demand`. 0 if the indices are too many to
/// look at, or depend on something that cannot be evaluated.
[[nodiscard]] std::int64_t most_collisions(const Demand& demand, const graph::Computation& computation, Id<graph::Op> scatter);

}  // namespace seam::codegen
