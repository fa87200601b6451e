/// f32 and f64: add sub mul fma mad div min max neg abs copysign testp.
#include <array>
#include <cmath>

#include "ops/families.h"
#include "ops/loops.h"
#include "ops/scalar.h"

namespace seam::sim {
namespace {

enum class Arithmetic : std::uint8_t { Add, Sub, Mul, Div, Fma };

template <class T, Arithmetic kWhat, bool kFtz, bool kSat>
SEAM_SIM_INLINE T arithmetic(T a, T b, T c) {
  if constexpr (kFtz) {
    a = flush(a);
    b = flush(b);
    c = flush(c);
  }
  T r{};
  if constexpr (kWhat == Arithmetic::Add) r = a + b;
  if constexpr (kWhat == Arithmetic::Sub) r = a - b;
  if constexpr (kWhat == Arithmetic::Mul) r = a * b;
  if constexpr (kWhat == Arithmetic::Div) r = a / b;
  if constexpr (kWhat == Arithmetic::Fma && sizeof(T) == 4) r = __builtin_fmaf(a, b, c);
  if constexpr (kWhat == Arithmetic::Fma && sizeof(T) == 8) r = __builtin_fma(a, b, c);
  if constexpr (kFtz) r = flush(r);
  if constexpr (kSat) return saturate(r);
  return canonical(r);
}

template <class T, Arithmetic kWhat, bool kFtz, bool kSat>
SEAM_SIM_INLINE T arithmetic2(T a, T b) {
  return arithmetic<T, kWhat, kFtz, kSat>(a, b, T{});
}

/// Under a rounding direction (Instruction::kind). The row is written through memory that the scope fences.
template <class T, Arithmetic kWhat, bool kFtz, bool kSat>
SEAM_SIM_INLINE void directed_body(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  alignas(64) T value[32];
  const T* a = row<T>(warp, i.a);
  const T* b = row<T>(warp, i.b);
  const T* c = kWhat == Arithmetic::Fma ? row<T>(warp, i.c) : a;
  {
    const RoundingScope scope(static_cast<Round>(i.kind));
    for (int l = 0; l < 32; ++l) value[l] = arithmetic<T, kWhat, kFtz, kSat>(a[l], b[l], c[l]);
    RoundingScope::fence(value);
  }
  keep(row<T>(warp, i.d), value, lanes);
}
template <class T, Arithmetic kWhat, bool kFtz, bool kSat>
void directed_narrow(Warp& w, const Instruction& i, std::uint32_t m) {
  directed_body<T, kWhat, kFtz, kSat>(w, i, m);
}
template <class T, Arithmetic kWhat, bool kFtz, bool kSat>
SEAM_SIM_WIDE void directed_wide(Warp& w, const Instruction& i, std::uint32_t m) {
  directed_body<T, kWhat, kFtz, kSat>(w, i, m);
}

template <class T, Arithmetic kWhat, bool kFtz, bool kSat>
Handler arithmetic_handler(Round round, bool wide) {
  if (round != Round::Nearest) {
    return wide ? directed_wide<T, kWhat, kFtz, kSat> : directed_narrow<T, kWhat, kFtz, kSat>;
  }
  if constexpr (kWhat == Arithmetic::Fma) {
    return ternary<T, T, T, T, arithmetic<T, kWhat, kFtz, kSat>>(wide);
  } else {
    return binary<T, T, T, arithmetic2<T, kWhat, kFtz, kSat>>(wide);
  }
}

template <Arithmetic kWhat>
Handler arithmetic_handler(Type type, Round round, bool ftz, bool sat, bool wide) {
  if (type == Type::F64) return arithmetic_handler<double, kWhat, false, false>(round, wide);
  if (ftz && sat) return arithmetic_handler<float, kWhat, true, true>(round, wide);
  if (ftz) return arithmetic_handler<float, kWhat, true, false>(round, wide);
  if (sat) return arithmetic_handler<float, kWhat, false, true>(round, wide);
  return arithmetic_handler<float, kWhat, false, false>(round, wide);
}

template <Arithmetic kWhat>
void decode_arithmetic(Form& form, bool rounding_required) {
  const int rounding = form.take_one({"rn", "rz", "rm", "rp"});
  if (rounding < 0 && rounding_required) form.refuse("no rounding mode");
  const Type type = form.take_type();
  const bool single = type == Type::F32;
  const bool ftz = single && form.take("ftz");
  const bool sat = single && kWhat != Arithmetic::Div && form.take("sat");
  form.expect_operands(kWhat == Arithmetic::Fma ? 4 : 3, kWhat == Arithmetic::Fma ? 4 : 3);
  form.out.d = form.destination(0, type);
  form.out.a = form.source(1, type);
  form.out.b = form.source(2, type);
  if (kWhat == Arithmetic::Fma) form.out.c = form.source(3, type);
  const auto round = static_cast<Round>(rounding < 0 ? 0 : rounding);
  form.out.kind = static_cast<std::uint8_t>(round);
  form.out.run = arithmetic_handler<kWhat>(type, round, ftz, sat, form.wide());
}

/// a · (1/b) with the quotient's known holes: 1/b below the normal range is 0.
template <bool kFtz>
SEAM_SIM_INLINE float div_approx(float a, float b) {
  a = flush_if<kFtz>(a);
  b = flush_if<kFtz>(b);
  return canonical(flush_if<kFtz>(a * flush(1.0F / b)));
}
template <bool kFtz>
SEAM_SIM_INLINE float div_full(float a, float b) {
  return arithmetic2<float, Arithmetic::Div, kFtz, false>(a, b);
}

void decode_division(Form& form) {
  const int fast = form.take_one({"approx", "full"});
  if (fast < 0) {
    decode_arithmetic<Arithmetic::Div>(form, true);
    return;
  }
  const bool ftz = form.take("ftz");
  if (form.take_type() != Type::F32) form.refuse("only .f32 divides approximately");
  form.expect_operands(3, 3);
  form.out.d = form.destination(0, Type::F32);
  form.out.a = form.source(1, Type::F32);
  form.out.b = form.source(2, Type::F32);
  if (fast == 0) {
    form.out.run = ftz ? binary<float, float, float, div_approx<true>>(form.wide())
                       : binary<float, float, float, div_approx<false>>(form.wide());
  } else {
    form.out.run = ftz ? binary<float, float, float, div_full<true>>(form.wide())
                       : binary<float, float, float, div_full<false>>(form.wide());
  }
}

template <class T>
SEAM_SIM_INLINE T nan_of() {
  if constexpr (sizeof(T) == 4) {
    return std::bit_cast<float>(kNan32);
  } else {
    return std::bit_cast<double>(std::uint64_t{0x7fffffffffffffff});
  }
}

/// -0 < +0. Without .NaN a number wins over NaN.
template <class T, bool kMax, bool kFtz, bool kNan, bool kXorSign>
SEAM_SIM_INLINE T extremum(T a, T b) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  if constexpr (kFtz) {
    a = flush(a);
    b = flush(b);
  }
  auto x = std::bit_cast<Bits>(a);
  auto y = std::bit_cast<Bits>(b);
  constexpr Bits kSign = Bits{1} << (sizeof(T) * 8 - 1);
  const Bits sign = (x ^ y) & kSign;
  if constexpr (kXorSign) {
    x &= ~kSign;
    y &= ~kSign;
    a = std::bit_cast<T>(x);
    b = std::bit_cast<T>(y);
  }
  const T equal = std::bit_cast<T>(kMax ? x & y : x | y);
  T r = kMax ? (a > b ? a : b) : (a < b ? a : b);
  r = a == b ? equal : r;
  const T nan = nan_of<T>();
  if constexpr (kNan) {
    r = a != a || b != b ? nan : r;
  } else {
    r = a != a ? b : r;
    r = b != b ? a : r;
    r = a != a && b != b ? nan : r;
  }
  if constexpr (kXorSign) {
    r = r == r ? std::bit_cast<T>(std::bit_cast<Bits>(r) | sign) : r;
  }
  return r;
}

template <bool kMax, bool kFtz>
Handler extremum_single(bool nan, bool xorsign, bool wide) {
  if (nan && xorsign) {
    return binary<float, float, float, extremum<float, kMax, kFtz, true, true>>(wide);
  }
  if (nan) return binary<float, float, float, extremum<float, kMax, kFtz, true, false>>(wide);
  if (xorsign) return binary<float, float, float, extremum<float, kMax, kFtz, false, true>>(wide);
  return binary<float, float, float, extremum<float, kMax, kFtz, false, false>>(wide);
}

template <bool kMax>
void decode_extremum(Form& form) {
  const Type type = form.take_type();
  form.expect_operands(3, 3);
  form.out.d = form.destination(0, type);
  form.out.a = form.source(1, type);
  form.out.b = form.source(2, type);
  if (type == Type::F64) {
    form.out.run =
        binary<double, double, double, extremum<double, kMax, false, false, false>>(form.wide());
    return;
  }
  const bool ftz = form.take("ftz");
  const bool nan = form.take("NaN");
  const bool xorsign = form.has("abs") && form.take("xorsign") && form.take("abs");
  form.out.run = ftz ? extremum_single<kMax, true>(nan, xorsign, form.wide())
                     : extremum_single<kMax, false>(nan, xorsign, form.wide());
}

template <class T, bool kFtz>
SEAM_SIM_INLINE T negated(T a) {
  if constexpr (kFtz) a = flush(a);
  return -a;
}
template <class T, bool kFtz>
SEAM_SIM_INLINE T absolute(T a) {
  if constexpr (kFtz) a = flush(a);
  if constexpr (sizeof(T) == 4) {
    return __builtin_fabsf(a);
  } else {
    return __builtin_fabs(a);
  }
}

template <bool kAbs>
void decode_sign(Form& form) {
  const Type type = form.take_type();
  const bool ftz = type == Type::F32 && form.take("ftz");
  form.expect_operands(2, 2);
  form.out.d = form.destination(0, type);
  form.out.a = form.source(1, type);
  if (type == Type::F64) {
    form.out.run = kAbs ? unary<double, double, absolute<double, false>>(form.wide())
                        : unary<double, double, negated<double, false>>(form.wide());
  } else if (ftz) {
    form.out.run = kAbs ? unary<float, float, absolute<float, true>>(form.wide())
                        : unary<float, float, negated<float, true>>(form.wide());
  } else {
    form.out.run = kAbs ? unary<float, float, absolute<float, false>>(form.wide())
                        : unary<float, float, negated<float, false>>(form.wide());
  }
}

/// Sign of a, magnitude of b.
template <class T>
SEAM_SIM_INLINE T with_sign(T a, T b) {
  if constexpr (sizeof(T) == 4) {
    return __builtin_copysignf(b, a);
  } else {
    return __builtin_copysign(b, a);
  }
}

void decode_copysign(Form& form) {
  const Type type = form.take_type();
  if (type != Type::F32 && type != Type::F64) form.refuse("copysign is for .f32 and .f64");
  form.expect_operands(3, 3);
  form.out.d = form.destination(0, type);
  form.out.a = form.source(1, type);
  form.out.b = form.source(2, type);
  form.out.run = type == Type::F32 ? binary<float, float, float, with_sign<float>>(form.wide())
                                   : binary<double, double, double, with_sign<double>>(form.wide());
}

enum class Property : std::uint8_t { Finite, Infinite, Number, NotANumber, Normal, Subnormal };

template <class T>
bool has_property(Property property, T x) {
  switch (property) {
    case Property::Finite: return std::isfinite(x);
    case Property::Infinite: return std::isinf(x);
    case Property::Number: return !std::isnan(x);
    case Property::NotANumber: return std::isnan(x);
    case Property::Normal: return std::isnormal(x);
    case Property::Subnormal: return std::fpclassify(x) == FP_SUBNORMAL;
  }
  return false;
}

template <class T>
void test_property(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  const T* a = row<T>(warp, i.a);
  std::uint32_t bits = 0;
  for (int l = 0; l < 32; ++l) {
    bits |= std::uint32_t{has_property(static_cast<Property>(i.kind), a[l])} << l;
  }
  set_predicate(warp, i.d, bits, lanes);
}

void decode_testp(Form& form) {
  const int property =
      form.take_one({"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  if (property < 0) form.refuse("testp of what?");
  const Type type = form.take_type();
  if (type != Type::F32 && type != Type::F64) form.refuse("testp is for .f32 and .f64");
  form.expect_operands(2, 2);
  form.out.d = form.destination(0, Type::Pred);
  form.out.a = form.source(1, type);
  form.out.kind = static_cast<std::uint8_t>(property);
  form.out.run = type == Type::F32 ? test_property<float> : test_property<double>;
}

constexpr std::array kOpcodes = {Opcode{"copysign", decode_copysign},
                                 Opcode{"testp", decode_testp}};

}  // namespace

void decode_float_arithmetic(Form& form) {
  const std::string_view base = form.base();
  if (base == "add") return decode_arithmetic<Arithmetic::Add>(form, false);
  if (base == "sub") return decode_arithmetic<Arithmetic::Sub>(form, false);
  if (base == "mul") return decode_arithmetic<Arithmetic::Mul>(form, false);
  if (base == "fma" || base == "mad") return decode_arithmetic<Arithmetic::Fma>(form, true);
  if (base == "div") return decode_division(form);
  if (base == "min") return decode_extremum<false>(form);
  if (base == "max") return decode_extremum<true>(form);
  if (base == "neg") return decode_sign<false>(form);
  if (base == "abs") return decode_sign<true>(form);
  form.refuse("not an operation on floats");
}

std::span<const Opcode> float_opcodes() { return kOpcodes; }

}  // namespace seam::sim
