#pragma once
/// Input tensors for proofs, reproducers and whole-program runs: seeded, by distribution, the same on every machine.
#include <cstdint>
#include <string_view>

#include "base/npy.h"
#include "graph/graph.h"
#include "planner/plan.h"

namespace seam::codegen {

enum class Distribution : std::uint8_t {
  Normal,    ///< about N(0, 1): what activations and gradients look like
  Positive,  ///< uniform in [0.1, 2): keeps sqrt, log and divisions away from NaN
  Special,   ///< normal values among zeros of both signs, denormals, infinities and NaN; no huge finite ones: what their sums give depends on the order
};
[[nodiscard]] constexpr std::string_view name(Distribution d) {
  return d == Distribution::Normal ? "normal" : d == Distribution::Positive ? "positive" : "special";
}

/// The seed of the `number`-th tensor (from 1) of input set `set` (from 0). A kernel's tensors are numbered in the order of its arguments, those
/// that share a buffer once.
[[nodiscard]] constexpr std::uint64_t input_seed(int set, std::uint64_t number) { return (static_cast<std::uint64_t>(set) + 1) * 1000 + number; }
[[nodiscard]] constexpr Distribution input_distribution(int set) { return static_cast<Distribution>(set % 3); }

/// Large tensors repeat a block of 65,537 elements (a prime, so that no shape lines up with it). Integers are uniform in
/// [integer_low, integer_high]; pred is a coin.
[[nodiscard]] Array random_array(DType dtype, const std::vector<std::int64_t>& dims, Distribution distribution, std::uint64_t seed,
                                 std::int64_t integer_low, std::int64_t integer_high);

/// A range for integer inputs that exercises the group's indexing: just outside [0, largest dimension that its gathers, scatters and dynamic slices
/// index) if it has some, otherwise small numbers.
[[nodiscard]] std::pair<std::int64_t, std::int64_t> integer_range(const graph::Computation& computation, const planner::FusionGroup& group);

}  // namespace seam::codegen
