/// 16-, 32- and 64-bit integers: add sub mul mad div rem min max neg abs sad mul24 mad24 dp4a dp2a.
#include <array>
#include <limits>
#include <type_traits>

#include "ops/families.h"
#include "ops/integers.h"
#include "ops/loops.h"

namespace seam::sim {
namespace {

template <class T>
SEAM_SIM_INLINE T add(T a, T b) {
  return static_cast<T>(bits_of(a) + bits_of(b));
}
template <class T>
SEAM_SIM_INLINE T subtract(T a, T b) {
  return static_cast<T>(bits_of(a) - bits_of(b));
}
template <class T>
SEAM_SIM_INLINE T multiply_low(T a, T b) {
  return static_cast<T>(bits_of(a) * bits_of(b));
}
template <class T>
SEAM_SIM_INLINE T multiply_high(T a, T b) {
  using Wide = wider_t<T>;
  return static_cast<T>((static_cast<Wide>(a) * static_cast<Wide>(b)) >> (sizeof(T) * 8));
}
template <class T>
SEAM_SIM_INLINE wider_t<T> multiply_wide(T a, T b) {
  using Bits = std::make_unsigned_t<wider_t<T>>;
  return static_cast<wider_t<T>>(static_cast<Bits>(a) * static_cast<Bits>(b));
}
template <class T>
SEAM_SIM_INLINE T mad_low(T a, T b, T c) {
  return add(multiply_low(a, b), c);
}
template <class T>
SEAM_SIM_INLINE T mad_high(T a, T b, T c) {
  return add(multiply_high(a, b), c);
}
template <class T>
SEAM_SIM_INLINE wider_t<T> mad_wide(T a, T b, wider_t<T> c) {
  return add<wider_t<T>>(multiply_wide(a, b), c);
}
/// Division by zero is all ones on the device (and undefined in the ISA text); the machine must not trap on it.
template <class T>
T divide(T a, T b) {
  if (b == 0) return static_cast<T>(~std::make_unsigned_t<T>{0});
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return static_cast<T>(0 - bits_of(a));
  }
  return static_cast<T>(a / b);
}
template <class T>
T remainder(T a, T b) {
  if (b == 0) return a;
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return 0;
  }
  return static_cast<T>(a % b);
}
template <class T>
SEAM_SIM_INLINE T minimum(T a, T b) {
  return a < b ? a : b;
}
template <class T>
SEAM_SIM_INLINE T maximum(T a, T b) {
  return a > b ? a : b;
}
template <class T>
SEAM_SIM_INLINE T negate(T a) {
  return static_cast<T>(0 - bits_of(a));
}
template <class T>
SEAM_SIM_INLINE T absolute(T a) {
  return a < 0 ? negate(a) : a;
}
template <class T>
SEAM_SIM_INLINE T sum_of_differences(T a, T b, T c) {
  const auto difference = a > b ? bits_of(a) - bits_of(b) : bits_of(b) - bits_of(a);
  return static_cast<T>(bits_of(c) + difference);
}

SEAM_SIM_INLINE std::int32_t clamp32(std::int64_t x) {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int32_t>::min();
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int32_t>(x < kLeast ? kLeast : x > kMost ? kMost : x);
}
SEAM_SIM_INLINE std::int32_t add_saturated(std::int32_t a, std::int32_t b) {
  return clamp32(std::int64_t{a} + b);
}
SEAM_SIM_INLINE std::int32_t subtract_saturated(std::int32_t a, std::int32_t b) {
  return clamp32(std::int64_t{a} - b);
}

/// Two 16-bit halves of a 32-bit register.
template <class T, T (*kOp)(T, T)>
SEAM_SIM_INLINE std::uint32_t by_halves(std::uint32_t a, std::uint32_t b) {
  const auto low = static_cast<std::uint16_t>(kOp(static_cast<T>(a & 0xffff), static_cast<T>(b & 0xffff)));
  const auto high = static_cast<std::uint16_t>(kOp(static_cast<T>(a >> 16), static_cast<T>(b >> 16)));
  return low | static_cast<std::uint32_t>(high) << 16;
}

void operands3(Form& form, Type type) {
  form.expect_operands(3, 3);
  form.out.d = form.destination(0, type);
  form.out.a = form.source(1, type);
  form.out.b = form.source(2, type);
}

/// add.u16x2 and the like: the modifier is no scalar type.
bool decode_halves(Form& form) {
  const bool is_unsigned = form.has("u16x2");
  if (!is_unsigned && !form.has("s16x2")) return false;
  form.take(is_unsigned ? "u16x2" : "s16x2");
  operands3(form, Type::B32);
  using U = std::uint16_t;
  using S = std::int16_t;
  const bool wide = form.wide();
  const auto set = [&]<U (*kU)(U, U), S (*kS)(S, S)>() {
    using W = std::uint32_t;
    form.out.run = is_unsigned ? binary<W, W, W, by_halves<U, kU>>(wide)
                               : binary<W, W, W, by_halves<S, kS>>(wide);
  };
  if (form.base() == "add") set.operator()<add<U>, add<S>>();
  if (form.base() == "min") set.operator()<minimum<U>, minimum<S>>();
  if (form.base() == "max") set.operator()<maximum<U>, maximum<S>>();
  return true;
}

void decode_sum(Form& form, bool subtracts) {
  const bool sat = form.take("sat");
  const Type type = form.take_type();
  operands3(form, type);
  if (sat) {
    if (type != Type::S32) form.refuse("only .s32 saturates");
    using S = std::int32_t;
    form.out.run = subtracts ? binary<S, S, S, subtract_saturated>(form.wide())
                             : binary<S, S, S, add_saturated>(form.wide());
    return;
  }
  form.out.run = by_integer(form, type, [&]<class T>() {
    return subtracts ? binary<T, T, T, subtract<T>>(form.wide()) : binary<T, T, T, add<T>>(form.wide());
  });
}

void decode_product(Form& form) {
  const int part = form.take_one({"lo", "hi", "wide"});
  if (part < 0) form.refuse("which part of the product?");
  const Type type = form.take_type();
  form.expect_operands(3, 3);
  if (part == 2 && size(type) == 8) form.refuse("a 64-bit product is not widened");
  form.out.d = form.destination(0, part == 2 ? twice(type) : type);
  form.out.a = form.source(1, type);
  form.out.b = form.source(2, type);
  const bool wide = form.wide();
  form.out.run = by_integer(form, type, [&]<class T>() -> Handler {
    if (part == 0) return binary<T, T, T, multiply_low<T>>(wide);
    if (part == 1) return binary<T, T, T, multiply_high<T>>(wide);
    if constexpr (sizeof(T) < 8) return binary<wider_t<T>, T, T, multiply_wide<T>>(wide);
    return nullptr;
  });
}

void decode_mad(Form& form) {
  const int part = form.take_one({"lo", "hi", "wide"});
  if (part < 0) form.refuse("which part of the product?");
  const Type type = form.take_type();
  form.expect_operands(4, 4);
  if (part == 2 && size(type) == 8) form.refuse("a 64-bit product is not widened");
  const Type result = part == 2 ? twice(type) : type;
  form.out.d = form.destination(0, result);
  form.out.a = form.source(1, type);
  form.out.b = form.source(2, type);
  form.out.c = form.source(3, result);
  const bool wide = form.wide();
  form.out.run = by_integer(form, type, [&]<class T>() -> Handler {
    if (part == 0) return ternary<T, T, T, T, mad_low<T>>(wide);
    if (part == 1) return ternary<T, T, T, T, mad_high<T>>(wide);
    if constexpr (sizeof(T) < 8) {
      return ternary<wider_t<T>, T, T, wider_t<T>, mad_wide<T>>(wide);
    }
    return nullptr;
  });
}

void decode_quotient(Form& form, bool rest) {
  const Type type = form.take_type();
  operands3(form, type);
  form.out.run = by_integer(form, type, [&]<class T>() {
    return rest ? binary<T, T, T, remainder<T>>(form.wide())
                : binary<T, T, T, divide<T>>(form.wide());
  });
}

void decode_extremum(Form& form, bool max) {
  const Type type = form.take_type();
  operands3(form, type);
  form.out.run = by_integer(form, type, [&]<class T>() {
    return max ? binary<T, T, T, maximum<T>>(form.wide()) : binary<T, T, T, minimum<T>>(form.wide());
  });
}

void decode_sign(Form& form, bool abs) {
  const Type type = form.take_type();
  if (!is_signed(type)) form.refuse("the type must be signed");
  form.expect_operands(2, 2);
  form.out.d = form.destination(0, type);
  form.out.a = form.source(1, type);
  form.out.run = by_integer(form, type, [&]<class T>() {
    return abs ? unary<T, T, absolute<T>>(form.wide()) : unary<T, T, negate<T>>(form.wide());
  });
}

void decode_sad(Form& form) {
  const Type type = form.take_type();
  form.expect_operands(4, 4);
  form.out.d = form.destination(0, type);
  form.out.a = form.source(1, type);
  form.out.b = form.source(2, type);
  form.out.c = form.source(3, type);
  form.out.run = by_integer(form, type, [&]<class T>() {
    return ternary<T, T, T, T, sum_of_differences<T>>(form.wide());
  });
}

/// The low 24 bits, sign- or zero-extended.
template <class T>
SEAM_SIM_INLINE std::int64_t low24(T a) {
  return std::is_signed_v<T> ? std::int64_t{static_cast<std::int32_t>(bits_of(a) << 8) >> 8}
                             : std::int64_t{bits_of(a) & 0xffffffU};
}
template <class T, int kShift>
SEAM_SIM_INLINE T mul24(T a, T b) {
  return static_cast<T>((low24(a) * low24(b)) >> kShift);
}
template <class T, int kShift>
SEAM_SIM_INLINE T mad24(T a, T b, T c) {
  return add(mul24<T, kShift>(a, b), c);
}

template <class T>
Handler handler24(bool mad, bool high, bool wide) {
  if (mad) return high ? ternary<T, T, T, T, mad24<T, 16>>(wide) : ternary<T, T, T, T, mad24<T, 0>>(wide);
  return high ? binary<T, T, T, mul24<T, 16>>(wide) : binary<T, T, T, mul24<T, 0>>(wide);
}

void decode_24(Form& form) {
  const bool mad = form.base() == "mad24";
  const int part = form.take_one({"lo", "hi"});
  if (part < 0) form.refuse("which part of the product?");
  const Type type = form.take_type();
  if (type != Type::U32 && type != Type::S32) form.refuse("the type must be .u32 or .s32");
  form.expect_operands(mad ? 4 : 3, mad ? 4 : 3);
  form.out.d = form.destination(0, type);
  form.out.a = form.source(1, type);
  form.out.b = form.source(2, type);
  if (mad) form.out.c = form.source(3, type);
  form.out.run = type == Type::U32 ? handler24<std::uint32_t>(mad, part == 1, form.wide())
                                   : handler24<std::int32_t>(mad, part == 1, form.wide());
}

/// Byte i of a register, or half i.
template <bool kSigned>
SEAM_SIM_INLINE std::int32_t byte_of(std::uint32_t a, int i) {
  const std::uint32_t byte = a >> (8 * i) & 0xff;
  return kSigned ? static_cast<std::int8_t>(byte) : static_cast<std::int32_t>(byte);
}
template <bool kSigned>
SEAM_SIM_INLINE std::int32_t half_of(std::uint32_t a, int i) {
  const std::uint32_t half = a >> (16 * i) & 0xffff;
  return kSigned ? static_cast<std::int16_t>(half) : static_cast<std::int32_t>(half);
}
template <bool kA, bool kB>
SEAM_SIM_INLINE std::uint32_t dot4(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  for (int i = 0; i < 4; ++i) c += static_cast<std::uint32_t>(byte_of<kA>(a, i) * byte_of<kB>(b, i));
  return c;
}
template <bool kA, bool kB, int kFrom>
SEAM_SIM_INLINE std::uint32_t dot2(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  for (int i = 0; i < 2; ++i) {
    c += bits_of(half_of<kA>(a, i)) * bits_of(byte_of<kB>(b, kFrom + i));
  }
  return c;
}

template <bool kA, bool kB>
Handler dot_handler(int bytes, bool high, bool wide) {
  using W = std::uint32_t;
  if (bytes == 4) return ternary<W, W, W, W, dot4<kA, kB>>(wide);
  return high ? ternary<W, W, W, W, dot2<kA, kB, 2>>(wide) : ternary<W, W, W, W, dot2<kA, kB, 0>>(wide);
}

void decode_dot(Form& form) {
  const int bytes = form.base() == "dp4a" ? 4 : 2;
  const int part = bytes == 2 ? form.take_one({"lo", "hi"}) : 0;
  if (part < 0) form.refuse("which half of b?");
  const Type a = form.take_type();
  const Type b = form.take_type();
  const auto allowed = [](Type t) { return t == Type::U32 || t == Type::S32; };
  if (!allowed(a) || !allowed(b)) form.refuse("the types must be .u32 or .s32");
  form.expect_operands(4, 4);
  form.out.d = form.destination(0, Type::B32);
  form.out.a = form.source(1, Type::B32);
  form.out.b = form.source(2, Type::B32);
  form.out.c = form.source(3, Type::B32);
  const bool wide = form.wide();
  if (is_signed(a)) {
    form.out.run = is_signed(b) ? dot_handler<true, true>(bytes, part == 1, wide)
                                : dot_handler<true, false>(bytes, part == 1, wide);
  } else {
    form.out.run = is_signed(b) ? dot_handler<false, true>(bytes, part == 1, wide)
                                : dot_handler<false, false>(bytes, part == 1, wide);
  }
}

constexpr std::array kOpcodes = {Opcode{"sad", decode_sad}, Opcode{"mul24", decode_24},
                                 Opcode{"mad24", decode_24}, Opcode{"dp4a", decode_dot},
                                 Opcode{"dp2a", decode_dot}};

}  // namespace

void decode_integer_arithmetic(Form& form) {
  if (decode_halves(form)) return;
  const std::string_view base = form.base();
  if (base == "add") return form.has("cc") ? decode_carry(form) : decode_sum(form, false);
  if (base == "sub") return form.has("cc") ? decode_carry(form) : decode_sum(form, true);
  if (base == "mul") return decode_product(form);
  if (base == "mad") return form.has("cc") ? decode_carry(form) : decode_mad(form);
  if (base == "div") return decode_quotient(form, false);
  if (base == "rem") return decode_quotient(form, true);
  if (base == "min") return decode_extremum(form, false);
  if (base == "max") return decode_extremum(form, true);
  if (base == "neg") return decode_sign(form, false);
  if (base == "abs") return decode_sign(form, true);
  form.refuse("not an operation on integers");
}

std::span<const Opcode> integer_opcodes() { return kOpcodes; }

}  // namespace seam::sim
