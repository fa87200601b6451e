/// ex2 lg2 rcp rsqrt sqrt sin cos tanh.
///
/// The .approx forms promise an error bound, not bits; here they are as exact as the machine's own functions (the hardware's
/// results differ in the last bits). Roots and reciprocals with a rounding mode are exact.
#include <array>
#include <cmath>

#include "ops/families.h"
#include "ops/halves.h"
#include "ops/loops.h"
#include "ops/scalar.h"

namespace seam::sim {
namespace {

/// 2^x in double from a polynomial on [-1/2, 1/2] (error below 2^-40), then rounded once: vectorises, unlike a call.
SEAM_SIM_INLINE float exp2_of(float x) {
  const float clamped = x > 200.0F ? 200.0F : x < -200.0F ? -200.0F : x;
  const double whole_and_part = x == x ? clamped : 0.0F;
  // Adding 1.5·2^52 leaves the nearest integer in the low bits.
  const double shifted = whole_and_part + 0x1.8p52;
  const double r = (whole_and_part - (shifted - 0x1.8p52)) * 0.69314718055994530942;
  double p = 1.0 / 3628800.0;
  p = p * r + 1.0 / 362880.0;
  p = p * r + 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  const std::uint64_t exponent = std::bit_cast<std::uint64_t>(shifted) << 52;
  const auto scaled = std::bit_cast<double>(std::bit_cast<std::uint64_t>(p) + exponent);
  return x == x ? static_cast<float>(scaled) : std::bit_cast<float>(kNan32);
}

SEAM_SIM_INLINE float log2_of(float x) { return canonical(__builtin_log2f(x)); }
SEAM_SIM_INLINE float reciprocal(float x) { return canonical(1.0F / x); }
SEAM_SIM_INLINE float reciprocal_root(float x) {
  return canonical(static_cast<float>(1.0 / __builtin_sqrt(static_cast<double>(x))));
}
SEAM_SIM_INLINE float root(float x) { return canonical(__builtin_sqrtf(x)); }
SEAM_SIM_INLINE float sine(float x) { return canonical(__builtin_sinf(x)); }
SEAM_SIM_INLINE float cosine(float x) { return canonical(__builtin_cosf(x)); }
SEAM_SIM_INLINE float hyperbolic_tangent(float x) { return canonical(__builtin_tanhf(x)); }

template <float (*kFunction)(float), bool kFtz>
SEAM_SIM_INLINE float of_single(float x) {
  return flush_if<kFtz>(kFunction(flush_if<kFtz>(x)));
}
template <float (*kFunction)(float), bool kBf16, bool kFtz>
SEAM_SIM_INLINE std::uint16_t of_half(std::uint16_t x) {
  if constexpr (kFtz) x = flush_half(x);
  const std::uint16_t r = to_half<kBf16>(kFunction(half_value<kBf16>(x)));
  return kFtz ? flush_half(r) : r;
}
template <float (*kFunction)(float), bool kBf16, bool kFtz>
SEAM_SIM_INLINE std::uint32_t of_pair(std::uint32_t x) {
  return of_half<kFunction, kBf16, kFtz>(static_cast<std::uint16_t>(x)) |
         static_cast<std::uint32_t>(
             of_half<kFunction, kBf16, kFtz>(static_cast<std::uint16_t>(x >> 16))) << 16;
}

/// f32 with .approx, and the half types where PTX has them.
template <float (*kFunction)(float)>
void decode_approximate(Form& form, bool halves) {
  const bool ftz = form.take("ftz");
  const Type type = form.take_type();
  form.expect_operands(2, 2);
  const bool pair = type == Type::F16x2 || type == Type::BF16x2;
  if (type != Type::F32 && !halves) form.refuse("this type is not supported");
  form.out.d = form.destination(0, pair ? Type::B32 : type);
  form.out.a = form.source(1, pair ? Type::B32 : type);
  using H = std::uint16_t;
  using W = std::uint32_t;
  const bool wide = form.wide();
  switch (type) {
    case Type::F32:
      form.out.run = ftz ? unary<float, float, of_single<kFunction, true>>(wide)
                         : unary<float, float, of_single<kFunction, false>>(wide);
      break;
    case Type::F16:
      form.out.run = ftz ? unary<H, H, of_half<kFunction, false, true>>(wide)
                         : unary<H, H, of_half<kFunction, false, false>>(wide);
      break;
    case Type::F16x2:
      form.out.run = ftz ? unary<W, W, of_pair<kFunction, false, true>>(wide)
                         : unary<W, W, of_pair<kFunction, false, false>>(wide);
      break;
    case Type::BF16: form.out.run = unary<H, H, of_half<kFunction, true, false>>(wide); break;
    case Type::BF16x2: form.out.run = unary<W, W, of_pair<kFunction, true, false>>(wide); break;
    default: form.refuse("this type is not supported");
  }
  // ex2.approx.ftz.bf16 flushes nothing that a result could show: bf16 subnormals are flushed as floats are.
  if (ftz && type == Type::BF16) form.out.run = unary<H, H, of_half<kFunction, true, false>>(wide);
}

template <float (*kFunction)(float), bool kHalves>
void decode_function(Form& form) {
  if (!form.take("approx")) form.refuse("only .approx is supported");
  decode_approximate<kFunction>(form, kHalves);
}

// Directed roots and reciprocals.

enum class Exact : std::uint8_t { Root, Reciprocal };

template <class T, Exact kWhat, bool kFtz>
SEAM_SIM_INLINE T exactly(T x) {
  if constexpr (kFtz) x = flush(x);
  T r{};
  if constexpr (kWhat == Exact::Reciprocal) r = T{1} / x;
  if constexpr (kWhat == Exact::Root && sizeof(T) == 4) r = __builtin_sqrtf(x);
  if constexpr (kWhat == Exact::Root && sizeof(T) == 8) r = __builtin_sqrt(x);
  if constexpr (kFtz) r = flush(r);
  return canonical(r);
}

template <class T, Exact kWhat, bool kFtz>
void directed(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  alignas(64) T value[32];
  const T* a = row<T>(warp, i.a);
  {
    const RoundingScope scope(static_cast<Round>(i.kind));
    for (int l = 0; l < 32; ++l) value[l] = exactly<T, kWhat, kFtz>(a[l]);
    RoundingScope::fence(value);
  }
  keep(row<T>(warp, i.d), value, lanes);
}

template <class T, Exact kWhat, bool kFtz>
Handler exact_handler(Round round, bool wide) {
  if (round != Round::Nearest) return directed<T, kWhat, kFtz>;
  return unary<T, T, exactly<T, kWhat, kFtz>>(wide);
}

template <Exact kWhat>
void decode_exact(Form& form, Round round) {
  const Type type = form.take_type();
  const bool ftz = type == Type::F32 && form.take("ftz");
  if (type != Type::F32 && type != Type::F64) form.refuse("this type is not supported");
  form.expect_operands(2, 2);
  form.out.d = form.destination(0, type);
  form.out.a = form.source(1, type);
  form.out.kind = static_cast<std::uint8_t>(round);
  const bool wide = form.wide();
  form.out.run = type == Type::F64 ? exact_handler<double, kWhat, false>(round, wide)
                 : ftz             ? exact_handler<float, kWhat, true>(round, wide)
                                   : exact_handler<float, kWhat, false>(round, wide);
}

/// The upper word of a double is right to about 20 bits, the lower word is 0: what the ISA says of .approx.ftz.f64.
SEAM_SIM_INLINE double upper_word(double x) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & 0xffffffff00000000U);
}
SEAM_SIM_INLINE double flush64(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  return (bits & 0x7ff0000000000000U) == 0 ? std::bit_cast<double>(bits & 0x8000000000000000U) : x;
}
SEAM_SIM_INLINE double reciprocal64(double x) { return upper_word(flush64(1.0 / flush64(upper_word(x)))); }
SEAM_SIM_INLINE double reciprocal_root64(double x) {
  return upper_word(1.0 / __builtin_sqrt(flush64(upper_word(x))));
}
/// Without .ftz it is CUDA's rsqrt(double), good to the last bit or so: the assembler refines it.
SEAM_SIM_INLINE double reciprocal_root64_full(double x) { return 1.0 / __builtin_sqrt(x); }

void decode_double(Form& form, Handler handler) {
  form.take_type();
  form.expect_operands(2, 2);
  form.out.d = form.destination(0, Type::F64);
  form.out.a = form.source(1, Type::F64);
  form.out.run = handler;
}

void decode_rcp(Form& form) {
  if (form.take("approx")) {
    if (form.peek_type() == Type::F64) {
      if (!form.take("ftz")) form.refuse("rcp.approx.f64 wants .ftz");
      return decode_double(form, unary<double, double, reciprocal64>(form.wide()));
    }
    return decode_approximate<reciprocal>(form, false);
  }
  const int round = form.take_one({"rn", "rz", "rm", "rp"});
  if (round < 0) form.refuse("no rounding mode");
  decode_exact<Exact::Reciprocal>(form, static_cast<Round>(round < 0 ? 0 : round));
}

void decode_sqrt(Form& form) {
  if (form.take("approx")) return decode_approximate<root>(form, false);
  const int round = form.take_one({"rn", "rz", "rm", "rp"});
  if (round < 0) form.refuse("no rounding mode");
  decode_exact<Exact::Root>(form, static_cast<Round>(round < 0 ? 0 : round));
}

void decode_rsqrt(Form& form) {
  if (!form.take("approx")) form.refuse("only .approx is supported");
  if (form.peek_type() == Type::F64) {
    const bool ftz = form.take("ftz");
    return decode_double(form, ftz ? unary<double, double, reciprocal_root64>(form.wide())
                                   : unary<double, double, reciprocal_root64_full>(form.wide()));
  }
  decode_approximate<reciprocal_root>(form, false);
}

constexpr std::array kOpcodes = {
    Opcode{"ex2", decode_function<exp2_of, true>},
    Opcode{"lg2", decode_function<log2_of, false>},
    Opcode{"sin", decode_function<sine, false>},
    Opcode{"cos", decode_function<cosine, false>},
    Opcode{"tanh", decode_function<hyperbolic_tangent, true>},
    Opcode{"rcp", decode_rcp},
    Opcode{"sqrt", decode_sqrt},
    Opcode{"rsqrt", decode_rsqrt},
};

}  // namespace

std::span<const Opcode> special_opcodes() { return kOpcodes; }

}  // namespace seam::sim
