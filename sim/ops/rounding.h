#pragma once
/// Conversions between number formats with one rounding in a given direction: the plain, general way.
#include <bit>
#include <cmath>
#include <cstdint>

#include "ops/halves.h"
#include "ops/scalar.h"

namespace seam::sim {

/// |v| as double, rounded to odd if it does not fit: a later rounding to a narrower format is then the only one.
inline double magnitude_odd(std::uint64_t v) {
  const int extra = 64 - std::countl_zero(v) - 53;
  if (extra <= 0) return static_cast<double>(v);
  std::uint64_t kept = v >> extra;
  if ((v & ((std::uint64_t{1} << extra) - 1)) != 0) kept |= 1;
  return std::ldexp(static_cast<double>(kept), extra);
}

/// |v| to double in the direction; `negative` says which way is up.
inline double magnitude_to_double(std::uint64_t v, bool negative, Round round) {
  const int extra = 64 - std::countl_zero(v) - 53;
  if (extra <= 0) return static_cast<double>(v);
  const std::uint64_t kept = v >> extra;
  const std::uint64_t rest = v & ((std::uint64_t{1} << extra) - 1);
  const std::uint64_t half = std::uint64_t{1} << (extra - 1);
  bool outward = false;
  switch (round) {
    case Round::Nearest: outward = rest > half || (rest == half && (kept & 1) != 0); break;
    case Round::Zero: break;
    case Round::Down: outward = rest != 0 && negative; break;
    case Round::Up: outward = rest != 0 && !negative; break;
  }
  return std::ldexp(static_cast<double>(kept + (outward ? 1 : 0)), extra);
}

/// Does an inexact value of this sign go away from zero?
inline bool goes_outward(Round round, bool negative) {
  return (round == Round::Up && !negative) || (round == Round::Down && negative);
}

inline float to_float(double x, Round round) {
  const auto near = static_cast<float>(x);
  if (round == Round::Nearest || x != x || static_cast<double>(near) == x) {
    return near;
  }
  const auto bits = std::bit_cast<std::uint32_t>(near);
  const bool beyond = std::fabs(static_cast<double>(near)) > std::fabs(x);
  const std::uint32_t inner = beyond ? bits - 1 : bits;
  const bool outward = goes_outward(round, std::signbit(x));
  return std::bit_cast<float>(outward ? inner + 1 : inner);
}

template <bool kBf16>
inline std::uint16_t to_half(double x, Round round) {
  const float odd = to_float_odd(x);
  if (round == Round::Nearest || x != x) return to_half<kBf16>(odd);
  const auto bits = std::bit_cast<std::uint32_t>(odd);
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000U);
  if (magnitude == 0x7f800000U) return static_cast<std::uint16_t>(sign | (kBf16 ? 0x7f80U : 0x7c00U));
  std::uint32_t inner = 0;
  if constexpr (kBf16) {
    inner = magnitude >> 16;
  } else if (magnitude >= 0x47800000U) {
    inner = 0x7bff;
  } else if (magnitude >= 0x38800000U) {
    inner = (magnitude - 0x38000000U) >> 13;
  } else {
    inner = static_cast<std::uint32_t>(std::bit_cast<float>(magnitude) * 0x1p24F);
  }
  const bool exact = half_value<kBf16>(static_cast<std::uint16_t>(inner | sign)) == odd;
  if (!exact && goes_outward(round, sign != 0)) ++inner;
  return static_cast<std::uint16_t>(inner | sign);
}

inline double to_integral(double x, Round round) {
  switch (round) {
    case Round::Nearest: return std::nearbyint(x);
    case Round::Zero: return std::trunc(x);
    case Round::Down: return std::floor(x);
    case Round::Up: return std::ceil(x);
  }
  return x;
}

/// tf32: a float whose last 13 bits are 0; rounded to nearest, ties away from zero.
SEAM_SIM_INLINE std::uint32_t to_tf32_away(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t rounded = (bits + 0x1000U) & ~0x1fffU;
  const bool finite = (bits & 0x7f800000U) != 0x7f800000U;
  return x != x ? kNan32 : finite ? rounded : bits;
}

}  // namespace seam::sim
