#include "base/dtype.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace seam {
namespace {

struct Row {
  std::string_view text;
  int bits;
};
constexpr std::array kRows = {
#define X(id, text, width) Row{text, width},
    SEAM_DTYPES(X)
#undef X
};

/// A small binary float: sign, `exponent` bits with `bias`, `mantissa` bits. `infinity`: the top exponent holds
/// inf and NaN as in IEEE; otherwise only all-ones (fn) or negative zero (fnuz) is NaN.
struct FloatFormat {
  int exponent, mantissa, bias;
  bool infinity;
  bool negative_zero_is_nan;
  double largest;
  bool finite = false;  ///< no NaN either: overflow gives the largest number, NaN gives -0 (f4 and f6, as in ml_dtypes)
};

const FloatFormat* small_format(DType dtype) {
  static constexpr FloatFormat kF16{5, 10, 15, true, false, 65504.0};
  static constexpr FloatFormat kBF16{8, 7, 127, true, false, 3.3895313892515355e38};
  static constexpr FloatFormat kE5M2{5, 2, 15, true, false, 57344.0};
  static constexpr FloatFormat kE4M3{4, 3, 7, true, false, 240.0};
  static constexpr FloatFormat kE4M3FN{4, 3, 7, false, false, 448.0};
  static constexpr FloatFormat kE4M3B11{4, 3, 11, false, true, 30.0};
  static constexpr FloatFormat kE3M4{3, 4, 3, true, false, 15.5};
  static constexpr FloatFormat kE5M2FNUZ{5, 2, 16, false, true, 57344.0};
  static constexpr FloatFormat kE4M3FNUZ{4, 3, 8, false, true, 240.0};
  static constexpr FloatFormat kE2M1FN{2, 1, 1, false, false, 6.0, true};
  static constexpr FloatFormat kE2M3FN{2, 3, 1, false, false, 7.5, true};
  static constexpr FloatFormat kE3M2FN{3, 2, 3, false, false, 28.0, true};
  switch (dtype) {
    case DType::F4E2M1FN: return &kE2M1FN;
    case DType::F6E2M3FN: return &kE2M3FN;
    case DType::F6E3M2FN: return &kE3M2FN;
    case DType::F16: return &kF16;
    case DType::BF16: return &kBF16;
    case DType::F8E5M2: return &kE5M2;
    case DType::F8E4M3: return &kE4M3;
    case DType::F8E4M3FN: return &kE4M3FN;
    case DType::F8E4M3B11FNUZ: return &kE4M3B11;
    case DType::F8E3M4: return &kE3M4;
    case DType::F8E5M2FNUZ: return &kE5M2FNUZ;
    case DType::F8E4M3FNUZ: return &kE4M3FNUZ;
    default: return nullptr;
  }
}

/// Nearest value of the format, ties to even; overflow to infinity, or NaN where there is none.
double round_small(const FloatFormat& f, double value) {
  if (f.finite && std::isnan(value)) return -0.0;
  if (f.finite && std::abs(value) > f.largest) return std::copysign(f.largest, value);
  if (std::isnan(value)) return value;
  if (value == 0) return f.negative_zero_is_nan ? 0.0 : value;
  if (std::isinf(value)) return f.infinity ? value : std::numeric_limits<double>::quiet_NaN();
  const int lowest = 1 - f.bias;  // exponent of the smallest normal
  const int exponent = std::max(std::ilogb(value), lowest);
  // Scaling by powers of two is exact in double here; nearbyint rounds ties to even.
  const double unit = std::ldexp(1.0, exponent - f.mantissa);
  const double rounded = std::nearbyint(value / unit) * unit;
  if (std::abs(rounded) > f.largest) {
    return f.infinity ? std::copysign(std::numeric_limits<double>::infinity(), value)
                      : std::numeric_limits<double>::quiet_NaN();
  }
  if (rounded == 0 && f.negative_zero_is_nan) return 0.0;
  return rounded;
}

/// Bits of a value that the format holds exactly (as round_small returns it).
std::uint32_t encode(const FloatFormat& f, double value) {
  const std::uint32_t top = (1U << f.exponent) - 1;
  const std::uint32_t sign = std::signbit(value) ? 1U << (f.exponent + f.mantissa) : 0U;
  if (std::isnan(value)) {
    if (f.negative_zero_is_nan) return 1U << (f.exponent + f.mantissa);
    if (f.infinity) return sign | (top << f.mantissa) | (1U << (f.mantissa - 1));
    return sign | (top << f.mantissa) | ((1U << f.mantissa) - 1);
  }
  if (std::isinf(value)) return sign | (top << f.mantissa);
  if (value == 0) return sign;
  const int lowest = 1 - f.bias;
  const int exponent = std::ilogb(value);
  const double magnitude = std::abs(value);
  if (exponent < lowest) {  // subnormal
    return sign | static_cast<std::uint32_t>(std::ldexp(magnitude, f.mantissa - lowest));
  }
  const auto fraction = static_cast<std::uint32_t>(std::ldexp(magnitude, f.mantissa - exponent)) -
                        (1U << f.mantissa);
  return sign | (static_cast<std::uint32_t>(exponent + f.bias) << f.mantissa) | fraction;
}

double decode(const FloatFormat& f, std::uint32_t bits_in) {
  const std::uint32_t top = (1U << f.exponent) - 1;
  const bool negative = ((bits_in >> (f.exponent + f.mantissa)) & 1U) != 0;
  const std::uint32_t exponent = (bits_in >> f.mantissa) & top;
  const std::uint32_t fraction = bits_in & ((1U << f.mantissa) - 1);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  if (f.negative_zero_is_nan && negative && exponent == 0 && fraction == 0) return nan;
  if (f.infinity && exponent == top) {
    if (fraction != 0) return nan;
    const double inf = std::numeric_limits<double>::infinity();
    return negative ? -inf : inf;
  }
  if (!f.infinity && !f.negative_zero_is_nan && !f.finite && exponent == top && fraction == (1U << f.mantissa) - 1) return nan;
  const double magnitude =
      exponent == 0 ? std::ldexp(fraction, 1 - f.bias - f.mantissa)
                    : std::ldexp((1U << f.mantissa) + fraction, static_cast<int>(exponent) - f.bias - f.mantissa);
  return negative ? -magnitude : magnitude;
}

template <class T>
T peek(const void* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}
template <class T>
void poke(void* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

/// f8e8m0fnu: 2^(bits - 127) and nothing else; all ones is NaN. Scales of microscaling formats.
std::uint8_t encode_scale(double value) {
  if (!(value > 0) || std::isinf(value)) return 0xff;
  const double exponent = std::clamp(std::nearbyint(std::log2(value)), -127.0, 127.0);
  return static_cast<std::uint8_t>(static_cast<int>(exponent) + 127);
}
double decode_scale(std::uint8_t scale) {
  return scale == 0xff ? std::numeric_limits<double>::quiet_NaN() : std::ldexp(1.0, int{scale} - 127);
}

/// Modulo 2^64, so that every integer type can be cut from it; NaN and what no 64-bit integer holds give 0.
std::uint64_t integer_bits(double value) {
  if (!(std::abs(value) < 18446744073709551616.0)) return 0;
  return value < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(-value) : static_cast<std::uint64_t>(value);
}

}  // namespace

std::string_view name(DType dtype) { return kRows[static_cast<std::size_t>(dtype)].text; }

std::optional<DType> dtype_named(std::string_view text) {
  const auto* found = std::ranges::find(kRows, text, &Row::text);
  if (found == kRows.end()) return std::nullopt;
  return static_cast<DType>(found - kRows.begin());
}

int bits(DType dtype) { return kRows[static_cast<std::size_t>(dtype)].bits; }
int bytes(DType dtype) { return (bits(dtype) + 7) / 8; }
bool is_float(DType dtype) { return dtype >= DType::F16 && dtype <= DType::F6E2M3FN; }
bool is_signed(DType dtype) { return dtype >= DType::S1 && dtype <= DType::S64; }
bool is_unsigned(DType dtype) { return dtype >= DType::U1 && dtype <= DType::U64; }
bool is_integer(DType dtype) { return is_signed(dtype) || is_unsigned(dtype); }
bool is_complex(DType dtype) { return dtype == DType::C64 || dtype == DType::C128; }

std::uint16_t f32_to_f16(float value) { return f64_to_f16(static_cast<double>(value)); }
float f16_to_f32(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000U) << 16;
  const std::uint32_t exponent = (half >> 10) & 0x1fU;
  const std::uint32_t fraction = half & 0x3ffU;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000U | (fraction << 13));
  if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
  const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
  return sign != 0 ? -magnitude : magnitude;
}
std::uint16_t f32_to_bf16(float value) {
  const auto bits_in = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>((bits_in >> 16) | 0x40U);
  return static_cast<std::uint16_t>((bits_in + 0x7fffU + ((bits_in >> 16) & 1U)) >> 16);
}
float bf16_to_f32(std::uint16_t half) { return std::bit_cast<float>(std::uint32_t{half} << 16); }
std::uint16_t f64_to_f16(double value) {
  const FloatFormat& f = *small_format(DType::F16);
  return static_cast<std::uint16_t>(encode(f, round_small(f, value)));
}
std::uint16_t f64_to_bf16(double value) {
  const FloatFormat& f = *small_format(DType::BF16);
  return static_cast<std::uint16_t>(encode(f, round_small(f, value)));
}

double round_to(DType dtype, double value) {
  if (dtype == DType::F32) return static_cast<double>(static_cast<float>(value));
  if (const FloatFormat* f = small_format(dtype)) return round_small(*f, value);
  if (dtype == DType::F8E8M0FNU) return decode_scale(encode_scale(value));
  return value;
}

double load_as_double(DType dtype, const void* at) {
  switch (dtype) {
    case DType::F64: return peek<double>(at);
    case DType::F32: return static_cast<double>(peek<float>(at));
    case DType::F16: return static_cast<double>(f16_to_f32(peek<std::uint16_t>(at)));
    case DType::BF16: return static_cast<double>(bf16_to_f32(peek<std::uint16_t>(at)));
    case DType::Pred: return peek<std::uint8_t>(at) != 0 ? 1.0 : 0.0;
    case DType::S64: return static_cast<double>(peek<std::int64_t>(at));
    case DType::S32: return peek<std::int32_t>(at);
    case DType::S16: return peek<std::int16_t>(at);
    case DType::S8: case DType::S4: case DType::S2: case DType::S1: return peek<std::int8_t>(at);
    case DType::U64: return static_cast<double>(peek<std::uint64_t>(at));
    case DType::U32: return peek<std::uint32_t>(at);
    case DType::U16: return peek<std::uint16_t>(at);
    case DType::U8: case DType::U4: case DType::U2: case DType::U1: return peek<std::uint8_t>(at);
    default: break;
  }
  if (const FloatFormat* f = small_format(dtype)) return decode(*f, peek<std::uint8_t>(at));
  if (dtype == DType::F8E8M0FNU) return decode_scale(peek<std::uint8_t>(at));
  return 0;
}

void store_from_double(DType dtype, void* at, double value) {
  switch (dtype) {
    case DType::F64: return poke(at, value);
    case DType::F32: return poke(at, static_cast<float>(value));
    case DType::F16: return poke(at, f64_to_f16(value));
    case DType::BF16: return poke(at, f64_to_bf16(value));
    case DType::Pred: return poke(at, static_cast<std::uint8_t>(value != 0 ? 1 : 0));
    default: break;
  }
  if (const FloatFormat* f = small_format(dtype)) {
    return poke(at, static_cast<std::uint8_t>(encode(*f, round_small(*f, value))));
  }
  if (dtype == DType::F8E8M0FNU) return poke(at, encode_scale(value));
  const std::uint64_t integer = integer_bits(value);
  switch (bytes(dtype)) {
    case 8: return poke(at, integer);
    case 4: return poke(at, static_cast<std::uint32_t>(integer));
    case 2: return poke(at, static_cast<std::uint16_t>(integer));
    case 1: return poke(at, static_cast<std::uint8_t>(integer));
    default: break;
  }
}

}  // namespace seam
