#include "emit/helpers.h"

#include <array>
#include <cctype>
#include <string>

namespace seam::codegen {
namespace {

struct Helper {
  std::string_view name;
  std::string_view text;
};

/// Callees before callers.
constexpr std::array kHelpers = {
    Helper{"f16_to_float", R"(// f16 and bf16 values are computed as floats; each op's result is rounded to its own type.
__device__ __forceinline__ float f16_to_float(unsigned short bits) {
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
  return value;
})"},
    Helper{"float_to_f16", R"(__device__ __forceinline__ unsigned short float_to_f16(float value) {
  unsigned short bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  return bits;
})"},
    Helper{"bf16_to_float", R"(__device__ __forceinline__ float bf16_to_float(unsigned short bits) {
  return __uint_as_float((unsigned int)bits << 16);
})"},
    Helper{"float_to_bf16", R"(__device__ __forceinline__ unsigned short float_to_bf16(float value) {
#if __CUDA_ARCH__ >= 800
  unsigned short bits;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  return bits;
#else
  const unsigned int bits = __float_as_uint(value);
  if (value != value) return (unsigned short)((bits >> 16) | 0x40u);
  return (unsigned short)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
#endif
})"},
    Helper{"round_f16", R"(__device__ __forceinline__ float round_f16(float value) { return f16_to_float(float_to_f16(value)); })"},
    Helper{"round_bf16", R"(__device__ __forceinline__ float round_bf16(float value) { return bf16_to_float(float_to_bf16(value)); })"},
    Helper{"double_to_float_odd", R"(// Rounds toward zero and marks what was lost, so that one more rounding is the only one.
__device__ __forceinline__ float double_to_float_odd(double value) {
  const float down = __double2float_rz(value);
  return value == value && (double)down != value ? __uint_as_float(__float_as_uint(down) | 1u) : down;
})"},
    Helper{"nan_max", R"(// HLO's maximum and minimum: NaN if either is NaN.
__device__ __forceinline__ float nan_max(float a, float b) { return a != a || a > b ? a : b; }
__device__ __forceinline__ double nan_max(double a, double b) { return a != a || a > b ? a : b; })"},
    Helper{"nan_min", R"(__device__ __forceinline__ float nan_min(float a, float b) { return a != a || a < b ? a : b; }
__device__ __forceinline__ double nan_min(double a, double b) { return a != a || a < b ? a : b; })"},
    Helper{"divide", R"(// HLO's integer division: x / 0 is all ones, the smallest value / -1 is itself.
template <class T>
__device__ __forceinline__ T divide(T a, T b) {
  if (b == 0) return (T)-1;
  if ((T)-1 < (T)0 && b == (T)-1) return (T)(0ull - (unsigned long long)a);
  return (T)(a / b);
})"},
    Helper{"remainder_of", R"(// x % 0 is x.
template <class T>
__device__ __forceinline__ T remainder_of(T a, T b) {
  if (b == 0) return a;
  if ((T)-1 < (T)0 && b == (T)-1) return (T)0;
  return (T)(a % b);
})"},
    Helper{"shift_left", R"(// Shifts by the width or more leave nothing (an arithmetic one: the sign).
template <class T>
__device__ __forceinline__ T shift_left(T a, T b) {
  return (unsigned long long)b < 8 * sizeof(T) ? (T)((unsigned long long)a << (int)b) : (T)0;
})"},
    Helper{"shift_right", R"(template <class T>
__device__ __forceinline__ T shift_right(T a, T b) {
  const unsigned long long mask = ~0ull >> (64 - 8 * (int)sizeof(T));
  return (unsigned long long)b < 8 * sizeof(T) ? (T)(((unsigned long long)a & mask) >> (int)b) : (T)0;
})"},
    Helper{"shift_right_sign", R"(template <class T>
__device__ __forceinline__ T shift_right_sign(T a, T b) {
  const int width = 8 * (int)sizeof(T);
  const int by = (unsigned long long)b < (unsigned long long)width ? (int)b : width - 1;
  const long long extended = (long long)((unsigned long long)a << (64 - width)) >> (64 - width);
  return (T)(extended >> by);
})"},
    Helper{"integer_power", R"(template <class T>
__device__ __forceinline__ T integer_power(T base, T exponent) {
  if (exponent < 0) return base == 1 ? (T)1 : base == (T)-1 ? (exponent & 1 ? (T)-1 : (T)1) : (T)0;
  unsigned long long result = 1, factor = (unsigned long long)base;
  for (unsigned long long left = (unsigned long long)exponent; left != 0; left >>= 1) {
    if (left & 1) result *= factor;
    factor *= factor;
  }
  return (T)result;
})"},
    Helper{"to_integer", R"(// HLO's float to integer: toward zero, saturating, NaN is 0.
template <class T>
__device__ __forceinline__ T to_integer(double value, double lowest, double highest) {
  if (value != value) return (T)0;
  if (value <= lowest) return (T)(long long)lowest;
  if (value >= highest) return (T)-1 < (T)0 ? (T)(~(1ull << (8 * sizeof(T) - 1)) & (~0ull >> (64 - 8 * (int)sizeof(T)))) : (T)~0ull;
  return (T)value;
})"},
    Helper{"total_order", R"(// Floats as integers that compare as IEEE's total order.
__device__ __forceinline__ long long total_order(float value) {
  const int bits = __float_as_int(value);
  return bits < 0 ? (long long)(bits ^ 0x7fffffff) : (long long)bits;
}
__device__ __forceinline__ long long total_order(double value) {
  const long long bits = __double_as_longlong(value);
  return bits < 0 ? bits ^ 0x7fffffffffffffffll : bits;
})"},
    Helper{"reduce_precision", R"(// Rounds to `exponent` and `mantissa` bits, kept in a float.
__device__ __forceinline__ float reduce_precision(float value, int exponent, int mantissa) {
  if (value != value) return value;
  unsigned int bits = __float_as_uint(value);
  const unsigned int sign = bits & 0x80000000u;
  bits &= 0x7fffffffu;
  const int drop = 23 - mantissa;
  if (drop > 0) {
    const unsigned int odd = (bits >> drop) & 1u;
    bits = (bits + ((1u << (drop - 1)) - 1u) + odd) & ~((1u << drop) - 1u);
  }
  const int bias = (1 << (exponent - 1)) - 1;
  const int e = (int)(bits >> 23);
  if (exponent < 8) {
    if (e > 127 + bias) bits = 0x7f800000u;
    if (e <= 127 - bias) bits = 0u;
  }
  return __uint_as_float(sign | bits);
})"},
    Helper{"atomic_add_f16", R"(__device__ __forceinline__ void atomic_add_f16(unsigned short* at, float value) {
  unsigned short seen = *(volatile unsigned short*)at, old;
  do {
    old = seen;
    seen = atomicCAS(at, old, float_to_f16(f16_to_float(old) + value));
  } while (seen != old);
})"},
    Helper{"atomic_add_bf16", R"(__device__ __forceinline__ void atomic_add_bf16(unsigned short* at, float value) {
  unsigned short seen = *(volatile unsigned short*)at, old;
  do {
    old = seen;
    seen = atomicCAS(at, old, float_to_bf16(bf16_to_float(old) + value));
  } while (seen != old);
})"},
};

bool calls(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const auto word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    const bool starts = at == 0 || !word(text[at - 1]);
    const std::size_t end = at + name.size();
    if (starts && end < text.size() && (text[end] == '(' || text[end] == '<')) return true;
  }
  return false;
}

}  // namespace

std::string helpers_for(std::string_view body) {
  std::array<bool, kHelpers.size()> used{};
  // Callers stand after callees: one pass from the end sees every call before its callee is decided.
  std::string seen(body);
  for (std::size_t i = kHelpers.size(); i-- > 0;) {
    used.at(i) = calls(seen, kHelpers.at(i).name);
    if (used.at(i)) seen += kHelpers.at(i).text;
  }
  std::string out;
  for (std::size_t i = 0; i < kHelpers.size(); ++i) {
    if (!used.at(i)) continue;
    out += kHelpers.at(i).text;
    out += "\n\n";
  }
  return out;
}

}  // namespace seam::codegen
