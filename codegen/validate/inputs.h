#pragma once
/// Input tensors for proofs: seeded, by distribution, the same on every machine.
#include <cstdint>
#include <string_view>

#include "base/npy.h"
#include "graph/graph.h"
#include "planner/plan.h"

namespace seam::codegen {

enum class Distribution : std::uint8_t {
  Normal,    ///< about N(0, 1): what activations and gradients look like
  Positive,  ///< uniform in [0.1, 2): keeps sqrt, log and divisions away from NaN
  Special,   ///< normal values among zeros of both signs, denormals, large values, infinities and NaN
};
[[nodiscard]] constexpr std::string_view name(Distribution d) {
  return d == Distribution::Normal ? "normal" : d == Distribution::Positive ? "positive" : "special";
}

/// Large tensors repeat a block of 65,537 elements (a prime, so that no shape lines up with it). Integers are uniform in
/// [integer_low, integer_high]; pred is a coin.
[[nodiscard]] Array random_array(DType dtype, const std::vector<std::int64_t>& dims, Distribution distribution, std::uint64_t seed,
                                 std::int64_t integer_low, std::int64_t integer_high);

/// A range for integer inputs that exercises the group's indexing: just outside [0, largest dimension that its gathers, scatters and dynamic slices
/// index) if it has some, otherwise small numbers.
[[nodiscard]] std::pair<std::int64_t, std::int64_t> integer_range(const graph::Computation& computation, const planner::FusionGroup& group);

}  // namespace seam::codegen
