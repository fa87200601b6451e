/// Bits: and or xor not cnot shl shr shf bfe bfi prmt popc clz bfind brev lop3. On predicates too where PTX has them.
#include <array>
#include <bit>

#include "ops/families.h"
#include "ops/integers.h"
#include "ops/loops.h"

namespace seam::sim {
namespace {

template <class T>
SEAM_SIM_INLINE T both(T a, T b) {
  return static_cast<T>(a & b);
}
template <class T>
SEAM_SIM_INLINE T either(T a, T b) {
  return static_cast<T>(a | b);
}
template <class T>
SEAM_SIM_INLINE T differing(T a, T b) {
  return static_cast<T>(a ^ b);
}
template <class T>
SEAM_SIM_INLINE T inverted(T a) {
  return static_cast<T>(~a);
}
template <class T>
SEAM_SIM_INLINE T is_zero(T a) {
  return a == 0 ? T{1} : T{0};
}

enum class Logic : std::uint8_t { And, Or, Xor, Not };

void predicate_logic(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  std::uint32_t a = predicate_bits(warp, i.a);
  if (i.a_negated) a = ~a;
  std::uint32_t b = 0;
  if (i.b != kNoRow) b = i.b_negated ? ~predicate_bits(warp, i.b) : predicate_bits(warp, i.b);
  std::uint32_t r = 0;
  switch (static_cast<Logic>(i.kind)) {
    case Logic::And: r = a & b; break;
    case Logic::Or: r = a | b; break;
    case Logic::Xor: r = a ^ b; break;
    case Logic::Not: r = ~a; break;
  }
  set_predicate(warp, i.d, r, lanes);
}

template <Logic kLogic>
void decode_logic(Form& form) {
  constexpr std::size_t kOperands = kLogic == Logic::Not ? 2 : 3;
  const Type type = form.take_type();
  form.expect_operands(kOperands, kOperands);
  form.out.d = form.destination(0, type);
  if (type == Type::Pred) {
    form.out.a = form.predicate(1, form.out.a_negated);
    if (kLogic != Logic::Not) form.out.b = form.predicate(2, form.out.b_negated);
    form.out.kind = static_cast<std::uint8_t>(kLogic);
    form.out.run = predicate_logic;
    return;
  }
  form.out.a = form.source(1, type);
  if (kLogic != Logic::Not) form.out.b = form.source(2, type);
  const bool wide = form.wide();
  form.out.run = by_width(form, type, [&]<class T>() {
    if constexpr (kLogic == Logic::And) return binary<T, T, T, both<T>>(wide);
    if constexpr (kLogic == Logic::Or) return binary<T, T, T, either<T>>(wide);
    if constexpr (kLogic == Logic::Xor) return binary<T, T, T, differing<T>>(wide);
    if constexpr (kLogic == Logic::Not) return unary<T, T, inverted<T>>(wide);
  });
}

void decode_cnot(Form& form) {
  const Type type = form.take_type();
  form.expect_operands(2, 2);
  form.out.d = form.destination(0, type);
  form.out.a = form.source(1, type);
  form.out.run =
      by_width(form, type, [&]<class T>() { return unary<T, T, is_zero<T>>(form.wide()); });
}

template <class T>
SEAM_SIM_INLINE T shift_left(T a, std::uint32_t by) {
  constexpr std::uint32_t kBits = sizeof(T) * 8;
  return by >= kBits ? T{0} : static_cast<T>(bits_of(a) << (by & (kBits - 1)));
}
template <class T>
SEAM_SIM_INLINE T shift_right(T a, std::uint32_t by) {
  constexpr std::uint32_t kBits = sizeof(T) * 8;
  if constexpr (std::is_signed_v<T>) {
    return static_cast<T>(a >> (by >= kBits ? kBits - 1 : by));
  } else {
    return by >= kBits ? T{0} : static_cast<T>(a >> (by & (kBits - 1)));
  }
}

template <bool kLeft>
void decode_shift(Form& form) {
  const Type type = form.take_type();
  form.expect_operands(3, 3);
  form.out.d = form.destination(0, type);
  form.out.a = form.source(1, type);
  form.out.b = form.source(2, Type::U32);
  if constexpr (kLeft) {
    form.out.run = by_width(form, type, [&]<class T>() {
      return binary<T, T, std::uint32_t, shift_left<T>>(form.wide());
    });
  } else {
    const auto make = [&]<class T>() {
      return binary<T, T, std::uint32_t, shift_right<T>>(form.wide());
    };
    const bool untyped = type == Type::B16 || type == Type::B32 || type == Type::B64;
    form.out.run = untyped ? by_width(form, type, make) : by_integer(form, type, make);
  }
}

/// Funnel shifts of (b:a).
template <bool kClamp>
SEAM_SIM_INLINE std::uint32_t funnel_left(std::uint32_t a, std::uint32_t b, std::uint32_t by) {
  by = kClamp ? (by > 32 ? 32 : by) : by & 31;
  return static_cast<std::uint32_t>((std::uint64_t{b} << 32 | a) << by >> 32);
}
template <bool kClamp>
SEAM_SIM_INLINE std::uint32_t funnel_right(std::uint32_t a, std::uint32_t b, std::uint32_t by) {
  by = kClamp ? (by > 32 ? 32 : by) : by & 31;
  return static_cast<std::uint32_t>((std::uint64_t{b} << 32 | a) >> by);
}

void decode_funnel(Form& form) {
  const int side = form.take_one({"l", "r"});
  const int mode = form.take_one({"wrap", "clamp"});
  if (side < 0 || mode < 0) form.refuse("shf wants .l or .r and .wrap or .clamp");
  if (form.take_type() != Type::B32) form.refuse("the type must be .b32");
  form.expect_operands(4, 4);
  form.out.d = form.destination(0, Type::B32);
  form.out.a = form.source(1, Type::B32);
  form.out.b = form.source(2, Type::B32);
  form.out.c = form.source(3, Type::U32);
  using W = std::uint32_t;
  const bool wide = form.wide();
  if (side == 0) {
    form.out.run = mode == 1 ? ternary<W, W, W, W, funnel_left<true>>(wide)
                             : ternary<W, W, W, W, funnel_left<false>>(wide);
  } else {
    form.out.run = mode == 1 ? ternary<W, W, W, W, funnel_right<true>>(wide)
                             : ternary<W, W, W, W, funnel_right<false>>(wide);
  }
}

/// `length` bits of a from `position`, sign-extended from the last one (or bit msb) if T is signed.
template <class T>
T extract(T a, std::uint32_t position, std::uint32_t length) {
  constexpr std::uint32_t kMost = sizeof(T) * 8 - 1;
  position &= 0xff;
  length &= 0xff;
  const auto bits = bits_of(a);
  bool sign = false;
  if (std::is_signed_v<T> && length != 0) {
    const std::uint32_t last = position + length - 1 < kMost ? position + length - 1 : kMost;
    sign = (bits >> last & 1) != 0;
  }
  using Bits = decltype(bits);
  const std::uint32_t count =
      position > kMost ? 0 : length < kMost + 1 - position ? length : kMost + 1 - position;
  const Bits mask = count > kMost ? ~Bits{0} : (Bits{1} << count) - 1;
  const Bits field = position > kMost ? 0 : bits >> position & mask;
  return static_cast<T>(sign ? field | ~mask : field);
}

void decode_extract(Form& form) {
  const Type type = form.take_type();
  if (size(type) < 4) form.refuse("the type must have 32 or 64 bits");
  form.expect_operands(4, 4);
  form.out.d = form.destination(0, type);
  form.out.a = form.source(1, type);
  form.out.b = form.source(2, Type::U32);
  form.out.c = form.source(3, Type::U32);
  form.out.run = by_integer(form, type, [&]<class T>() {
    return ternary<T, T, std::uint32_t, std::uint32_t, extract<T>>(form.wide());
  });
}

/// b with its bits from `position` on replaced by the low `length` bits of a.
template <class T>
T insert(T a, T b, std::uint32_t position, std::uint32_t length) {
  constexpr std::uint32_t kBits = sizeof(T) * 8;
  position &= 0xff;
  length &= 0xff;
  if (length == 0 || position >= kBits) return b;
  const std::uint32_t room = kBits - position;
  const std::uint32_t count = length < room ? length : room;
  const T mask = count == kBits ? ~T{0} : static_cast<T>(((T{1} << count) - 1) << position);
  return static_cast<T>((b & ~mask) | (static_cast<T>(a << position) & mask));
}

template <class T>
void insert_lanes(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  alignas(64) T value[32];
  for (int l = 0; l < 32; ++l) {
    value[l] = insert(row<T>(warp, i.a)[l], row<T>(warp, i.b)[l], row<std::uint32_t>(warp, i.c)[l],
                      row<std::uint32_t>(warp, i.e)[l]);
  }
  keep(row<T>(warp, i.d), value, lanes);
}

void decode_insert(Form& form) {
  const Type type = form.take_type();
  if (type != Type::B32 && type != Type::B64) form.refuse("the type must be .b32 or .b64");
  form.expect_operands(5, 5);
  form.out.d = form.destination(0, type);
  form.out.a = form.source(1, type);
  form.out.b = form.source(2, type);
  form.out.c = form.source(3, Type::U32);
  form.out.e = form.source(4, Type::U32);
  form.out.run = type == Type::B32 ? insert_lanes<std::uint32_t> : insert_lanes<std::uint64_t>;
}

/// Four bytes picked from (b:a); bit 3 of a selector replicates the byte's sign.
SEAM_SIM_INLINE std::uint32_t permute(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
  const std::uint64_t bytes = std::uint64_t{b} << 32 | a;
  std::uint32_t r = 0;
  for (int k = 0; k < 4; ++k) {
    const std::uint32_t s = selector >> (4 * k) & 15;
    auto byte = static_cast<std::uint32_t>(bytes >> (8 * (s & 7)) & 0xff);
    if ((s & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
    r |= byte << (8 * k);
  }
  return r;
}

/// The special modes, by the low two bits of c.
enum class PermuteMode : std::uint8_t { F4e, B4e, Rc8, Ecl, Ecr, Rc16 };

template <PermuteMode kMode>
std::uint32_t permute_mode(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  static constexpr std::uint32_t kSelectors[6][4] = {
      {0x3210, 0x4321, 0x5432, 0x6543}, {0x5670, 0x6701, 0x7012, 0x0123},
      {0x0000, 0x1111, 0x2222, 0x3333}, {0x3210, 0x3211, 0x3222, 0x3333},
      {0x0000, 0x1110, 0x2210, 0x3210}, {0x1010, 0x3232, 0x1010, 0x3232}};
  return permute(a, b, kSelectors[static_cast<int>(kMode)][c & 3]);
}

void decode_permute(Form& form) {
  if (form.take_type() != Type::B32) form.refuse("the type must be .b32");
  const int mode = form.take_one({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
  form.expect_operands(4, 4);
  form.out.d = form.destination(0, Type::B32);
  form.out.a = form.source(1, Type::B32);
  form.out.b = form.source(2, Type::B32);
  form.out.c = form.source(3, Type::B32);
  using W = std::uint32_t;
  const bool wide = form.wide();
  switch (mode) {
    case -1: form.out.run = ternary<W, W, W, W, permute>(wide); break;
    case 0: form.out.run = ternary<W, W, W, W, permute_mode<PermuteMode::F4e>>(wide); break;
    case 1: form.out.run = ternary<W, W, W, W, permute_mode<PermuteMode::B4e>>(wide); break;
    case 2: form.out.run = ternary<W, W, W, W, permute_mode<PermuteMode::Rc8>>(wide); break;
    case 3: form.out.run = ternary<W, W, W, W, permute_mode<PermuteMode::Ecl>>(wide); break;
    case 4: form.out.run = ternary<W, W, W, W, permute_mode<PermuteMode::Ecr>>(wide); break;
    default: form.out.run = ternary<W, W, W, W, permute_mode<PermuteMode::Rc16>>(wide); break;
  }
}

template <class T>
SEAM_SIM_INLINE std::uint32_t count_ones(T a) {
  return static_cast<std::uint32_t>(std::popcount(a));
}
template <class T>
SEAM_SIM_INLINE std::uint32_t leading_zeros(T a) {
  return static_cast<std::uint32_t>(std::countl_zero(a));
}

template <bool kOnes>
void decode_count(Form& form) {
  const Type type = form.take_type();
  if (type != Type::B32 && type != Type::B64) form.refuse("the type must be .b32 or .b64");
  form.expect_operands(2, 2);
  form.out.d = form.destination(0, Type::U32);
  form.out.a = form.source(1, type);
  form.out.run = by_width(form, type, [&]<class T>() {
    if constexpr (kOnes) return unary<std::uint32_t, T, count_ones<T>>(form.wide());
    return unary<std::uint32_t, T, leading_zeros<T>>(form.wide());
  });
}

template <class T>
T reversed(T a) {
  T r = 0;
  for (std::uint32_t k = 0; k < sizeof(T) * 8; ++k) r = static_cast<T>(r << 1 | (a >> k & 1));
  return r;
}

void decode_reverse(Form& form) {
  const Type type = form.take_type();
  if (type != Type::B32 && type != Type::B64) form.refuse("the type must be .b32 or .b64");
  form.expect_operands(2, 2);
  form.out.d = form.destination(0, type);
  form.out.a = form.source(1, type);
  form.out.run =
      by_width(form, type, [&]<class T>() { return unary<T, T, reversed<T>>(form.wide()); });
}

/// The highest bit that differs from the sign (from 0 if unsigned); all ones if there is none.
template <class T, bool kShift>
std::uint32_t find_high(T a) {
  auto bits = bits_of(a);
  if (std::is_signed_v<T> && a < 0) bits = ~bits;
  if (bits == 0) return UINT32_MAX;
  const auto zeros = static_cast<std::uint32_t>(std::countl_zero(bits));
  return kShift ? zeros : static_cast<std::uint32_t>(sizeof(T) * 8 - 1) - zeros;
}

void decode_find(Form& form) {
  const bool shift = form.take("shiftamt");
  const Type type = form.take_type();
  if (size(type) < 4) form.refuse("the type must have 32 or 64 bits");
  form.expect_operands(2, 2);
  form.out.d = form.destination(0, Type::U32);
  form.out.a = form.source(1, type);
  form.out.run = by_integer(form, type, [&]<class T>() {
    return shift ? unary<std::uint32_t, T, find_high<T, true>>(form.wide())
                 : unary<std::uint32_t, T, find_high<T, false>>(form.wide());
  });
}

/// Any function of three bits, by its table.
void lop3(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  const std::uint32_t* a = row<std::uint32_t>(warp, i.a);
  const std::uint32_t* b = row<std::uint32_t>(warp, i.b);
  const std::uint32_t* c = row<std::uint32_t>(warp, i.c);
  alignas(64) std::uint32_t value[32] = {};
  for (std::uint32_t k = 0; k < 8; ++k) {
    if ((i.offset >> k & 1) == 0) continue;
    const std::uint32_t x = (k & 4) != 0 ? 0 : ~0U;
    const std::uint32_t y = (k & 2) != 0 ? 0 : ~0U;
    const std::uint32_t z = (k & 1) != 0 ? 0 : ~0U;
    for (int l = 0; l < 32; ++l) value[l] |= (a[l] ^ x) & (b[l] ^ y) & (c[l] ^ z);
  }
  keep(row<std::uint32_t>(warp, i.d), value, lanes);
}

void decode_lop3(Form& form) {
  if (form.take_type() != Type::B32) form.refuse("the type must be .b32");
  form.expect_operands(5, 5);
  form.out.d = form.destination(0, Type::B32);
  form.out.a = form.source(1, Type::B32);
  form.out.b = form.source(2, Type::B32);
  form.out.c = form.source(3, Type::B32);
  const auto table = form.literal(4);
  if (!table || *table < 0 || *table > 255) {
    form.wrong("the table must be a literal from 0 to 255");
    return;
  }
  form.out.offset = *table;
  form.out.run = lop3;
}

constexpr std::array kOpcodes = {
    Opcode{"and", decode_logic<Logic::And>}, Opcode{"or", decode_logic<Logic::Or>},
    Opcode{"xor", decode_logic<Logic::Xor>}, Opcode{"not", decode_logic<Logic::Not>},
    Opcode{"cnot", decode_cnot},             Opcode{"shl", decode_shift<true>},
    Opcode{"shr", decode_shift<false>},      Opcode{"shf", decode_funnel},
    Opcode{"bfe", decode_extract},           Opcode{"bfi", decode_insert},
    Opcode{"prmt", decode_permute},          Opcode{"popc", decode_count<true>},
    Opcode{"clz", decode_count<false>},      Opcode{"brev", decode_reverse},
    Opcode{"bfind", decode_find},            Opcode{"lop3", decode_lop3},
};

}  // namespace

std::span<const Opcode> bit_opcodes() { return kOpcodes; }

}  // namespace seam::sim
