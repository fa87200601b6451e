/// atom, red: scalars of 16 to 64 bits, and vectors of floats.
#include <algorithm>
#include <array>
#include <cstring>

#include "ops/addresses.h"
#include "ops/families.h"
#include "ops/halves.h"
#include "ops/scalar.h"
#include "run/access.h"
#include "run/races.h"

namespace seam::sim {
namespace {

enum class AtomicOp : std::uint8_t { Add, Min, Max, Exch, Cas, And, Or, Xor, Inc, Dec };

template <class T>
std::uint64_t extremum(bool max, std::uint64_t a, std::uint64_t b) {
  const auto x = static_cast<T>(a);
  const auto y = static_cast<T>(b);
  return static_cast<std::uint64_t>(max ? std::max(x, y) : std::min(x, y));
}

template <bool kBf16>
std::uint64_t add_halves(std::uint64_t a, std::uint64_t b, int count) {
  std::uint64_t r = 0;
  for (int k = 0; k < count; ++k) {
    const float x = half_value<kBf16>(static_cast<std::uint16_t>(a >> (16 * k)));
    const float y = half_value<kBf16>(static_cast<std::uint16_t>(b >> (16 * k)));
    r |= std::uint64_t{to_half<kBf16>(x + y)} << (16 * k);
  }
  return r;
}

std::uint64_t added(Type type, bool global, std::uint64_t a, std::uint64_t b) {
  switch (type) {
    case Type::F32: {
      auto x = std::bit_cast<float>(static_cast<std::uint32_t>(a));
      auto y = std::bit_cast<float>(static_cast<std::uint32_t>(b));
      // In global memory float atomics flush subnormals, in shared memory they do not.
      const float r = global ? flush(flush(x) + flush(y)) : x + y;
      return std::bit_cast<std::uint32_t>(canonical(r));
    }
    case Type::F64: return std::bit_cast<std::uint64_t>(std::bit_cast<double>(a) + std::bit_cast<double>(b));
    case Type::F16: return add_halves<false>(a, b, 1);
    case Type::F16x2: return add_halves<false>(a, b, 2);
    case Type::BF16: return add_halves<true>(a, b, 1);
    case Type::BF16x2: return add_halves<true>(a, b, 2);
    default: return a + b;
  }
}

/// What the memory holds afterwards. `b`, `c`: the operands; compare-and-swap compares with b.
std::uint64_t result(AtomicOp op, Type type, bool global, std::uint64_t old, std::uint64_t b,
                     std::uint64_t c) {
  switch (op) {
    case AtomicOp::Add: return added(type, global, old, b);
    case AtomicOp::Min:
    case AtomicOp::Max: {
      const bool max = op == AtomicOp::Max;
      if (type == Type::S32) return extremum<std::int32_t>(max, old, b);
      if (type == Type::S64) return extremum<std::int64_t>(max, old, b);
      return extremum<std::uint64_t>(max, old, b);
    }
    case AtomicOp::Exch: return b;
    case AtomicOp::Cas: return old == b ? c : old;
    case AtomicOp::And: return old & b;
    case AtomicOp::Or: return old | b;
    case AtomicOp::Xor: return old ^ b;
    case AtomicOp::Inc: return old >= b ? 0 : old + 1;
    case AtomicOp::Dec: return old == 0 || old > b ? b : old - 1;
  }
  return old;
}

std::uint64_t lane_bits(Warp& warp, std::uint32_t row_at, std::uint32_t lane, std::size_t bytes) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, warp.registers + row_at + lane * bytes, bytes);
  return bits;
}

/// kind: operation; flags: as in memory instructions; target: type; elements 0–3: old values to, 4–7: b.
void apply(Warp& warp, const Instruction& i, std::uint32_t lane, std::byte* at, bool global) {
  const auto type = static_cast<Type>(i.target);
  for (std::size_t k = 0; k < i.count; ++k) {
    std::byte* place = at + k * i.bytes;
    std::uint64_t old = 0;
    std::memcpy(&old, place, i.bytes);
    const std::uint64_t b = lane_bits(warp, i.elements[4 + k], lane, i.bytes);
    const std::uint64_t c = i.c == kNoRow ? 0 : lane_bits(warp, i.c, lane, i.bytes);
    const std::uint64_t now = result(static_cast<AtomicOp>(i.kind), type, global, old, b, c);
    std::memcpy(place, &now, i.bytes);
    if (i.elements[k] != kNoRow) {
      std::memcpy(warp.registers + i.elements[k] + lane * i.bytes, &old, i.bytes);
    }
  }
}

void atomic_global(Warp& warp, const Instruction& i, std::uint32_t lanes, const Addresses& at) {
  const std::size_t bytes = std::size_t{i.bytes} * i.count;
  warp.execution->counters.atomic_sectors += sectors(at, lanes, bytes);
  for (std::uint32_t l = 0; l < 32; ++l) {
    if ((lanes >> l & 1U) == 0) continue;
    Buffer* buffer = global_bytes(warp, l, at[l], bytes, bytes, true);
    if (!buffer) continue;
    note_global(warp, l, *buffer, at[l], bytes, Access::Atomic, nullptr);
    apply(warp, i, l, buffer->data() + (at[l] & kOffsetMask), true);
    if ((i.flags & kBlockScope) != 0) continue;
    const bool release = (i.flags & kRelease) != 0 || (warp.fenced >> l & 1U) != 0;
    synchronize(warp, l, at[l], release, true);
  }
}

void atomic_shared(Warp& warp, const Instruction& i, std::uint32_t lanes, const Addresses& at) {
  const std::size_t bytes = std::size_t{i.bytes} * i.count;
  for (std::uint32_t l = 0; l < 32; ++l) {
    if ((lanes >> l & 1U) == 0) continue;
    std::byte* place = shared_bytes(warp, l, at[l], bytes);
    if (!place) continue;
    note_shared(warp, l, at[l], bytes, Access::Atomic, nullptr);
    apply(warp, i, l, place, false);
  }
}

void in_space(Warp& warp, const Instruction& i, std::uint32_t lanes, const Addresses& at,
              Space space) {
  if (space == Space::Shared) {
    atomic_shared(warp, i, lanes, at);
  } else if (space == Space::Global) {
    atomic_global(warp, i, lanes, at);
  } else {
    warp.execution->fault(warp, "out-of-bounds", first_lane(lanes),
                          "an atomic on memory that is neither global nor shared");
  }
}

void atomic(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  Addresses at;
  addresses(warp, i, at);
  warp.execution->counters.atomics += lane_count(lanes);
  if (i.space != Space::Generic) {
    in_space(warp, i, lanes, at, i.space);
  } else {
    for_each_space(at, lanes, [&](Space space, std::uint32_t group, const Addresses& inside) {
      in_space(warp, i, group, inside, space);
    });
  }
  if (warp.execution->interleaved && warp.stop == Stop::No) warp.stop = Stop::Yield;
}

bool allowed(AtomicOp op, Type type, std::size_t count) {
  if (count > 1) return op == AtomicOp::Add && (type == Type::F32 || type == Type::F16 ||
                                                type == Type::F16x2 || type == Type::BF16 ||
                                                type == Type::BF16x2);
  switch (op) {
    case AtomicOp::Add:
      switch (type) {
        case Type::U32: case Type::S32: case Type::U64: case Type::S64: case Type::F32:
        case Type::F64: case Type::F16: case Type::F16x2: case Type::BF16: case Type::BF16x2:
          return true;
        default: return false;
      }
    case AtomicOp::Min:
    case AtomicOp::Max:
      return type == Type::U32 || type == Type::S32 || type == Type::U64 || type == Type::S64;
    case AtomicOp::Cas: return type == Type::B16 || type == Type::B32 || type == Type::B64;
    case AtomicOp::Exch:
    case AtomicOp::And:
    case AtomicOp::Or:
    case AtomicOp::Xor: return type == Type::B32 || type == Type::B64;
    case AtomicOp::Inc:
    case AtomicOp::Dec: return type == Type::U32;
  }
  return false;
}

bool is_half(Type type) {
  return type == Type::F16 || type == Type::F16x2 || type == Type::BF16 || type == Type::BF16x2;
}

/// Rows of a scalar or vector operand into elements[from…].
void decode_values(Form& form, const Operand& what, std::size_t count, Type reg, std::size_t from,
                   bool to_write) {
  const bool is_vector = what.kind == Operand::Kind::Vector;
  if ((is_vector ? what.elements.size() : 1) != count) {
    form.wrong("the values do not fit the vector");
    return;
  }
  for (std::size_t k = 0; k < count; ++k) {
    const Operand& one = is_vector ? what.elements[k] : what;
    std::uint8_t bytes = 0;
    form.out.elements[from + k] = to_write ? form.wide_destination(one, reg, bytes)
                                           : form.wide_source(one, reg, bytes);
    if (!form.failed() && form.out.elements[from + k] != kNoRow && bytes != size(reg)) {
      form.wrong("a register of another size than the operation");
    }
  }
}

void decode_atomic(Form& form) {
  const bool returns = form.base() == "atom";
  const int order = form.take_one({"relaxed", "acquire", "release", "acq_rel"});
  const int scope = form.take_one({"cta", "cluster", "gpu", "sys"});
  form.out.flags = kStrong;
  if (scope == 0 || scope == 1) form.out.flags |= kBlockScope;
  if (order >= 2) form.out.flags |= kRelease;
  if (form.take("global")) {
    form.out.space = Space::Global;
  } else if (form.take("shared") || form.take("shared::cta")) {
    form.out.space = Space::Shared;
  }
  const int op = form.take_one({"add", "min", "max", "exch", "cas", "and", "or", "xor", "inc", "dec"});
  const int vector = form.take_one({"v2", "v4"});
  const std::size_t count = vector < 0 ? 1 : std::size_t{2} << vector;
  const Type type = form.take_type();
  if (is_half(type) && !form.take("noftz")) form.refuse("an atomic on halves wants .noftz");
  const bool policy = form.take("L2::cache_hint");
  if (op < 0 || !allowed(static_cast<AtomicOp>(op), type, count)) {
    form.refuse("this atomic operation is not supported on this type");
    return;
  }
  const bool cas = static_cast<AtomicOp>(op) == AtomicOp::Cas;
  const std::size_t values = returns ? 1 : 0;
  const std::size_t wanted = values + 2 + (cas ? 1 : 0) + (policy ? 1 : 0);
  form.expect_operands(wanted, wanted);
  if (cas && !returns) form.refuse("red does not compare and swap");
  if (form.failed()) return;
  const int element = size(type);
  const Type reg = element == 2 ? Type::B16 : element == 4 ? Type::B32 : Type::B64;
  form.out.elements.fill(kNoRow);
  if (returns) decode_values(form, form.operand(0), count, reg, 0, true);
  form.address(values);
  decode_values(form, form.operand(values + 1), count, reg, 4, false);
  if (cas) form.out.c = form.source(values + 2, reg);
  form.out.bytes = static_cast<std::uint8_t>(element);
  form.out.count = static_cast<std::uint8_t>(count);
  form.out.kind = static_cast<std::uint8_t>(op);
  form.out.target = static_cast<std::uint32_t>(type);
  form.out.run = atomic;
  form.registers().note_access(form.out.space, element * static_cast<int>(count));
}

constexpr std::array kOpcodes = {Opcode{"atom", decode_atomic}, Opcode{"red", decode_atomic}};

}  // namespace

std::span<const Opcode> atomic_opcodes() { return kOpcodes; }

}  // namespace seam::sim
