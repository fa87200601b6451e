/// setp, set, selp, slct.
#include <array>

#include "ops/families.h"
#include "ops/halves.h"
#include "ops/integers.h"
#include "ops/loops.h"
#include "ops/scalar.h"

namespace seam::sim {
namespace {

enum class Relation : std::uint8_t {
  Eq, Ne, Lt, Le, Gt, Ge,              // false if an operand is NaN
  Equ, Neu, Ltu, Leu, Gtu, Geu,        // true if an operand is NaN
  Num, Nan,
};

template <Relation kRelation, class T>
SEAM_SIM_INLINE bool holds(T a, T b) {
  constexpr bool kFloat = std::is_floating_point_v<T>;
  const bool unordered = kFloat && (a != a || b != b);
  switch (kRelation) {
    case Relation::Eq: return a == b;
    case Relation::Ne: return a != b && !unordered;
    case Relation::Lt: return a < b;
    case Relation::Le: return a <= b;
    case Relation::Gt: return a > b;
    case Relation::Ge: return a >= b;
    case Relation::Equ: return a == b || unordered;
    case Relation::Neu: return a != b;
    case Relation::Ltu: return !(a >= b);
    case Relation::Leu: return !(a > b);
    case Relation::Gtu: return !(a <= b);
    case Relation::Geu: return !(a < b);
    case Relation::Num: return !unordered;
    case Relation::Nan: return unordered;
  }
  return false;
}

/// Raw: what is in the row; the scalar compared is Read::get of it.
struct AsIs {
  template <class T>
  static SEAM_SIM_INLINE T get(T a) { return a; }
};
struct Flushed {
  static SEAM_SIM_INLINE float get(float a) { return flush(a); }
};
template <bool kBf16>
struct AsHalf {
  static SEAM_SIM_INLINE float get(std::uint16_t a) { return half_value<kBf16>(a); }
};
struct AsFlushedHalf {
  static SEAM_SIM_INLINE float get(std::uint16_t a) { return half_value<false>(flush_half(a)); }
};

template <Relation kRelation, class Raw, class Read>
SEAM_SIM_INLINE std::uint32_t compare_rows(Warp& warp, std::uint32_t row_a, std::uint32_t row_b) {
  const Raw* a = row<Raw>(warp, row_a);
  const Raw* b = row<Raw>(warp, row_b);
  alignas(64) std::uint32_t bit[32];
  for (int l = 0; l < 32; ++l) {
    bit[l] = std::uint32_t{holds<kRelation>(Read::get(a[l]), Read::get(b[l]))} << l;
  }
  std::uint32_t bits = 0;
  for (int l = 0; l < 32; ++l) bits |= bit[l];
  return bits;
}

/// Instruction::kind of setp and set: how to combine with predicate c.
enum class Combine : std::uint8_t { None, And, Or, Xor };

SEAM_SIM_INLINE std::uint32_t combined(Warp& warp, const Instruction& i, std::uint32_t bits) {
  if (i.kind == static_cast<std::uint8_t>(Combine::None)) return bits;
  std::uint32_t c = predicate_bits(warp, i.c);
  if (i.c_negated) c = ~c;
  switch (static_cast<Combine>(i.kind)) {
    case Combine::And: return bits & c;
    case Combine::Or: return bits | c;
    default: return bits ^ c;
  }
}

template <Relation kRelation, class Raw, class Read>
SEAM_SIM_INLINE void setp_body(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  const std::uint32_t bits = compare_rows<kRelation, Raw, Read>(warp, i.a, i.b);
  const std::uint32_t p = combined(warp, i, bits);
  const std::uint32_t q = combined(warp, i, ~bits);
  set_predicate(warp, i.d, p, lanes);
  set_predicate(warp, i.d2, q, lanes);
}
template <Relation kRelation, class Raw, class Read>
void setp_narrow(Warp& w, const Instruction& i, std::uint32_t m) {
  setp_body<kRelation, Raw, Read>(w, i, m);
}
template <Relation kRelation, class Raw, class Read>
SEAM_SIM_WIDE void setp_wide(Warp& w, const Instruction& i, std::uint32_t m) {
  setp_body<kRelation, Raw, Read>(w, i, m);
}

/// set: 1.0 / 0.0 in f32, f16, bf16 or all ones / 0 in an integer, by Instruction::offset.
template <Relation kRelation, class Raw, class Read, class D>
void set_value(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  const std::uint32_t bits =
      combined(warp, i, compare_rows<kRelation, Raw, Read>(warp, i.a, i.b));
  alignas(64) D value[32];
  for (int l = 0; l < 32; ++l) value[l] = (bits >> l & 1U) != 0 ? static_cast<D>(i.offset) : D{0};
  keep(row<D>(warp, i.d), value, lanes);
}

/// Two halves of a register are compared each by itself.
template <Relation kRelation, bool kBf16, bool kFtz>
std::uint32_t compare_half(std::uint32_t a, std::uint32_t b, int half) {
  auto x = static_cast<std::uint16_t>(a >> (16 * half));
  auto y = static_cast<std::uint16_t>(b >> (16 * half));
  if constexpr (kFtz) {
    x = flush_half(x);
    y = flush_half(y);
  }
  return std::uint32_t{holds<kRelation>(half_value<kBf16>(x), half_value<kBf16>(y))};
}

template <Relation kRelation, bool kBf16, bool kFtz>
void setp_pair(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  const std::uint32_t* a = row<std::uint32_t>(warp, i.a);
  const std::uint32_t* b = row<std::uint32_t>(warp, i.b);
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  for (int l = 0; l < 32; ++l) {
    low |= compare_half<kRelation, kBf16, kFtz>(a[l], b[l], 0) << l;
    high |= compare_half<kRelation, kBf16, kFtz>(a[l], b[l], 1) << l;
  }
  low = combined(warp, i, low);
  high = combined(warp, i, high);
  set_predicate(warp, i.d, low, lanes);
  set_predicate(warp, i.d2, high, lanes);
}

template <Relation kRelation, bool kBf16, bool kFtz>
void set_pair(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  const std::uint32_t* a = row<std::uint32_t>(warp, i.a);
  const std::uint32_t* b = row<std::uint32_t>(warp, i.b);
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  for (int l = 0; l < 32; ++l) {
    low |= compare_half<kRelation, kBf16, kFtz>(a[l], b[l], 0) << l;
    high |= compare_half<kRelation, kBf16, kFtz>(a[l], b[l], 1) << l;
  }
  low = combined(warp, i, low);
  high = combined(warp, i, high);
  const auto one = static_cast<std::uint32_t>(i.offset);
  alignas(64) std::uint32_t value[32];
  for (int l = 0; l < 32; ++l) {
    value[l] = ((low >> l & 1U) != 0 ? one : 0) | ((high >> l & 1U) != 0 ? one << 16 : 0);
  }
  keep(row<std::uint32_t>(warp, i.d), value, lanes);
}

/// What a comparison compares, as template arguments of a handler.
template <template <Relation, class, class> class Make, class Raw, class Read>
Handler by_relation(Relation relation, bool wide) {
  switch (relation) {
#define CASE(name) \
  case Relation::name: return Make<Relation::name, Raw, Read>::handler(wide);
    CASE(Eq) CASE(Ne) CASE(Lt) CASE(Le) CASE(Gt) CASE(Ge)
    default: break;
  }
  if constexpr (std::is_floating_point_v<decltype(Read::get(Raw{}))>) {
    switch (relation) {
      CASE(Equ) CASE(Neu) CASE(Ltu) CASE(Leu) CASE(Gtu) CASE(Geu) CASE(Num) CASE(Nan)
#undef CASE
      default: break;
    }
  }
  return nullptr;
}

template <Relation kRelation, class Raw, class Read>
struct MakeSetp {
  static Handler handler(bool wide) {
    return wide ? setp_wide<kRelation, Raw, Read> : setp_narrow<kRelation, Raw, Read>;
  }
};
template <class D>
struct MakeSet {
  template <Relation kRelation, class Raw, class Read>
  struct Of {
    static Handler handler(bool) { return set_value<kRelation, Raw, Read, D>; }
  };
};
template <bool kSetp>
struct MakePair {
  template <Relation kRelation, class Raw, class Read>
  struct Of {
    static constexpr bool kBf16 = std::is_same_v<Read, AsHalf<true>>;
    static constexpr bool kFtz = std::is_same_v<Read, AsFlushedHalf>;
    static Handler handler(bool) {
      return kSetp ? setp_pair<kRelation, kBf16, kFtz> : set_pair<kRelation, kBf16, kFtz>;
    }
  };
};

template <template <Relation, class, class> class Make>
Handler by_operands(Form& form, Relation relation, Type type, bool ftz) {
  const bool wide = form.wide();
  switch (type) {
    case Type::B16:
    case Type::U16: return by_relation<Make, std::uint16_t, AsIs>(relation, wide);
    case Type::S16: return by_relation<Make, std::int16_t, AsIs>(relation, wide);
    case Type::B32:
    case Type::U32: return by_relation<Make, std::uint32_t, AsIs>(relation, wide);
    case Type::S32: return by_relation<Make, std::int32_t, AsIs>(relation, wide);
    case Type::B64:
    case Type::U64: return by_relation<Make, std::uint64_t, AsIs>(relation, wide);
    case Type::S64: return by_relation<Make, std::int64_t, AsIs>(relation, wide);
    case Type::F32:
      return ftz ? by_relation<Make, float, Flushed>(relation, wide)
                 : by_relation<Make, float, AsIs>(relation, wide);
    case Type::F64: return by_relation<Make, double, AsIs>(relation, wide);
    case Type::F16:
      return ftz ? by_relation<Make, std::uint16_t, AsFlushedHalf>(relation, wide)
                 : by_relation<Make, std::uint16_t, AsHalf<false>>(relation, wide);
    case Type::BF16: return by_relation<Make, std::uint16_t, AsHalf<true>>(relation, wide);
    default: return nullptr;
  }
}

template <template <Relation, class, class> class Make>
Handler by_pair(Relation relation, Type type, bool ftz) {
  if (type == Type::BF16x2) return by_relation<Make, std::uint16_t, AsHalf<true>>(relation, false);
  if (ftz) return by_relation<Make, std::uint16_t, AsFlushedHalf>(relation, false);
  return by_relation<Make, std::uint16_t, AsHalf<false>>(relation, false);
}

/// lo, ls, hi, hs are lt, le, gt, ge of unsigned numbers.
std::optional<Relation> take_relation(Form& form) {
  const int plain = form.take_one({"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu",
                                   "gtu", "geu", "num", "nan"});
  if (plain >= 0) return static_cast<Relation>(plain);
  switch (form.take_one({"lo", "ls", "hi", "hs"})) {
    case 0: return Relation::Lt;
    case 1: return Relation::Le;
    case 2: return Relation::Gt;
    case 3: return Relation::Ge;
    default: break;
  }
  form.refuse("no relation");
  return std::nullopt;
}

bool orders(Relation relation) {
  return relation != Relation::Eq && relation != Relation::Ne;
}
bool untyped(Type type) { return type == Type::B16 || type == Type::B32 || type == Type::B64; }

struct Comparison {
  Relation relation = Relation::Eq;
  Type type = Type::B32;
  bool ftz = false;
};

/// The operands and the combining predicate, from operand `at` on.
void decode_operands(Form& form, const Comparison& what, std::size_t at, int combine) {
  if (untyped(what.type) && orders(what.relation)) form.wrong("untyped bits have no order");
  const bool is_float = what.type == Type::F32 || what.type == Type::F64 ||
                        what.type == Type::F16 || what.type == Type::BF16 ||
                        what.type == Type::F16x2 || what.type == Type::BF16x2;
  if (!is_float && what.relation >= Relation::Equ) form.wrong("integers are always ordered");
  form.expect_operands(combine < 0 ? at + 2 : at + 3, combine < 0 ? at + 2 : at + 3);
  form.out.a = form.source(at, what.type);
  form.out.b = form.source(at + 1, what.type);
  if (combine >= 0) form.out.c = form.predicate(at + 2, form.out.c_negated);
  form.out.kind = static_cast<std::uint8_t>(combine + 1);
}

bool is_pair(Type type) { return type == Type::F16x2 || type == Type::BF16x2; }

void decode_setp(Form& form) {
  const auto relation = take_relation(form);
  const int combine = form.take_one({"and", "or", "xor"});
  const Type type = form.take_type();
  if (!relation) return;
  const bool ftz = (type == Type::F32 || type == Type::F16 || type == Type::F16x2) &&
                   form.take("ftz");
  form.predicate_pair(0, form.out.d, form.out.d2);
  decode_operands(form, {*relation, type, ftz}, 1, combine);
  form.out.run = is_pair(type) ? by_pair<MakePair<true>::Of>(*relation, type, ftz)
                               : by_operands<MakeSetp>(form, *relation, type, ftz);
}

void decode_set(Form& form) {
  const auto relation = take_relation(form);
  const int combine = form.take_one({"and", "or", "xor"});
  const Type result = form.take_type();
  const Type type = form.take_type();
  if (!relation) return;
  const bool ftz = (type == Type::F32 || type == Type::F16 || type == Type::F16x2) &&
                   form.take("ftz");
  form.out.d = form.destination(0, result);
  decode_operands(form, {*relation, type, ftz}, 1, combine);
  const auto set_by = [&]<template <Relation, class, class> class Make>(std::int64_t one) {
    form.out.offset = one;
    form.out.run = by_operands<Make>(form, *relation, type, ftz);
  };
  if (is_pair(type)) {
    const bool bits = result == Type::U32 || result == Type::S32;
    if (result != type && !bits) form.refuse("a pair is set as a pair of the same type, or as bits");
    form.out.offset = bits ? 0xffff : type == Type::F16x2 ? 0x3c00 : 0x3f80;
    form.out.run = by_pair<MakePair<false>::Of>(*relation, type, ftz);
    return;
  }
  switch (result) {
    case Type::U32:
    case Type::S32:
      set_by.operator()<MakeSet<std::uint32_t>::template Of>(0xffffffff);
      break;
    case Type::F32: set_by.operator()<MakeSet<std::uint32_t>::template Of>(0x3f800000); break;
    case Type::U16:
    case Type::S16: set_by.operator()<MakeSet<std::uint16_t>::template Of>(0xffff); break;
    case Type::F16: set_by.operator()<MakeSet<std::uint16_t>::template Of>(0x3c00); break;
    case Type::BF16: set_by.operator()<MakeSet<std::uint16_t>::template Of>(0x3f80); break;
    default: form.refuse("this result type is not supported");
  }
}

template <class T>
SEAM_SIM_INLINE void select_body(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  std::uint32_t c = predicate_bits(warp, i.c);
  if (i.c_negated) c = ~c;
  const T* a = row<T>(warp, i.a);
  const T* b = row<T>(warp, i.b);
  alignas(64) T value[32];
  for (int l = 0; l < 32; ++l) value[l] = (c >> l & 1U) != 0 ? a[l] : b[l];
  keep(row<T>(warp, i.d), value, lanes);
}
template <class T>
void select_narrow(Warp& w, const Instruction& i, std::uint32_t m) {
  select_body<T>(w, i, m);
}
template <class T>
SEAM_SIM_WIDE void select_wide(Warp& w, const Instruction& i, std::uint32_t m) {
  select_body<T>(w, i, m);
}
template <class T>
Handler select_handler(bool wide) {
  return wide ? select_wide<T> : select_narrow<T>;
}

void decode_selp(Form& form) {
  const Type type = form.take_type();
  form.expect_operands(4, 4);
  form.out.d = form.destination(0, type);
  form.out.a = form.source(1, type);
  form.out.b = form.source(2, type);
  form.out.c = form.predicate(3, form.out.c_negated);
  switch (type == Type::Pred ? 0 : size(type)) {
    case 2: form.out.run = select_handler<std::uint16_t>(form.wide()); break;
    case 4: form.out.run = select_handler<std::uint32_t>(form.wide()); break;
    case 8: form.out.run = select_handler<std::uint64_t>(form.wide()); break;
    default: form.refuse("the type must have 16, 32 or 64 bits");
  }
}

/// a if c >= 0, else b. NaN is not >= 0.
template <class T, class C, bool kFtz>
SEAM_SIM_INLINE T choose(T a, T b, C c) {
  if constexpr (kFtz) c = flush(c);
  return c >= 0 ? a : b;
}
template <class T>
Handler choose_handler(bool by_float, bool ftz, bool wide) {
  if (!by_float) return ternary<T, T, T, std::int32_t, choose<T, std::int32_t, false>>(wide);
  return ftz ? ternary<T, T, T, float, choose<T, float, true>>(wide)
             : ternary<T, T, T, float, choose<T, float, false>>(wide);
}

void decode_slct(Form& form) {
  const bool ftz = form.take("ftz");
  const Type type = form.take_type();
  const Type by = form.take_type();
  if (by != Type::S32 && by != Type::F32) form.refuse("slct chooses by .s32 or .f32");
  if (ftz && by != Type::F32) form.refuse("only .f32 is flushed");
  form.expect_operands(4, 4);
  form.out.d = form.destination(0, type);
  form.out.a = form.source(1, type);
  form.out.b = form.source(2, type);
  form.out.c = form.source(3, by);
  switch (type == Type::Pred ? 0 : size(type)) {
    case 2: form.out.run = choose_handler<std::uint16_t>(by == Type::F32, ftz, form.wide()); break;
    case 4: form.out.run = choose_handler<std::uint32_t>(by == Type::F32, ftz, form.wide()); break;
    case 8: form.out.run = choose_handler<std::uint64_t>(by == Type::F32, ftz, form.wide()); break;
    default: form.refuse("the type must have 16, 32 or 64 bits");
  }
}

constexpr std::array kOpcodes = {Opcode{"setp", decode_setp}, Opcode{"set", decode_set},
                                 Opcode{"selp", decode_selp}, Opcode{"slct", decode_slct}};

}  // namespace

std::span<const Opcode> compare_opcodes() { return kOpcodes; }

}  // namespace seam::sim
