#pragma once
/// Kernel values against reference values.
#include <cstdint>
#include <span>
#include <string>

#include "base/npy.h"
#include "graph/evaluate.h"
#include "validate/indices.h"

namespace seam::codegen {

struct Comparison {
  double max_abs = 0, max_rel = 0;  ///< over finite pairs
  double worst_allowed = 0;         ///< what the worst element was allowed
  double worst_ratio = 0;           ///< largest difference / allowed
  std::uint64_t compared = 0, wrong = 0;
  std::uint64_t telling = 0;        ///< of the compared ones: integers, and finite numbers
  std::uint64_t moved = 0;          ///< finite elements that are not what rounding op by op gives (see Rounding)
  std::string first_wrong;          ///< "element 17: 0.5, reference 0.25, allowed 1e-3"
};

/// Where a group computes in f16 or bf16, the table of tolerances is wide: a rounding left out or made twice, a term of a long sum missing, stays below
/// it. But such kernels compute in f32 what they round: nearly every element is bit for bit what rounding op by op gives, and only those that
/// lie next to a tie may fall to the other side. `unit`: unit roundoff of the coarsest type on the way to the output, 0 where there is none.
struct RoundingCheck {
  double unit = 0;
};
/// Both NaN, both the same infinity, or both finite.
[[nodiscard]] bool same_class(double a, double b);
/// How many of `elements` may have fallen to the other side: one percent, and the chance that f32 arithmetic and the order of sums moves one of them.
[[nodiscard]] std::uint64_t most_moved(RoundingCheck check, DType dtype, std::int64_t reduction_length, std::uint64_t elements);

/// `actual` at `at` against the reference in two roundings. Allowed per element: abs x the largest reference value + rel * |reference|
/// (the table of graph/tolerance.h) + twice the distance of the two roundings (where rounding op by op already moves the value, the order of a sum may as well).
/// `least_scale`: the table's scale is at least this; of a sum whose terms cancel, the terms say how exact it can be.
/// `rounding`: more elements than most_moved() off the reference that rounds op by op are wrong, too; those that `slack` explains are not counted.
/// `slack`: per element, how far the reference moves when its own sums are moved by their rounding (Demand::shaken); four times that is allowed too.
/// `copies`: elements that hold one rounded value (a broadcast's): they fall to the other side together.
/// NaN must meet NaN, an infinity the same infinity, unless the two references themselves disagree about it.
[[nodiscard]] Comparison compare(const Array& actual, const Indices& at, const graph::Value& wide, const graph::Value& rounded,
                                 std::int64_t reduction_length, RoundingCheck rounding = {}, double least_scale = 0, std::span<const double> slack = {}, std::int64_t copies = 1);

}  // namespace seam::codegen
