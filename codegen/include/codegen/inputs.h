#pragma once
/// Input tensors for proofs, reproducers and whole-program runs: seeded, by distribution, the same on every machine.
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/npy.h"
#include "graph/graph.h"
#include "planner/plan.h"

namespace seam::codegen {

enum class Distribution : std::uint8_t {
  Normal,    ///< about N(0, 1): what activations and gradients look like. Integers: uniform
  Positive,  ///< uniform in [0.1, 2): keeps sqrt, log and divisions away from NaN. Integers: the two highest and the two lowest in turn
  Special,   ///< normal values among zeros of both signs, denormals, infinities and NaN; no huge finite ones: what their sums give depends on the order.
             ///< Integers: the two lowest and the two highest in turn
  // Only for groups that the others tell too little about (input_sets):
  Large,     ///< in (-16000, -2000]: in turn rows of the last dimension whose last or first element is far above the others, and rows of one value.
             ///< A number alone is in (1, 2): a factor. Integers: as Tame; of a range with negative ones, those
  Coarse,    ///< -2^-9, 0 and 2^-9: ties, exact zeros, nothing or little under a root, where a constant counts. Integers: as Tame
  Above,     ///< as Normal. Integers: out of their range, above it and below it in turn
  Below,     ///< as Normal. Integers: out of their range, below it and above it in turn
  Tame,      ///< as Positive. Integers: -1, 0 and 1
  // Only for counting (profile.h):
  Usual,     ///< as Positive: no NaN sends a loop astray. Integers: uniform, so that gathers go everywhere
};
[[nodiscard]] std::string_view name(Distribution d);

/// The seed of the `number`-th tensor (from 1) of input set `set` (from 0). A kernel's tensors are numbered in the order of its arguments, those
/// that share a buffer once; constants that the graph states are what it states.
[[nodiscard]] constexpr std::uint64_t input_seed(int set, std::uint64_t number) { return (static_cast<std::uint64_t>(set) + 1) * 1000 + number; }
/// Sets from kFirstExtraSet on are the ones that only some groups get.
inline constexpr int kFirstExtraSet = 1000;
[[nodiscard]] constexpr int extra_set(Distribution d, int time = 0) { return kFirstExtraSet + 10 * time + static_cast<int>(d); }
[[nodiscard]] constexpr Distribution input_distribution(int set) {
  return static_cast<Distribution>(set >= kFirstExtraSet ? (set - kFirstExtraSet) % 10 : set % 3);
}
/// The sets that a group is proven on: the first `base` ones, without Special where a variadic reduce or a product leaves to the order what NaNs and
/// infinities give; Large where something other than a sum is reduced, or an exponential taken (a softmax is
/// the same whatever is subtracted, until it overflows; a maximum of positive numbers may start from 0); Coarse where a root is taken or numbers are compared;
/// Above and Below where integers index; these three times over where a group writes few elements. (Tame is for outputs that no other set makes finite: prove() finds out.)
[[nodiscard]] std::vector<int> input_sets(const graph::Graph& graph, const graph::Computation& computation, const planner::FusionGroup& group, int base);

/// Large tensors repeat a block of 65,537 elements (a prime, so that no shape lines up with it). Integers are in [integer_low, integer_high], as the
/// distribution says; pred is a coin.
[[nodiscard]] Array random_array(DType dtype, const std::vector<std::int64_t>& dims, Distribution distribution, std::uint64_t seed,
                                 std::int64_t integer_low, std::int64_t integer_high);

/// A range for integer inputs that exercises the group's indexing: [0, n), n the largest dimension that its gathers, scatters and dynamic slices index,
/// if it has some, otherwise small numbers of both signs.
[[nodiscard]] std::pair<std::int64_t, std::int64_t> integer_range(const graph::Computation& computation, const planner::FusionGroup& group);

}  // namespace seam::codegen
