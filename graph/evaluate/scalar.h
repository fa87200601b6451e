#pragma once
/// The meaning of the element-wise ops on one element. Arrays and called computations (reducers, comparators) both use
/// these, so that an op means one thing.
#include <complex>
#include <optional>

#include "graph/graph.h"

namespace seam::graph {

/// One element; which members mean something depends on the dtype, as in Value.
struct Scalar {
  double number = 0;
  std::int64_t integer = 0;
  double imaginary = 0;
};

[[nodiscard]] double real_unary(Opcode opcode, double x);
[[nodiscard]] double real_binary(Opcode opcode, double x, double y);
[[nodiscard]] std::int64_t integer_unary(Opcode opcode, DType dtype, std::int64_t x);
/// Wraps around; division by zero and shifts too far are defined as in XLA.
[[nodiscard]] std::int64_t integer_binary(Opcode opcode, DType dtype, std::int64_t x, std::int64_t y);
[[nodiscard]] bool compare_real(Direction direction, double x, double y);
/// -NaN < -inf < … < -0 < +0 < … < inf < NaN
[[nodiscard]] bool compare_total(Direction direction, double x, double y);
[[nodiscard]] bool compare_integer(Direction direction, DType dtype, std::int64_t x, std::int64_t y);
/// Floats become integers by saturation, NaN becomes 0; integers wrap around. Not rounded to a float type.
[[nodiscard]] Scalar converted(Scalar x, DType from, DType to);
/// To fewer exponent and mantissa bits: nearest even, overflow to infinity, denormals of the smaller format to zero.
[[nodiscard]] double reduced_precision(double x, std::int64_t exponent_bits, std::int64_t mantissa_bits);

/// Any element-wise op except map, stochastic-convert and bitcast-convert. `from` is the dtype of operand 0 (select:
/// operand 1). The result is not rounded.
[[nodiscard]] Scalar apply(const Op& op, DType from, const Scalar& x, const Scalar& y, const Scalar& z);
/// apply() knows this opcode for operands of this dtype.
[[nodiscard]] bool can_apply(Opcode opcode, DType from);

/// Rounds to `dtype` if it is a float or complex type.
[[nodiscard]] Scalar rounded(DType dtype, Scalar x);

}  // namespace seam::graph
