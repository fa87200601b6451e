#include "evaluate/scalar.h"

#include <bit>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "evaluate/kernel.h"

namespace seam::graph {
namespace {

using Complex = std::complex<double>;

std::uint64_t low_bits(int width) { return width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1; }

std::int64_t integer_divide(DType dtype, std::int64_t x, std::int64_t y) {
  if (y == 0) return -1;
  if (is_unsigned(dtype)) return std::bit_cast<std::int64_t>(static_cast<std::uint64_t>(x) / static_cast<std::uint64_t>(y));
  if (y == -1) return std::bit_cast<std::int64_t>(-static_cast<std::uint64_t>(x));  // INT_MIN / -1 = INT_MIN
  return x / y;
}

std::int64_t integer_remainder(DType dtype, std::int64_t x, std::int64_t y) {
  if (y == 0) return x;
  if (is_unsigned(dtype)) return std::bit_cast<std::int64_t>(static_cast<std::uint64_t>(x) % static_cast<std::uint64_t>(y));
  return y == -1 ? 0 : x % y;
}

std::int64_t integer_power(DType dtype, std::int64_t x, std::int64_t y) {
  if (is_signed(dtype) && y < 0) {
    if (x == 1) return 1;
    if (x == -1) return y % 2 == 0 ? 1 : -1;
    return 0;  // also 0 to a negative power, as XLA has it
  }
  auto base = static_cast<std::uint64_t>(x), result = std::uint64_t{1};
  for (auto exponent = static_cast<std::uint64_t>(y); exponent != 0; exponent >>= 1U, base *= base) {
    if ((exponent & 1U) != 0) result *= base;
  }
  return std::bit_cast<std::int64_t>(result);
}

std::int64_t shift(Opcode opcode, DType dtype, std::int64_t x, std::int64_t y) {
  const int width = bits(dtype);
  const std::uint64_t value = static_cast<std::uint64_t>(x) & low_bits(width);
  const std::uint64_t amount = static_cast<std::uint64_t>(y) & low_bits(width);
  const bool too_far = amount >= static_cast<std::uint64_t>(width);
  if (opcode == Opcode::ShiftLeft) return too_far ? 0 : std::bit_cast<std::int64_t>(value << amount);
  if (opcode == Opcode::ShiftRightLogical) return too_far ? 0 : std::bit_cast<std::int64_t>(value >> amount);
  // Arithmetic: the sign of the narrow type fills, for unsigned types too.
  const std::int64_t extended = std::bit_cast<std::int64_t>(value << (64 - width)) >> (64 - width);
  return extended >> (too_far ? 63 : static_cast<int>(amount));
}

std::int64_t high_product(DType dtype, std::int64_t x, std::int64_t y) {
  const int width = bits(dtype);
  if (is_unsigned(dtype)) {
    const auto product = static_cast<unsigned __int128>(static_cast<std::uint64_t>(x)) * static_cast<std::uint64_t>(y);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(product >> width));
  }
  return static_cast<std::int64_t>((static_cast<__int128>(x) * y) >> width);
}

Complex complex_unary(Opcode opcode, Complex x) {
  switch (opcode) {
    case Opcode::Negate: return -x;
    case Opcode::Exp: return std::exp(x);
    case Opcode::Expm1: return std::exp(x) - 1.0;
    case Opcode::Log: return std::log(x);
    case Opcode::Log1p: return std::log(x + 1.0);
    case Opcode::Sqrt: return std::sqrt(x);
    case Opcode::Rsqrt: return 1.0 / std::sqrt(x);
    case Opcode::Cosine: return std::cos(x);
    case Opcode::Sine: return std::sin(x);
    case Opcode::Tan: return std::tan(x);
    case Opcode::Tanh: return std::tanh(x);
    case Opcode::Cosh: return std::cosh(x);
    case Opcode::Sinh: return std::sinh(x);
    case Opcode::Acos: return std::acos(x);
    case Opcode::Asin: return std::asin(x);
    case Opcode::Acosh: return std::acosh(x);
    case Opcode::Asinh: return std::asinh(x);
    case Opcode::Atanh: return std::atanh(x);
    case Opcode::Logistic: return 1.0 / (1.0 + std::exp(-x));
    case Opcode::Cbrt: return std::pow(x, 1.0 / 3.0);
    case Opcode::Copy: return x;
    case Opcode::Sign: return x == Complex{} ? x : x / std::abs(x);
    default: break;
  }
  SEAM_CHECK(false, "complex_unary: an opcode that can_apply does not name");
}

Complex complex_binary(Opcode opcode, Complex x, Complex y) {
  switch (opcode) {
    case Opcode::Add: return x + y;
    case Opcode::Subtract: return x - y;
    case Opcode::Multiply: return x * y;
    case Opcode::Divide: return x / y;
    case Opcode::Power: return x == Complex{} && y == Complex{} ? Complex{1} : std::pow(x, y);
    case Opcode::Atan2: {
      // -i log((y + i x) / sqrt(x² + y²)) with XLA's operand order (y, x)
      const Complex i(0, 1);
      return -i * std::log((y + i * x) / std::sqrt(x * x + y * y));
    }
    default: break;
  }
  SEAM_CHECK(false, "complex_binary: an opcode that can_apply does not name");
}

bool is_real_unary(Opcode opcode) {
  switch (opcode) {
    case Opcode::Abs: case Opcode::Acos: case Opcode::Acosh: case Opcode::Asin: case Opcode::Asinh: case Opcode::Atanh:
    case Opcode::Cbrt: case Opcode::Ceil: case Opcode::Cosine: case Opcode::Cosh: case Opcode::Erf: case Opcode::Exp:
    case Opcode::Expm1: case Opcode::Floor: case Opcode::Log: case Opcode::Log1p: case Opcode::Logistic:
    case Opcode::Negate: case Opcode::RoundNearestAfz: case Opcode::RoundNearestEven: case Opcode::Rsqrt:
    case Opcode::Sign: case Opcode::Sine: case Opcode::Sinh: case Opcode::Sqrt: case Opcode::Tan: case Opcode::Tanh:
    case Opcode::Not: case Opcode::Copy: return true;
    default: return false;
  }
}
bool is_real_binary(Opcode opcode) {
  switch (opcode) {
    case Opcode::Add: case Opcode::Atan2: case Opcode::Divide: case Opcode::Maximum: case Opcode::Minimum:
    case Opcode::Multiply: case Opcode::Power: case Opcode::Remainder: case Opcode::Subtract: return true;
    default: return false;
  }
}
bool is_integer_unary(Opcode opcode) {
  switch (opcode) {
    case Opcode::Abs: case Opcode::Negate: case Opcode::Not: case Opcode::Sign: case Opcode::PopulationCount:
    case Opcode::CountLeadingZeros: case Opcode::Copy: return true;
    default: return false;
  }
}
bool is_integer_binary(Opcode opcode) {
  switch (opcode) {
    case Opcode::Add: case Opcode::And: case Opcode::Divide: case Opcode::Maximum: case Opcode::Minimum:
    case Opcode::MulHi: case Opcode::Multiply: case Opcode::Or: case Opcode::Power: case Opcode::Remainder:
    case Opcode::ShiftLeft: case Opcode::ShiftRightArithmetic: case Opcode::ShiftRightLogical: case Opcode::Subtract:
    case Opcode::Xor: return true;
    default: return false;
  }
}
bool is_complex_unary(Opcode opcode) {
  switch (opcode) {
    case Opcode::Abs: case Opcode::Ceil: case Opcode::Erf: case Opcode::Floor: case Opcode::Not:
    case Opcode::RoundNearestAfz: case Opcode::RoundNearestEven: return false;
    default: return is_real_unary(opcode);
  }
}
bool is_complex_binary(Opcode opcode) {
  switch (opcode) {
    case Opcode::Add: case Opcode::Atan2: case Opcode::Divide: case Opcode::Multiply: case Opcode::Power:
    case Opcode::Subtract: return true;
    default: return false;
  }
}
bool is_logical(Opcode opcode) {
  return opcode == Opcode::And || opcode == Opcode::Or || opcode == Opcode::Xor || opcode == Opcode::Maximum ||
         opcode == Opcode::Minimum || opcode == Opcode::Add || opcode == Opcode::Multiply;
}

Scalar of(double number) { return {number, 0, 0}; }
Scalar of(std::int64_t integer) { return {0, integer, 0}; }
Scalar of(Complex value) { return {value.real(), 0, value.imag()}; }

Scalar clamp(DType dtype, const Scalar& low, const Scalar& x, const Scalar& high) {
  if (is_integer(dtype)) {
    const std::int64_t raised = integer_binary(Opcode::Maximum, dtype, low.integer, x.integer);
    return of(integer_binary(Opcode::Minimum, dtype, raised, high.integer));
  }
  return of(real_binary(Opcode::Minimum, real_binary(Opcode::Maximum, low.number, x.number), high.number));
}

bool compare(const Op& op, DType from, const Scalar& x, const Scalar& y) {
  const Attributes& a = op.attributes;
  if (is_integer(from)) return compare_integer(a.direction, from, x.integer, y.integer);
  if (is_complex(from)) {
    const bool equal = x.number == y.number && x.imaginary == y.imaginary;
    return a.direction == Direction::NE ? !equal : equal;
  }
  if (a.compare_type == "TOTALORDER") return compare_total(a.direction, x.number, y.number);
  return compare_real(a.direction, x.number, y.number);
}

}  // namespace

double real_unary(Opcode opcode, double x) {
  switch (opcode) {
    case Opcode::Abs: return std::fabs(x);
    case Opcode::Acos: return std::acos(x);
    case Opcode::Acosh: return std::acosh(x);
    case Opcode::Asin: return std::asin(x);
    case Opcode::Asinh: return std::asinh(x);
    case Opcode::Atanh: return std::atanh(x);
    case Opcode::Cbrt: return std::cbrt(x);
    case Opcode::Ceil: return std::ceil(x);
    case Opcode::Cosine: return std::cos(x);
    case Opcode::Cosh: return std::cosh(x);
    case Opcode::Erf: return std::erf(x);
    case Opcode::Exp: return std::exp(x);
    case Opcode::Expm1: return std::expm1(x);
    case Opcode::Floor: return std::floor(x);
    case Opcode::Log: return std::log(x);
    case Opcode::Log1p: return std::log1p(x);
    case Opcode::Logistic: return 1 / (1 + std::exp(-x));
    case Opcode::Negate: return -x;
    case Opcode::Not: return x == 0 ? 1 : 0;
    case Opcode::RoundNearestAfz: return std::round(x);
    case Opcode::RoundNearestEven: return std::nearbyint(x);
    case Opcode::Rsqrt: return 1 / std::sqrt(x);
    case Opcode::Sign: return x > 0 ? 1 : (x < 0 ? -1 : x);
    case Opcode::Sine: return std::sin(x);
    case Opcode::Sinh: return std::sinh(x);
    case Opcode::Sqrt: return std::sqrt(x);
    case Opcode::Tan: return std::tan(x);
    case Opcode::Tanh: return std::tanh(x);
    case Opcode::Copy: return x;
    default: break;
  }
  SEAM_CHECK(false, "real_unary: an opcode that can_apply does not name");
}

double real_binary(Opcode opcode, double x, double y) {
  switch (opcode) {
    case Opcode::Add: return x + y;
    case Opcode::Atan2: return std::atan2(x, y);
    case Opcode::Divide: return x / y;
    case Opcode::Maximum: return std::isnan(x) || std::isnan(y) ? x + y : (x < y ? y : x);
    case Opcode::Minimum: return std::isnan(x) || std::isnan(y) ? x + y : (y < x ? y : x);
    case Opcode::Multiply: return x * y;
    case Opcode::Power: return std::pow(x, y);
    case Opcode::Remainder: return std::fmod(x, y);
    case Opcode::Subtract: return x - y;
    default: break;
  }
  SEAM_CHECK(false, "real_binary: an opcode that can_apply does not name");
}

std::int64_t integer_unary(Opcode opcode, DType dtype, std::int64_t x) {
  const int width = bits(dtype);
  const std::uint64_t raw = static_cast<std::uint64_t>(x) & low_bits(width);
  switch (opcode) {
    case Opcode::Abs: return is_signed(dtype) && x < 0 ? wrapped(dtype, std::bit_cast<std::int64_t>(-static_cast<std::uint64_t>(x))) : x;
    case Opcode::Negate: return wrapped(dtype, std::bit_cast<std::int64_t>(-static_cast<std::uint64_t>(x)));
    case Opcode::Not: return wrapped(dtype, ~x);
    case Opcode::Sign: return is_unsigned(dtype) ? (raw != 0 ? 1 : 0) : (x > 0) - (x < 0);
    case Opcode::PopulationCount: return std::popcount(raw);
    case Opcode::CountLeadingZeros: return std::countl_zero(raw) - (64 - width);
    case Opcode::Copy: return x;
    default: break;
  }
  SEAM_CHECK(false, "integer_unary: an opcode that can_apply does not name");
}

std::int64_t integer_binary(Opcode opcode, DType dtype, std::int64_t x, std::int64_t y) {
  const auto ux = static_cast<std::uint64_t>(x), uy = static_cast<std::uint64_t>(y);
  const auto wrap = [&](std::uint64_t value) { return wrapped(dtype, std::bit_cast<std::int64_t>(value)); };
  switch (opcode) {
    case Opcode::Add: return wrap(ux + uy);
    case Opcode::Subtract: return wrap(ux - uy);
    case Opcode::Multiply: return wrap(ux * uy);
    case Opcode::And: return x & y;
    case Opcode::Or: return x | y;
    case Opcode::Xor: return x ^ y;
    case Opcode::Maximum: return compare_integer(Direction::LT, dtype, x, y) ? y : x;
    case Opcode::Minimum: return compare_integer(Direction::LT, dtype, y, x) ? y : x;
    case Opcode::Divide: return wrapped(dtype, integer_divide(dtype, x, y));
    case Opcode::Remainder: return wrapped(dtype, integer_remainder(dtype, x, y));
    case Opcode::Power: return wrapped(dtype, integer_power(dtype, x, y));
    case Opcode::MulHi: return wrapped(dtype, high_product(dtype, x, y));
    case Opcode::ShiftLeft:
    case Opcode::ShiftRightArithmetic:
    case Opcode::ShiftRightLogical: return wrapped(dtype, shift(opcode, dtype, x, y));
    default: break;
  }
  SEAM_CHECK(false, "integer_binary: an opcode that can_apply does not name");
}

bool compare_real(Direction direction, double x, double y) {
  switch (direction) {
    case Direction::EQ: return x == y;
    case Direction::NE: return x != y;
    case Direction::GE: return x >= y;
    case Direction::GT: return x > y;
    case Direction::LE: return x <= y;
    case Direction::LT: break;
  }
  return x < y;
}

bool compare_total(Direction direction, double x, double y) {
  const auto key = [](double value) {
    const auto raw = std::bit_cast<std::int64_t>(value);
    return raw < 0 ? raw ^ std::numeric_limits<std::int64_t>::max() : raw;
  };
  return compare_integer(direction, DType::S64, key(x), key(y));
}

bool compare_integer(Direction direction, DType dtype, std::int64_t x, std::int64_t y) {
  // Flipping the top bit makes the signed order the unsigned one; only u64 has values there.
  if (dtype == DType::U64) {
    x ^= std::numeric_limits<std::int64_t>::min();
    y ^= std::numeric_limits<std::int64_t>::min();
  }
  switch (direction) {
    case Direction::EQ: return x == y;
    case Direction::NE: return x != y;
    case Direction::GE: return x >= y;
    case Direction::GT: return x > y;
    case Direction::LE: return x <= y;
    case Direction::LT: break;
  }
  return x < y;
}

Scalar converted(Scalar x, DType from, DType to) {
  if (is_integer(from)) {
    if (is_integer(to)) return of(wrapped(to, x.integer));
    if (to == DType::Pred) return of(x.integer != 0 ? 1.0 : 0.0);
    const double number = from == DType::U64 ? static_cast<double>(static_cast<std::uint64_t>(x.integer))
                                             : static_cast<double>(x.integer);
    return of(number);
  }
  if (!is_integer(to)) {
    if (to == DType::Pred) return of(x.number != 0 ? 1.0 : 0.0);
    return {x.number, 0, is_complex(from) && is_complex(to) ? x.imaginary : 0};
  }
  if (std::isnan(x.number)) return of(std::int64_t{0});
  const int width = bits(to);
  const double whole = std::trunc(x.number);
  if (is_signed(to)) {
    const double limit = std::ldexp(1.0, width - 1);
    if (whole >= limit) return of(static_cast<std::int64_t>(low_bits(width - 1)));
    if (whole < -limit) return of(-static_cast<std::int64_t>(low_bits(width - 1)) - 1);
    return of(static_cast<std::int64_t>(whole));
  }
  if (whole <= 0) return of(std::int64_t{0});
  if (whole >= std::ldexp(1.0, width)) return of(std::bit_cast<std::int64_t>(low_bits(width)));
  return of(std::bit_cast<std::int64_t>(static_cast<std::uint64_t>(whole)));
}

double reduced_precision(double x, std::int64_t exponent_bits, std::int64_t mantissa_bits) {
  if (!std::isfinite(x) || x == 0) return x;
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);  // in [0.5, 1): one mantissa bit is implied
  double result = x;
  if (mantissa_bits < 52) {
    const int kept = static_cast<int>(mantissa_bits) + 1;
    result = std::ldexp(std::nearbyint(std::ldexp(fraction, kept)), exponent - kept);
  }
  (void)std::frexp(result, &exponent);
  const std::int64_t bias = (std::int64_t{1} << (exponent_bits - 1)) - 1;
  if (exponent - 1 > bias) return std::copysign(std::numeric_limits<double>::infinity(), x);
  if (exponent - 1 < 1 - bias) return std::copysign(0.0, x);
  return result;
}

bool can_apply(Opcode opcode, DType from) {
  switch (opcode) {
    case Opcode::Compare:
    case Opcode::Select:
    case Opcode::Convert:
    case Opcode::Copy: return true;
    case Opcode::Clamp: return !is_complex(from);
    case Opcode::Complex: return from == DType::F32 || from == DType::F64;
    case Opcode::Real:
    case Opcode::Imag: return !is_integer(from);
    case Opcode::Abs: return from != DType::Pred;
    case Opcode::IsFinite:
    case Opcode::ReducePrecision: return is_float(from);
    default: break;
  }
  if (from == DType::Pred) return is_logical(opcode) || opcode == Opcode::Not;
  if (is_integer(from)) return is_integer_unary(opcode) || is_integer_binary(opcode);
  if (is_complex(from)) return is_complex_unary(opcode) || is_complex_binary(opcode);
  return opcode != Opcode::Not && (is_real_unary(opcode) || is_real_binary(opcode));
}

Scalar apply(const Op& op, DType from, const Scalar& x, const Scalar& y, const Scalar& z) {
  switch (op.opcode) {
    case Opcode::Compare: return of(compare(op, from, x, y) ? 1.0 : 0.0);
    case Opcode::Select: return x.number != 0 ? y : z;
    case Opcode::Clamp: return clamp(from, x, y, z);
    case Opcode::Convert: return converted(x, from, op.shape.dtype);
    case Opcode::Complex: return {x.number, 0, y.number};
    case Opcode::Real: return of(x.number);
    case Opcode::Imag: return of(is_complex(from) ? x.imaginary : 0.0);
    case Opcode::IsFinite: return of(std::isfinite(x.number) ? 1.0 : 0.0);
    case Opcode::ReducePrecision:
      return of(reduced_precision(x.number, op.attributes.exponent_bits, op.attributes.mantissa_bits));
    default: break;
  }
  const bool binary = arity(op.opcode) == 2;
  if (is_integer(from)) {
    return of(binary ? integer_binary(op.opcode, from, x.integer, y.integer) : integer_unary(op.opcode, from, x.integer));
  }
  if (is_complex(from)) {
    if (op.opcode == Opcode::Abs) return of(std::hypot(x.number, x.imaginary));
    const Complex cx(x.number, x.imaginary), cy(y.number, y.imaginary);
    return of(binary ? complex_binary(op.opcode, cx, cy) : complex_unary(op.opcode, cx));
  }
  if (from == DType::Pred && binary) {
    const bool a = x.number != 0, b = y.number != 0;
    const bool any = op.opcode == Opcode::Or || op.opcode == Opcode::Maximum || op.opcode == Opcode::Add;
    if (op.opcode == Opcode::Xor) return of(a != b ? 1.0 : 0.0);
    return of((any ? a || b : a && b) ? 1.0 : 0.0);
  }
  return of(binary ? real_binary(op.opcode, x.number, y.number) : real_unary(op.opcode, x.number));
}

Scalar rounded(DType dtype, Scalar x) {
  if (is_float(dtype)) x.number = round_to(dtype, x.number);
  if (dtype == DType::C64) {
    x.number = round_to(DType::F32, x.number);
    x.imaginary = round_to(DType::F32, x.imaginary);
  }
  return x;
}

}  // namespace seam::graph
