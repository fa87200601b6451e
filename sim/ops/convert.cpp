/// cvt. Common pairs have vector loops; all others go through one general scalar conversion.
#include <array>
#include <cstring>
#include <limits>

#include "ops/families.h"
#include "ops/integers.h"
#include "ops/loops.h"
#include "ops/rounding.h"

namespace seam::sim {
namespace {

constexpr std::uint8_t kSat = 1;
constexpr std::uint8_t kFtz = 2;
constexpr std::uint8_t kRelu = 4;
constexpr std::uint8_t kIntegral = 8;  ///< rni, rzi, …

bool is_float(Type type) {
  return type == Type::F16 || type == Type::BF16 || type == Type::F32 || type == Type::F64;
}
bool is_integer(Type type) {
  switch (type) {
    case Type::U8: case Type::S8: case Type::U16: case Type::S16:
    case Type::U32: case Type::S32: case Type::U64: case Type::S64: return true;
    default: return false;
  }
}
int significant_bits(Type type) {
  switch (type) {
    case Type::F64: return 53;
    case Type::F32: return 24;
    case Type::F16: return 11;
    default: return 8;
  }
}
/// Every value of `from` is a value of `to`.
bool widens(Type from, Type to) {
  if (from == Type::F16 && to == Type::BF16) return false;
  if (from == Type::BF16 && to == Type::F16) return false;
  return significant_bits(from) <= significant_bits(to);
}

/// What the general conversion needs to know, packed into the instruction: kind = destination type, count = source type,
/// row_bytes / bytes = lane sizes of their rows, address_bytes = rounding, flags.
struct Conversion {
  Type to;
  Type from;
  Round round;
  std::uint8_t flags;
};

double read_float(Type type, std::uint64_t bits, bool ftz) {
  switch (type) {
    case Type::F64: return std::bit_cast<double>(bits);
    case Type::F32: {
      const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
      return ftz ? flush(x) : x;
    }
    case Type::F16: return f16_value(static_cast<std::uint16_t>(bits));
    default: return bf16_value(static_cast<std::uint16_t>(bits));
  }
}

std::uint64_t write_float(const Conversion& how, double x) {
  switch (how.to) {
    case Type::F64: return std::bit_cast<std::uint64_t>(x);
    case Type::F32: {
      float r = canonical(to_float(x, how.round));
      if ((how.flags & kFtz) != 0) r = flush(r);
      return std::bit_cast<std::uint32_t>(r);
    }
    case Type::F16: return to_half<false>(x, how.round);
    default: return to_half<true>(x, how.round);
  }
}

/// The low bits of a row's lane as the source type says.
std::uint64_t extended(Type type, std::uint64_t bits) {
  const int unused = 64 - 8 * size(type);
  if (is_signed(type)) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << unused) >> unused);
  }
  return bits << unused >> unused;
}

/// Bits of the integer nearest in range; NaN as the ISA has it.
std::uint64_t float_to_integer(const Conversion& how, double x) {
  const int bits = 8 * size(how.to);
  if (x != x) {
    const bool zero = how.from != Type::F64 && bits != 64;
    return zero ? 0 : extended(how.to, std::uint64_t{1} << (bits - 1));
  }
  x = to_integral(x, how.round);
  if (is_signed(how.to)) {
    const double limit = std::ldexp(1.0, bits - 1);
    if (x >= limit) return (std::uint64_t{1} << (bits - 1)) - 1;
    if (x < -limit) return ~std::uint64_t{0} << (bits - 1);
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(x));
  }
  if (x <= 0) return 0;
  if (x >= std::ldexp(1.0, bits)) return bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  return static_cast<std::uint64_t>(x);
}

std::uint64_t integer_to_integer(const Conversion& how, std::uint64_t value) {
  if ((how.flags & kSat) == 0) return extended(how.to, value);
  const int bits = 8 * size(how.to);
  const bool negative = is_signed(how.from) && static_cast<std::int64_t>(value) < 0;
  if (is_signed(how.to)) {
    const std::uint64_t most = (std::uint64_t{1} << (bits - 1)) - 1;
    if (!negative) return value > most ? most : value;
    const auto least = static_cast<std::int64_t>(~most);
    return static_cast<std::int64_t>(value) < least ? ~most : value;
  }
  if (negative) return 0;
  const std::uint64_t most = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  return value > most ? most : value;
}

std::uint64_t integer_to_float(const Conversion& how, std::uint64_t value) {
  const bool negative = is_signed(how.from) && static_cast<std::int64_t>(value) < 0;
  const std::uint64_t magnitude = negative ? 0 - value : value;
  double x = how.to == Type::F64 ? magnitude_to_double(magnitude, negative, how.round)
                                 : magnitude_odd(magnitude);
  if (negative) x = -x;
  if ((how.flags & kSat) != 0) x = saturate(x);
  return write_float(how, x);
}

std::uint64_t converted(const Conversion& how, std::uint64_t bits) {
  if (is_integer(how.from)) {
    const std::uint64_t value = extended(how.from, bits);
    return is_integer(how.to) ? integer_to_integer(how, value) : integer_to_float(how, value);
  }
  double x = read_float(how.from, bits, (how.flags & kFtz) != 0);
  if (is_integer(how.to)) return float_to_integer(how, x);
  if ((how.flags & kIntegral) != 0) x = to_integral(x, how.round);
  if ((how.flags & kSat) != 0) x = saturate(x);
  if ((how.flags & kRelu) != 0 && x < 0) x = 0;
  if ((how.flags & kRelu) != 0 && x == 0) x = 0;
  return write_float(how, x);
}

void convert_any(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  const Conversion how{static_cast<Type>(i.kind), static_cast<Type>(i.count),
                       static_cast<Round>(i.address_bytes), i.flags};
  const std::byte* a = warp.registers + i.a;
  std::byte* d = warp.registers + i.d;
  std::uint64_t value[32];
  for (std::size_t l = 0; l < 32; ++l) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, a + l * i.bytes, i.bytes);
    value[l] = (lanes >> l & 1U) != 0 ? converted(how, bits) : 0;
  }
  for (std::size_t l = 0; l < 32; ++l) {
    if ((lanes >> l & 1U) != 0) std::memcpy(d + l * i.row_bytes, &value[l], i.row_bytes);
  }
}

// Vector loops of common pairs. Sources and destinations fill their registers exactly.

template <class D, class A>
SEAM_SIM_INLINE D cast(A a) {
  return static_cast<D>(a);
}
SEAM_SIM_INLINE float f16_to_f32(std::uint16_t a) { return canonical(f16_value(a)); }
SEAM_SIM_INLINE float bf16_to_f32(std::uint16_t a) { return bf16_value(a); }
template <bool kBf16, bool kRelu_>
SEAM_SIM_INLINE std::uint16_t f32_to_half(float a) {
  if constexpr (kRelu_) a = a > 0 || a != a ? a : 0.0F;
  return to_half<kBf16>(a);
}
template <bool kBf16, bool kRelu_>
SEAM_SIM_INLINE std::uint32_t f32_to_pair(float high, float low) {
  return f32_to_half<kBf16, kRelu_>(low) |
         static_cast<std::uint32_t>(f32_to_half<kBf16, kRelu_>(high)) << 16;
}
SEAM_SIM_INLINE float f32_sat(float a) { return saturate(a); }
SEAM_SIM_INLINE float f32_sat_ftz(float a) { return saturate(flush(a)); }
SEAM_SIM_INLINE float f64_to_f32(double a) { return canonical(static_cast<float>(a)); }
/// Values beyond the range clamp; NaN is 0.
SEAM_SIM_INLINE std::int32_t f32_to_s32(float a) {
  const bool inside = a >= -0x1p31F && a < 0x1p31F;
  const auto value = static_cast<std::int32_t>(inside ? a : 0.0F);
  const std::int32_t beyond = a > 0 ? INT32_MAX : INT32_MIN;
  return a != a ? 0 : inside ? value : beyond;
}
SEAM_SIM_INLINE float f32_nearest(float a) { return canonical(__builtin_rintf(a)); }
SEAM_SIM_INLINE float f32_trunc(float a) { return canonical(__builtin_truncf(a)); }
SEAM_SIM_INLINE float f32_floor(float a) { return canonical(__builtin_floorf(a)); }
SEAM_SIM_INLINE float f32_ceil(float a) { return canonical(__builtin_ceilf(a)); }
SEAM_SIM_INLINE std::uint32_t f32_to_tf32(float a) { return to_tf32_away(a); }

Handler integral_handler(Round round, bool wide) {
  switch (round) {
    case Round::Nearest: return unary<float, float, f32_nearest>(wide);
    case Round::Zero: return unary<float, float, f32_trunc>(wide);
    case Round::Down: return unary<float, float, f32_floor>(wide);
    case Round::Up: return unary<float, float, f32_ceil>(wide);
  }
  return nullptr;
}

/// Integer to integer without saturation, both filling their registers: a C++ conversion.
template <class D>
Handler integer_handler(Type from, bool wide) {
  switch (from) {
    case Type::U16: return unary<D, std::uint16_t, cast<D, std::uint16_t>>(wide);
    case Type::S16: return unary<D, std::int16_t, cast<D, std::int16_t>>(wide);
    case Type::U32: return unary<D, std::uint32_t, cast<D, std::uint32_t>>(wide);
    case Type::S32: return unary<D, std::int32_t, cast<D, std::int32_t>>(wide);
    case Type::U64:
    case Type::S64: return unary<D, std::uint64_t, cast<D, std::uint64_t>>(wide);
    default: return nullptr;
  }
}

Handler common_handler(const Conversion& how, bool wide) {
  const auto is = [&](Type to, Type from) { return how.to == to && how.from == from; };
  if (how.flags == 0 && is_integer(how.to) && is_integer(how.from)) {
    switch (size(how.to)) {
      case 2: return integer_handler<std::uint16_t>(how.from, wide);
      case 4: return integer_handler<std::uint32_t>(how.from, wide);
      case 8: return integer_handler<std::uint64_t>(how.from, wide);
      default: return nullptr;
    }
  }
  if (is(Type::F32, Type::F32)) {
    if (how.flags == kSat) return unary<float, float, f32_sat>(wide);
    if (how.flags == (kSat | kFtz)) return unary<float, float, f32_sat_ftz>(wide);
    if (how.flags == kIntegral) return integral_handler(how.round, wide);
    return nullptr;
  }
  if (is(Type::S32, Type::F32) && how.flags == kIntegral && how.round == Round::Zero) {
    return unary<std::int32_t, float, f32_to_s32>(wide);
  }
  if (is(Type::F32, Type::F16) && how.flags == 0) return unary<float, std::uint16_t, f16_to_f32>(wide);
  if (is(Type::F32, Type::BF16) && how.flags == 0) return unary<float, std::uint16_t, bf16_to_f32>(wide);
  if (is(Type::F64, Type::F32) && how.flags == 0) return unary<double, float, cast<double, float>>(wide);
  if (how.round != Round::Nearest) return nullptr;
  if (is(Type::F16, Type::F32) && how.flags == 0) return unary<std::uint16_t, float, f32_to_half<false, false>>(wide);
  if (is(Type::BF16, Type::F32) && how.flags == 0) return unary<std::uint16_t, float, f32_to_half<true, false>>(wide);
  if (is(Type::F32, Type::F64) && how.flags == 0) return unary<float, double, f64_to_f32>(wide);
  if (is(Type::F32, Type::S32) && how.flags == 0) return unary<float, std::int32_t, cast<float, std::int32_t>>(wide);
  if (is(Type::F32, Type::U32) && how.flags == 0) return unary<float, std::uint32_t, cast<float, std::uint32_t>>(wide);
  if (is(Type::F64, Type::S32) && how.flags == 0) return unary<double, std::int32_t, cast<double, std::int32_t>>(wide);
  if (is(Type::F64, Type::U32) && how.flags == 0) return unary<double, std::uint32_t, cast<double, std::uint32_t>>(wide);
  return nullptr;
}

/// cvt.rn.f16x2.f32 d, a, b: a in the upper half.
void decode_pack(Form& form, Type to) {
  if (form.take_one({"rn"}) < 0) form.refuse("only .rn packs");
  const bool relu = form.take("relu");
  if (form.take_type() != Type::F32) form.refuse("pairs are packed from .f32");
  form.expect_operands(3, 3);
  form.out.d = form.destination(0, Type::B32);
  form.out.a = form.source(1, Type::F32);
  form.out.b = form.source(2, Type::F32);
  using W = std::uint32_t;
  const bool wide = form.wide();
  if (to == Type::F16x2) {
    form.out.run = relu ? binary<W, float, float, f32_to_pair<false, true>>(wide)
                        : binary<W, float, float, f32_to_pair<false, false>>(wide);
  } else {
    form.out.run = relu ? binary<W, float, float, f32_to_pair<true, true>>(wide)
                        : binary<W, float, float, f32_to_pair<true, false>>(wide);
  }
}

void decode_tf32(Form& form) {
  if (!form.take("rna")) form.refuse("only .rna makes .tf32");
  if (form.take_type() != Type::F32) form.refuse(".tf32 is made from .f32");
  form.expect_operands(2, 2);
  form.out.d = form.destination(0, Type::B32);
  form.out.a = form.source(1, Type::F32);
  form.out.run = unary<std::uint32_t, float, f32_to_tf32>(form.wide());
}

/// Which roundings a pair wants, and refuses the rest.
void check_rounding(Form& form, const Conversion& how, bool integral, bool directed) {
  const bool from_float = is_float(how.from);
  const bool to_float = is_float(how.to);
  if (from_float && !to_float) {
    if (!integral) form.wrong("float to integer wants .rni, .rzi, .rmi or .rpi");
    if (directed) form.wrong("float to integer wants an integer rounding");
  } else if (!from_float && to_float) {
    if (!directed) form.wrong("integer to float wants a rounding mode");
    if (integral) form.wrong("integer to float takes no integer rounding");
  } else if (from_float && to_float) {
    if (integral && how.from != how.to) form.wrong("integer rounding keeps the type");
    if (directed && widens(how.from, how.to)) form.wrong("a widening conversion does not round");
    if (!directed && !widens(how.from, how.to)) form.wrong("a narrowing conversion wants a rounding mode");
  } else if (integral || directed) {
    form.wrong("integer to integer does not round");
  }
}

void decode_cvt(Form& form) {
  const auto first = form.peek_type();
  if (first == Type::F16x2 || first == Type::BF16x2) return decode_pack(form, form.take_type());
  if (first == Type::TF32) {
    form.take_type();
    return decode_tf32(form);
  }
  const int directed = form.take_one({"rn", "rz", "rm", "rp"});
  const int integral = form.take_one({"rni", "rzi", "rmi", "rpi"});
  Conversion how{};
  how.to = form.take_type();
  how.from = form.take_type();
  how.round = static_cast<Round>(directed >= 0 ? directed : integral >= 0 ? integral : 0);
  if ((!is_float(how.to) && !is_integer(how.to)) || (!is_float(how.from) && !is_integer(how.from))) {
    form.refuse("conversion between these types is not supported");
  }
  check_rounding(form, how, integral >= 0, directed >= 0);
  if (integral >= 0) how.flags |= kIntegral;
  if ((how.to == Type::F32 || how.from == Type::F32) && form.take("ftz")) how.flags |= kFtz;
  if (form.take("sat")) how.flags |= kSat;
  if ((how.to == Type::F16 || how.to == Type::BF16) && how.from == Type::F32 && form.take("relu")) {
    how.flags |= kRelu;
  }
  if ((how.flags & kSat) != 0 && how.to == Type::BF16) form.refuse(".sat on .bf16 is not supported");
  form.expect_operands(2, 2);
  std::uint8_t to_bytes = 0;
  std::uint8_t from_bytes = 0;
  form.out.d = form.wide_destination(0, how.to, to_bytes);
  form.out.a = form.wide_source(form.operand(1), how.from, from_bytes);
  if (form.failed()) return;
  if (form.out.d == kNoRow) return form.refuse("a destination '_' is not supported here");
  form.out.kind = static_cast<std::uint8_t>(how.to);
  form.out.count = static_cast<std::uint8_t>(how.from);
  form.out.address_bytes = static_cast<std::uint8_t>(how.round);
  form.out.row_bytes = to_bytes;
  form.out.bytes = from_bytes;
  form.out.flags = how.flags;
  const bool fills = to_bytes == size(how.to) && from_bytes == size(how.from);
  form.out.run = fills ? common_handler(how, form.wide()) : nullptr;
  if (!form.out.run) form.out.run = convert_any;
}

constexpr std::array kOpcodes = {Opcode{"cvt", decode_cvt}};

}  // namespace

std::span<const Opcode> convert_opcodes() { return kOpcodes; }

}  // namespace seam::sim
