#pragma once
/// f16 and bf16 values as floats and back. Both are exact on the way up and round to nearest even on the way down.
#include <bit>
#include <cstdint>

#include "ops/isa.h"

namespace seam::sim {

/// Half-precision instructions produce one NaN.
constexpr std::uint16_t kNan16 = 0x7fff;

SEAM_SIM_INLINE float f16_value(std::uint16_t h) {
  // Exponent and mantissa moved into place and rescaled: exact, subnormals included; infinities and NaN are mended.
  const std::uint32_t sign = (h & 0x8000U) << 16;
  const std::uint32_t magnitude = h & 0x7fffU;
  const float scaled = std::bit_cast<float>(magnitude << 13) * 0x1p112F;
  const std::uint32_t special = magnitude << 13 | 0x7f800000U;
  const std::uint32_t bits = magnitude >= 0x7c00U ? special : std::bit_cast<std::uint32_t>(scaled);
  return std::bit_cast<float>(bits | sign);
}

SEAM_SIM_INLINE float bf16_value(std::uint16_t h) {
  return std::bit_cast<float>(std::uint32_t{h} << 16);
}

template <bool kBf16>
SEAM_SIM_INLINE float half_value(std::uint16_t h) {
  if constexpr (kBf16) return bf16_value(h);
  return f16_value(h);
}

SEAM_SIM_INLINE std::uint16_t to_bf16(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t rounded = (bits + 0x7fffU + (bits >> 16 & 1U)) >> 16;
  return (bits & 0x7fffffffU) > 0x7f800000U ? kNan16 : static_cast<std::uint16_t>(rounded);
}

SEAM_SIM_INLINE std::uint16_t to_f16(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t sign = bits >> 16 & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  // Normal: rebias and round on bit 13. Subnormal: adding 0.5 lets the addition round at 2^-24.
  const std::uint32_t normal = (magnitude - 0x38000000U + 0xfffU + (magnitude >> 13 & 1U)) >> 13;
  const std::uint32_t small =
      std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) - 0x3f000000U;
  std::uint32_t out = magnitude < 0x38800000U ? small : normal;
  out = magnitude >= 0x477ff000U ? 0x7c00U : out;  // 65520 and up
  out = magnitude > 0x7f800000U ? kNan16 : (out | sign);
  return static_cast<std::uint16_t>(out);
}

template <bool kBf16>
SEAM_SIM_INLINE std::uint16_t to_half(float x) {
  if constexpr (kBf16) return to_bf16(x);
  return to_f16(x);
}

/// To float by rounding to odd: inexact results get an odd last bit, so that a second rounding to fewer bits comes out as if
/// it were the only one.
SEAM_SIM_INLINE float to_float_odd(double x) {
  const auto near = static_cast<float>(x);
  const auto bits = std::bit_cast<std::uint32_t>(near);
  const double back = near;
  const bool away = __builtin_fabs(back) > __builtin_fabs(x);
  const std::uint32_t odd = (away ? bits - 1 : bits) | 1U;
  return back == x || x != x ? near : std::bit_cast<float>(odd);
}

/// a·b + c with one rounding to the half type.
template <bool kBf16>
SEAM_SIM_INLINE std::uint16_t half_fma(float a, float b, float c) {
  const double product = static_cast<double>(a) * static_cast<double>(b);  // exact
  const double addend = c;
  const double sum = product + addend;
  // What the sum lost (2Sum), folded into its last bit.
  const double part = sum - product;
  const double lost = (product - (sum - part)) + (addend - part);
  const auto bits = std::bit_cast<std::uint64_t>(sum);
  const bool outward = (lost > 0) == (sum > 0);
  const std::uint64_t odd = (bits & 1) != 0 ? bits : outward ? bits + 1 : bits - 1;
  const bool exact = !(lost > 0 || lost < 0) || !(__builtin_fabs(sum) < 0x1p1000);
  return to_half<kBf16>(to_float_odd(exact ? sum : std::bit_cast<double>(odd)));
}

/// f16 subnormal → zero of the same sign.
SEAM_SIM_INLINE std::uint16_t flush_half(std::uint16_t h) {
  return (h & 0x7c00U) == 0 ? static_cast<std::uint16_t>(h & 0x8000U) : h;
}

}  // namespace seam::sim
