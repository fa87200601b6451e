/// f16, bf16 and pairs of them: add sub mul fma min max neg abs.
#include <array>

#include "ops/families.h"
#include "ops/halves.h"
#include "ops/loops.h"
#include "ops/scalar.h"

namespace seam::sim {
namespace {

using Half = std::uint16_t;

enum class HalfOp : std::uint8_t { Add, Sub, Mul, Fma, Min, Max, Neg, Abs };

// What modifies an operation, as template argument.
constexpr int kFtz = 1;
constexpr int kSat = 2;
constexpr int kRelu = 4;
constexpr int kKeepNan = 8;
constexpr int kXorSign = 16;

SEAM_SIM_INLINE bool is_nan(float x) { return x != x; }

/// -0 < +0; a number wins over NaN unless kKeepNan.
template <bool kBf16, HalfOp kOp, int kMods>
SEAM_SIM_INLINE Half half_extremum(Half a, Half b) {
  const auto sign = static_cast<Half>((a ^ b) & 0x8000U);
  if constexpr ((kMods & kXorSign) != 0) {
    a &= 0x7fff;
    b &= 0x7fff;
  }
  const float x = half_value<kBf16>(a);
  const float y = half_value<kBf16>(b);
  const bool first = kOp == HalfOp::Max ? x > y : x < y;
  Half r = first ? a : b;
  const Half equal = kOp == HalfOp::Max ? a & b : a | b;
  r = x == y ? equal : r;
  if constexpr ((kMods & kKeepNan) != 0) {
    r = is_nan(x) || is_nan(y) ? kNan16 : r;
  } else {
    r = is_nan(x) ? b : r;
    r = is_nan(y) ? a : r;
    r = is_nan(x) && is_nan(y) ? kNan16 : r;
  }
  if constexpr ((kMods & kXorSign) != 0) {
    r = is_nan(half_value<kBf16>(r)) ? r : static_cast<Half>(r | sign);
  }
  return r;
}

template <bool kBf16, HalfOp kOp, int kMods>
SEAM_SIM_INLINE Half half_operation(Half a, Half b, Half c) {
  if constexpr ((kMods & kFtz) != 0) {
    a = flush_half(a);
    b = flush_half(b);
    c = flush_half(c);
  }
  if constexpr (kOp == HalfOp::Min || kOp == HalfOp::Max) {
    return half_extremum<kBf16, kOp, kMods>(a, b);
  }
  if constexpr (kOp == HalfOp::Neg) return static_cast<Half>(a ^ 0x8000U);
  if constexpr (kOp == HalfOp::Abs) return static_cast<Half>(a & 0x7fffU);
  const float x = half_value<kBf16>(a);
  const float y = half_value<kBf16>(b);
  Half r = 0;
  // A float holds more than twice the digits of a half: rounding a sum to float first changes nothing. A product is exact
  // in float, but for bf16 it may fall below float's normal range.
  if constexpr (kOp == HalfOp::Add) r = to_half<kBf16>(x + y);
  if constexpr (kOp == HalfOp::Sub) r = to_half<kBf16>(x - y);
  if constexpr (kOp == HalfOp::Mul && !kBf16) r = to_half<kBf16>(x * y);
  if constexpr (kOp == HalfOp::Mul && kBf16) {
    r = to_half<kBf16>(to_float_odd(static_cast<double>(x) * static_cast<double>(y)));
  }
  if constexpr (kOp == HalfOp::Fma) r = half_fma<kBf16>(x, y, half_value<kBf16>(c));
  if constexpr ((kMods & kFtz) != 0) r = flush_half(r);
  if constexpr ((kMods & kSat) != 0) r = to_half<kBf16>(saturate(half_value<kBf16>(r)));
  if constexpr ((kMods & kRelu) != 0) {
    r = (r & 0x8000U) != 0 && !is_nan(half_value<kBf16>(r)) ? Half{0} : r;
  }
  return r;
}

template <bool kBf16, HalfOp kOp, int kMods>
SEAM_SIM_INLINE Half one1(Half a) {
  return half_operation<kBf16, kOp, kMods>(a, 0, 0);
}
template <bool kBf16, HalfOp kOp, int kMods>
SEAM_SIM_INLINE Half one2(Half a, Half b) {
  return half_operation<kBf16, kOp, kMods>(a, b, 0);
}
template <bool kBf16, HalfOp kOp, int kMods>
SEAM_SIM_INLINE std::uint32_t pair3(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const Half low = half_operation<kBf16, kOp, kMods>(static_cast<Half>(a), static_cast<Half>(b),
                                                     static_cast<Half>(c));
  const Half high = half_operation<kBf16, kOp, kMods>(
      static_cast<Half>(a >> 16), static_cast<Half>(b >> 16), static_cast<Half>(c >> 16));
  return low | std::uint32_t{high} << 16;
}
template <bool kBf16, HalfOp kOp, int kMods>
SEAM_SIM_INLINE std::uint32_t pair1(std::uint32_t a) {
  return pair3<kBf16, kOp, kMods>(a, 0, 0);
}
template <bool kBf16, HalfOp kOp, int kMods>
SEAM_SIM_INLINE std::uint32_t pair2(std::uint32_t a, std::uint32_t b) {
  return pair3<kBf16, kOp, kMods>(a, b, 0);
}

constexpr std::size_t operands_of(HalfOp op) {
  if (op == HalfOp::Neg || op == HalfOp::Abs) return 1;
  return op == HalfOp::Fma ? 3 : 2;
}

template <bool kBf16, HalfOp kOp, int kMods>
Handler half_handler(bool pair, bool wide) {
  using W = std::uint32_t;
  if constexpr (operands_of(kOp) == 1) {
    return pair ? unary<W, W, pair1<kBf16, kOp, kMods>>(wide)
                : unary<Half, Half, one1<kBf16, kOp, kMods>>(wide);
  } else if constexpr (operands_of(kOp) == 2) {
    return pair ? binary<W, W, W, pair2<kBf16, kOp, kMods>>(wide)
                : binary<Half, Half, Half, one2<kBf16, kOp, kMods>>(wide);
  } else {
    return pair ? ternary<W, W, W, W, pair3<kBf16, kOp, kMods>>(wide)
                : ternary<Half, Half, Half, Half, half_operation<kBf16, kOp, kMods>>(wide);
  }
}

/// The handler for run-time modifiers, out of those the operation has.
template <bool kBf16, HalfOp kOp, int... kMods>
Handler among(int mods, bool pair, bool wide) {
  Handler out = nullptr;
  ((mods == kMods ? void(out = half_handler<kBf16, kOp, kMods>(pair, wide)) : void()), ...);
  return out;
}

template <HalfOp kOp>
Handler half_handler(bool bf16, int mods, bool pair, bool wide) {
  constexpr bool kExtremum = kOp == HalfOp::Min || kOp == HalfOp::Max;
  if constexpr (kExtremum) {
    return bf16 ? among<true, kOp, 0, kKeepNan, kXorSign, kKeepNan | kXorSign>(mods, pair, wide)
                : among<false, kOp, 0, kKeepNan, kXorSign, kKeepNan | kXorSign, kFtz,
                        kFtz | kKeepNan, kFtz | kXorSign, kFtz | kKeepNan | kXorSign>(mods, pair,
                                                                                      wide);
  } else if constexpr (kOp == HalfOp::Neg || kOp == HalfOp::Abs) {
    return bf16 ? among<true, kOp, 0>(mods, pair, wide)
                : among<false, kOp, 0, kFtz>(mods, pair, wide);
  } else if constexpr (kOp == HalfOp::Fma) {
    return bf16 ? among<true, kOp, 0, kRelu>(mods, pair, wide)
                : among<false, kOp, 0, kFtz, kSat, kFtz | kSat, kRelu, kFtz | kRelu>(mods, pair,
                                                                                     wide);
  } else {
    return bf16 ? among<true, kOp, 0>(mods, pair, wide)
                : among<false, kOp, 0, kFtz, kSat, kFtz | kSat>(mods, pair, wide);
  }
}

template <HalfOp kOp>
void decode(Form& form) {
  int mods = 0;
  constexpr bool kExtremum = kOp == HalfOp::Min || kOp == HalfOp::Max;
  constexpr bool kRounds = operands_of(kOp) > 1 && !kExtremum;
  if (kRounds && !form.take("rn") && kOp == HalfOp::Fma) form.refuse("no rounding mode");
  if (form.take("ftz")) mods |= kFtz;
  if (kRounds && form.take("sat")) mods |= kSat;
  if (kOp == HalfOp::Fma && form.take("relu")) mods |= kRelu;
  if (kExtremum && form.take("NaN")) mods |= kKeepNan;
  if (kExtremum && form.has("abs") && form.take("xorsign") && form.take("abs")) mods |= kXorSign;
  const Type type = form.take_type();
  const bool pair = type == Type::F16x2 || type == Type::BF16x2;
  const bool bf16 = type == Type::BF16 || type == Type::BF16x2;
  const Type reg = pair ? Type::B32 : Type::B16;
  form.expect_operands(1 + operands_of(kOp), 1 + operands_of(kOp));
  form.out.d = form.destination(0, reg);
  form.out.a = form.source(1, reg);
  if (operands_of(kOp) > 1) form.out.b = form.source(2, reg);
  if (operands_of(kOp) > 2) form.out.c = form.source(3, reg);
  form.out.run = half_handler<kOp>(bf16, mods, pair, form.wide());
  if (!form.out.run) form.refuse("these modifiers are not supported together");
}

}  // namespace

void decode_half_arithmetic(Form& form) {
  // `fma.oob` and mixed-precision forms have modifiers nobody takes: refused at the end.
  const std::string_view base = form.base();
  if (base == "add") return decode<HalfOp::Add>(form);
  if (base == "sub") return decode<HalfOp::Sub>(form);
  if (base == "mul") return decode<HalfOp::Mul>(form);
  if (base == "fma") return decode<HalfOp::Fma>(form);
  if (base == "min") return decode<HalfOp::Min>(form);
  if (base == "max") return decode<HalfOp::Max>(form);
  if (base == "neg") return decode<HalfOp::Neg>(form);
  if (base == "abs") return decode<HalfOp::Abs>(form);
  form.refuse("not an operation on halves");
}

}  // namespace seam::sim
