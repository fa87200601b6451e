/// shfl, vote, match, redux, activemask, elect.
#include <algorithm>
#include <array>

#include "ops/families.h"
#include "ops/loops.h"
#include "ops/together.h"

namespace seam::sim {
namespace {

enum class Shuffle : std::uint8_t { Up, Down, Bfly, Idx };

/// The lane to read, or the own lane if that one is out of the segment (`inside` false).
template <Shuffle kMode>
SEAM_SIM_INLINE std::uint32_t shuffle_source(std::uint32_t lane, std::uint32_t b, std::uint32_t c,
                                             bool& inside) {
  const std::uint32_t by = b & 31;
  const std::uint32_t clamp = c & 31;
  const std::uint32_t segment = c >> 8 & 31;
  const std::uint32_t most = (lane & segment) | (clamp & ~segment);
  const std::uint32_t least = lane & segment;
  std::uint32_t source = 0;
  if constexpr (kMode == Shuffle::Up) {
    source = lane - by;
    inside = static_cast<std::int32_t>(source) >= static_cast<std::int32_t>(most);
  } else {
    if constexpr (kMode == Shuffle::Down) source = lane + by;
    if constexpr (kMode == Shuffle::Bfly) source = lane ^ by;
    if constexpr (kMode == Shuffle::Idx) source = least | (by & ~segment);
    inside = source <= most;
  }
  return inside ? source : lane;
}

void check_sources(Warp& warp, std::uint32_t lanes, std::uint32_t absent_read, std::uint32_t members) {
  Execution& execution = *warp.execution;
  if ((lanes & ~members) != 0) {
    execution.report(warp, "shuffle", first_lane(lanes & ~members),
                     "a lane that is not in its own member mask takes part");
  }
  if (absent_read != 0) {
    execution.report(warp, "shuffle", first_lane(absent_read),
                     "reads a lane that does not take part: the value is undefined");
  }
}

template <Shuffle kMode>
SEAM_SIM_INLINE void shuffle_body(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  const std::uint32_t members = row<std::uint32_t>(warp, i.e)[first_lane(lanes)];
  if (!gather(warp, lanes, members)) return;
  const std::uint32_t* a = row<std::uint32_t>(warp, i.a);
  const std::uint32_t* b = row<std::uint32_t>(warp, i.b);
  const std::uint32_t* c = row<std::uint32_t>(warp, i.c);
  alignas(64) std::uint32_t source[32];
  alignas(64) std::uint32_t flags[32];
  for (std::uint32_t l = 0; l < 32; ++l) {
    bool inside = false;
    source[l] = shuffle_source<kMode>(l, b[l], c[l], inside) & 31;
    flags[l] = std::uint32_t{inside};
  }
  alignas(64) std::uint32_t value[32];
  std::uint32_t inside = 0;
  for (std::uint32_t l = 0; l < 32; ++l) {
    value[l] = a[source[l]];
    inside |= flags[l] << l;
  }
  if (lanes != ~0U || members != ~0U) {
    std::uint32_t absent_read = 0;
    for (std::uint32_t l = 0; l < 32; ++l) {
      if ((lanes >> source[l] & 1U) != 0 || (lanes >> l & 1U) == 0) continue;
      value[l] = ~0U;  // nobody there: make it show
      if ((warp.present >> source[l] & 1U) != 0) absent_read |= 1U << l;
    }
    if (warp.execution->checks.barriers) check_sources(warp, lanes, absent_read, members);
  }
  keep(row<std::uint32_t>(warp, i.d), value, lanes);
  set_predicate(warp, i.d2, inside, lanes);
}
template <Shuffle kMode>
void shuffle_narrow(Warp& w, const Instruction& i, std::uint32_t m) {
  shuffle_body<kMode>(w, i, m);
}
template <Shuffle kMode>
SEAM_SIM_WIDE void shuffle_wide(Warp& w, const Instruction& i, std::uint32_t m) {
  shuffle_body<kMode>(w, i, m);
}

/// Butterfly by a known distance over the whole warp: a fixed permutation of the row.
template <std::uint32_t kBy>
SEAM_SIM_INLINE void butterfly_body(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  if (lanes != ~0U || row<std::uint32_t>(warp, i.e)[0] != ~0U) {
    shuffle_body<Shuffle::Bfly>(warp, i, lanes);
    return;
  }
  const std::uint32_t* a = row<std::uint32_t>(warp, i.a);
  alignas(64) std::uint32_t value[32];
  for (std::uint32_t l = 0; l < 32; ++l) value[l] = a[l ^ kBy];
  std::copy_n(value, 32, row<std::uint32_t>(warp, i.d));
  set_predicate(warp, i.d2, ~0U, lanes);
}
template <std::uint32_t kBy>
void butterfly_narrow(Warp& w, const Instruction& i, std::uint32_t m) {
  butterfly_body<kBy>(w, i, m);
}
template <std::uint32_t kBy>
SEAM_SIM_WIDE void butterfly_wide(Warp& w, const Instruction& i, std::uint32_t m) {
  butterfly_body<kBy>(w, i, m);
}
template <std::uint32_t kBy>
Handler butterfly(bool wide) {
  return wide ? butterfly_wide<kBy> : butterfly_narrow<kBy>;
}
/// Null if it is not one of the common distances.
Handler butterfly_handler(std::int64_t by, bool wide) {
  switch (by) {
    case 1: return butterfly<1>(wide);
    case 2: return butterfly<2>(wide);
    case 4: return butterfly<4>(wide);
    case 8: return butterfly<8>(wide);
    case 16: return butterfly<16>(wide);
    default: return nullptr;
  }
}

void decode_shfl(Form& form) {
  if (!form.take("sync")) form.refuse("shfl without .sync is gone since compute capability 7.0");
  const int mode = form.take_one({"up", "down", "bfly", "idx"});
  if (form.take_type() != Type::B32) form.refuse("the type must be .b32");
  form.expect_operands(5, 5);
  if (form.failed()) return;
  const Operand& target = form.operand(0);
  if (target.kind != Operand::Kind::Name || target.negated || target.offset != 0) {
    form.wrong("a destination must be a register");
    return;
  }
  Operand value;
  value.name = target.name;
  std::uint8_t bytes = 0;
  form.out.d = form.wide_destination(value, Type::B32, bytes);
  if (bytes != 4 || form.out.d == kNoRow) form.refuse("the destination must have 32 bits");
  if (!target.second.empty() && target.second != "_") {
    form.out.d2 = form.predicate_register(target.second);
  }
  form.out.a = form.source(1, Type::B32);
  form.out.b = form.source(2, Type::B32);
  form.out.c = form.source(3, Type::B32);
  form.out.e = form.source(4, Type::B32);
  const bool wide = form.wide();
  switch (mode) {
    case 0: form.out.run = wide ? shuffle_wide<Shuffle::Up> : shuffle_narrow<Shuffle::Up>; break;
    case 1: form.out.run = wide ? shuffle_wide<Shuffle::Down> : shuffle_narrow<Shuffle::Down>; break;
    case 2: form.out.run = wide ? shuffle_wide<Shuffle::Bfly> : shuffle_narrow<Shuffle::Bfly>; break;
    case 3: form.out.run = wide ? shuffle_wide<Shuffle::Idx> : shuffle_narrow<Shuffle::Idx>; break;
    default: form.refuse("which direction?");
  }
  if (mode == 2 && form.literal(3) == 31) {
    if (Handler known = butterfly_handler(form.literal(2).value_or(0), wide)) form.out.run = known;
  }
}

enum class Vote : std::uint8_t { All, Any, Uni, Ballot };

void vote(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  if (!gather(warp, lanes, row<std::uint32_t>(warp, i.e)[first_lane(lanes)])) return;
  std::uint32_t a = predicate_bits(warp, i.a);
  if (i.a_negated) a = ~a;
  a &= lanes;
  bool yes = false;
  switch (static_cast<Vote>(i.kind)) {
    case Vote::All: yes = a == lanes; break;
    case Vote::Any: yes = a != 0; break;
    case Vote::Uni: yes = a == lanes || a == 0; break;
    case Vote::Ballot: {
      alignas(64) std::uint32_t value[32];
      std::fill_n(value, 32, a);
      keep(row<std::uint32_t>(warp, i.d), value, lanes);
      return;
    }
  }
  set_predicate(warp, i.d, yes ? ~0U : 0, lanes);
}

void decode_vote(Form& form) {
  if (!form.take("sync")) form.refuse("vote without .sync is gone since compute capability 7.0");
  const int mode = form.take_one({"all", "any", "uni", "ballot"});
  if (mode < 0) form.refuse("which vote?");
  const bool ballot = mode == 3;
  const Type type = form.take_type();
  if (type != (ballot ? Type::B32 : Type::Pred)) form.refuse("the type does not fit the vote");
  form.expect_operands(3, 3);
  form.out.d = form.destination(0, type);
  form.out.a = form.predicate(1, form.out.a_negated);
  form.out.e = form.source(2, Type::B32);
  form.out.kind = static_cast<std::uint8_t>(mode);
  form.out.run = vote;
}

enum class Reduce : std::uint8_t { Add, Min, Max, And, Or, Xor };

template <class T>
T reduced(Reduce how, T a, T b) {
  switch (how) {
    case Reduce::Add: return static_cast<T>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
    case Reduce::Min: return std::min(a, b);
    case Reduce::Max: return std::max(a, b);
    case Reduce::And: return static_cast<T>(a & b);
    case Reduce::Or: return static_cast<T>(a | b);
    case Reduce::Xor: return static_cast<T>(a ^ b);
  }
  return a;
}

template <class T>
void redux(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  if (!gather(warp, lanes, row<std::uint32_t>(warp, i.e)[first_lane(lanes)])) return;
  const T* a = row<T>(warp, i.a);
  T total = a[first_lane(lanes)];
  for (std::uint32_t l = first_lane(lanes) + 1; l < 32; ++l) {
    if ((lanes >> l & 1U) != 0) total = reduced(static_cast<Reduce>(i.kind), total, a[l]);
  }
  alignas(64) T value[32];
  std::fill_n(value, 32, total);
  keep(row<T>(warp, i.d), value, lanes);
}

void decode_redux(Form& form) {
  if (!form.take("sync")) form.refuse("redux wants .sync");
  const int how = form.take_one({"add", "min", "max", "and", "or", "xor"});
  if (how < 0) form.refuse("which reduction?");
  const Type type = form.take_type();
  const bool bits = how >= 3;
  if (bits ? type != Type::B32 : type != Type::S32 && type != Type::U32) {
    form.refuse("the type does not fit the reduction");
  }
  form.expect_operands(3, 3);
  form.out.d = form.destination(0, type);
  form.out.a = form.source(1, type);
  form.out.e = form.source(2, Type::B32);
  form.out.kind = static_cast<std::uint8_t>(how);
  form.out.run = type == Type::S32 ? redux<std::int32_t> : redux<std::uint32_t>;
}

/// any: the lanes that hold my value. all: all members, if all hold one value.
template <class T, bool kAll>
void match(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  if (!gather(warp, lanes, row<std::uint32_t>(warp, i.e)[first_lane(lanes)])) return;
  const T* a = row<T>(warp, i.a);
  alignas(64) std::uint32_t value[32] = {};
  std::uint32_t equal = 0;
  for (std::uint32_t l = 0; l < 32; ++l) {
    for (std::uint32_t k = 0; k < 32; ++k) {
      if ((lanes >> k & 1U) != 0 && a[k] == a[l]) value[l] |= 1U << k;
    }
    if (value[l] == lanes) equal |= 1U << l;
  }
  if constexpr (kAll) {
    for (std::uint32_t l = 0; l < 32; ++l) value[l] = (equal >> l & 1U) != 0 ? lanes : 0;
    set_predicate(warp, i.d2, equal, lanes);
  }
  keep(row<std::uint32_t>(warp, i.d), value, lanes);
}

void decode_match(Form& form) {
  const int mode = form.take_one({"any", "all"});
  if (mode < 0 || !form.take("sync")) form.refuse("match wants .any or .all and .sync");
  const Type type = form.take_type();
  if (type != Type::B32 && type != Type::B64) form.refuse("the type must be .b32 or .b64");
  form.expect_operands(3, 3);
  if (form.failed()) return;
  Operand value;
  value.name = form.operand(0).name;
  std::uint8_t bytes = 0;
  form.out.d = form.wide_destination(value, Type::B32, bytes);
  if (bytes != 4 || form.out.d == kNoRow) form.refuse("the destination must have 32 bits");
  const std::string_view second = form.operand(0).second;
  if (!second.empty() && mode == 0) form.wrong("match.any gives no predicate");
  if (!second.empty() && second != "_") form.out.d2 = form.predicate_register(second);
  form.out.a = form.source(1, type);
  form.out.e = form.source(2, Type::B32);
  if (type == Type::B32) {
    form.out.run = mode == 1 ? match<std::uint32_t, true> : match<std::uint32_t, false>;
  } else {
    form.out.run = mode == 1 ? match<std::uint64_t, true> : match<std::uint64_t, false>;
  }
}

void activemask(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  alignas(64) std::uint32_t value[32];
  std::fill_n(value, 32, lanes);
  keep(row<std::uint32_t>(warp, i.d), value, lanes);
}

void decode_activemask(Form& form) {
  if (form.take_type() != Type::B32) form.refuse("the type must be .b32");
  form.expect_operands(1, 1);
  form.out.d = form.destination(0, Type::B32);
  form.out.run = activemask;
}

/// One lane of the members is told so; the lowest, here.
void elect(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  const std::uint32_t members = row<std::uint32_t>(warp, i.e)[first_lane(lanes)];
  if (!gather(warp, lanes, members)) return;
  const std::uint32_t leader = first_lane(lanes);
  if (i.d != kNoRow) {
    alignas(64) std::uint32_t value[32];
    std::fill_n(value, 32, leader);
    keep(row<std::uint32_t>(warp, i.d), value, lanes);
  }
  set_predicate(warp, i.d2, 1U << leader, lanes);
}

void decode_elect(Form& form) {
  if (!form.take("sync")) form.refuse("elect wants .sync");
  form.expect_operands(2, 2);
  if (form.failed()) return;
  Operand value;
  value.name = form.operand(0).name;
  std::uint8_t bytes = 0;
  form.out.d = form.wide_destination(value, Type::B32, bytes);
  if (bytes != 4) form.refuse("the destination must have 32 bits");
  if (form.operand(0).second.empty()) form.wrong("elect.sync gives a predicate");
  if (!form.failed()) form.out.d2 = form.predicate_register(form.operand(0).second);
  form.out.e = form.source(1, Type::B32);
  form.out.run = elect;
}

constexpr std::array kOpcodes = {Opcode{"shfl", decode_shfl},   Opcode{"vote", decode_vote},
                                 Opcode{"redux", decode_redux}, Opcode{"match", decode_match},
                                 Opcode{"activemask", decode_activemask},
                                 Opcode{"elect", decode_elect}};

}  // namespace

std::span<const Opcode> warp_opcodes() { return kOpcodes; }

}  // namespace seam::sim
