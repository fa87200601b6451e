/// ld, ldu, st, prefetch.
#include <array>
#include <cstring>
#include <type_traits>

#include <fmt/format.h>

#include "memory/memory.h"
#include "ops/addresses.h"
#include "ops/families.h"
#include "ops/isa.h"
#include "ops/loops.h"
#include "run/access.h"

namespace seam::sim {
namespace {

/// Memory holds M, the row holds R: as wide or wider. Loads extend by M's sign; stores drop the upper bits.
template <class M, class R, bool kStore>
void move_lane(std::byte* at, Warp& warp, const Instruction& i, std::uint32_t lane) {
  for (std::size_t k = 0; k < i.count; ++k) {
    if (i.elements[k] == kNoRow) continue;
    R& reg = row<R>(warp, i.elements[k])[lane];
    if constexpr (kStore) {
      const M value = static_cast<M>(reg);
      std::memcpy(at + k * sizeof(M), &value, sizeof(M));
    } else {
      M value;
      std::memcpy(&value, at + k * sizeof(M), sizeof(M));
      reg = static_cast<R>(value);
    }
  }
}

template <class M, class R, bool kStore, std::size_t kCount>
SEAM_SIM_INLINE void move_elements(std::byte* at, Warp& warp, const Instruction& i,
                                   std::uint32_t first, std::uint32_t count) {
  for (std::size_t k = 0; k < kCount; ++k) {
    if (i.elements[k] == kNoRow) continue;
    R* reg = row<R>(warp, i.elements[k]) + first;
    std::byte* from = at + k * sizeof(M);
#pragma GCC ivdep
    for (std::uint32_t l = 0; l < count; ++l) {
      if constexpr (kStore) {
        const M value = static_cast<M>(reg[l]);
        std::memcpy(from + l * kCount * sizeof(M), &value, sizeof(M));
      } else {
        M value;
        std::memcpy(&value, from + l * kCount * sizeof(M), sizeof(M));
        reg[l] = static_cast<R>(value);
      }
    }
  }
}

template <class M, class R, bool kStore>
void move_span(std::byte* at, Warp& warp, const Instruction& i, std::uint32_t first,
               std::uint32_t count) {
  switch (i.count) {
    case 1: move_elements<M, R, kStore, 1>(at, warp, i, first, count); break;
    case 2: move_elements<M, R, kStore, 2>(at, warp, i, first, count); break;
    case 4: move_elements<M, R, kStore, 4>(at, warp, i, first, count); break;
    default: move_elements<M, R, kStore, 8>(at, warp, i, first, count); break;
  }
}

template <class M, class R, bool kStore>
constexpr Mover kMover{move_span<M, R, kStore>, move_lane<M, R, kStore>};

template <bool kStore>
void in_space(Warp& warp, const Instruction& i, std::uint32_t lanes, const Addresses& at,
              Space space, const Mover& mover) {
  switch (space) {
    case Space::Shared: {
      const Run run = run_of(at, lanes, std::size_t{i.bytes} * i.count);
      kStore ? store_shared(warp, i, lanes, at, run, mover)
             : load_shared(warp, i, lanes, at, run, mover);
      break;
    }
    case Space::Local: access_local(warp, i, lanes, at, mover); break;
    case Space::Param:
      if constexpr (kStore) {
        warp.execution->fault(warp, "read-only", first_lane(lanes), "writes a kernel parameter");
      } else {
        load_parameter(warp, i, lanes, at, mover);
      }
      break;
    default: {
      const Run run = run_of(at, lanes, std::size_t{i.bytes} * i.count);
      kStore ? store_global(warp, i, lanes, at, run, mover)
             : load_global(warp, i, lanes, at, run, mover);
      break;
    }
  }
}

template <class M, class R, bool kStore>
void access(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  Addresses at;
  addresses(warp, i, at);
  const Mover& mover = kMover<M, R, kStore>;
  if (i.space != Space::Generic) {
    in_space<kStore>(warp, i, lanes, at, i.space, mover);
    return;
  }
  // Each lane's address says its own space.
  for_each_space(at, lanes, [&](Space space, std::uint32_t group, const Addresses& inside) {
    in_space<kStore>(warp, i, group, inside, space, mover);
  });
}

template <class M, bool kStore>
Handler by_row(int row_bytes) {
  using Unsigned8 = std::conditional_t<std::is_signed_v<M>, std::int64_t, std::uint64_t>;
  using Unsigned4 = std::conditional_t<std::is_signed_v<M>, std::int32_t, std::uint32_t>;
  using Unsigned2 = std::conditional_t<std::is_signed_v<M>, std::int16_t, std::uint16_t>;
  if (row_bytes == sizeof(M)) return access<M, M, kStore>;
  if constexpr (sizeof(M) < 8) {
    if (row_bytes == 8) return access<M, Unsigned8, kStore>;
  }
  if constexpr (sizeof(M) < 4) {
    if (row_bytes == 4) return access<M, Unsigned4, kStore>;
  }
  if constexpr (sizeof(M) < 2) {
    if (row_bytes == 2) return access<M, Unsigned2, kStore>;
  }
  return nullptr;
}

template <bool kStore>
Handler handler(Type type, int row_bytes) {
  switch (type) {
    case Type::S8: return by_row<std::int8_t, kStore>(row_bytes);
    case Type::S16: return by_row<std::int16_t, kStore>(row_bytes);
    case Type::S32: return by_row<std::int32_t, kStore>(row_bytes);
    case Type::Pred: return nullptr;
    default: break;
  }
  switch (size(type)) {
    case 1: return by_row<std::uint8_t, kStore>(row_bytes);
    case 2: return by_row<std::uint16_t, kStore>(row_bytes);
    case 4: return by_row<std::uint32_t, kStore>(row_bytes);
    default: return by_row<std::uint64_t, kStore>(row_bytes);
  }
}

/// Cache operators and eviction hints change no value and no count of ours.
void take_cache_hints(Form& form, bool store) {
  if (store) {
    form.take_one({"wb", "cg", "cs", "wt"});
  } else {
    form.take_one({"ca", "cg", "cs", "lu", "cv"});
    form.take("nc");
  }
  form.take_one({"L1::evict_normal", "L1::evict_unchanged", "L1::evict_first", "L1::evict_last",
                 "L1::no_allocate"});
  form.take_one({"L2::evict_normal", "L2::evict_first", "L2::evict_last"});
  if (!store) form.take_one({"L2::64B", "L2::128B", "L2::256B"});
}

/// weak, volatile, relaxed.scope, acquire.scope, release.scope
void take_strength(Form& form, bool store, Space space) {
  if (form.take("weak")) return;
  const int order = form.take_one({"volatile", "relaxed", store ? "release" : "acquire"});
  if (order < 0) return;
  if (order > 0) {
    const int scope = form.take_one({"cta", "cluster", "gpu", "sys"});
    if (scope < 0) form.refuse("which scope?");
    if (scope == 0 || scope == 1) form.out.flags |= kBlockScope;
  }
  // A volatile access to shared memory is a plain one that is not optimised away: it still needs a barrier.
  if (order == 0 && space == Space::Shared) return;
  form.out.flags |= kStrong;
  if (order == 2 && store) form.out.flags |= kRelease;
}

Space take_space(Form& form) {
  if (form.take("global") || form.take("const")) return Space::Global;
  if (form.take("shared") || form.take("shared::cta")) return Space::Shared;
  if (form.take("local")) return Space::Local;
  if (form.take("param") || form.take("param::entry") || form.take("param::func")) {
    return Space::Param;
  }
  return Space::Generic;
}

/// A .param declared in a function body is a slot in the thread's frame, not a kernel parameter.
Space resolved(Form& form, Space space, const Operand& address) {
  if (space != Space::Param || address.elements.size() != 1) return space;
  const auto symbol = form.registers().find(address.elements[0].name);
  const bool slot = symbol && symbol->kind == Symbol::Kind::Variable &&
                    symbol->space == Space::Local;
  return slot ? Space::Local : space;
}

template <class R, class M>
SEAM_SIM_INLINE R extended(M value) {
  return static_cast<R>(value);
}

/// A parameter at a fixed place is the same for all threads of the launch: its row is filled beforehand.
template <class M>
Handler parameter_handler(int row_bytes, bool wide) {
  constexpr bool kSigned = std::is_signed_v<M>;
  switch (row_bytes) {
    case 2: {
      using R = std::conditional_t<kSigned, std::int16_t, std::uint16_t>;
      return unary<R, M, extended<R, M>>(wide);
    }
    case 4: {
      using R = std::conditional_t<kSigned, std::int32_t, std::uint32_t>;
      return unary<R, M, extended<R, M>>(wide);
    }
    default: {
      using R = std::conditional_t<kSigned, std::int64_t, std::uint64_t>;
      return unary<R, M, extended<R, M>>(wide);
    }
  }
}

void decode_parameter(Form& form, Type type, std::uint32_t value) {
  form.out.d = form.out.elements[0];
  form.out.a = value;
  const int bytes = form.out.row_bytes;
  const bool wide = form.wide();
  switch (type) {
    case Type::S8: form.out.run = parameter_handler<std::int8_t>(bytes, wide); return;
    case Type::S16: form.out.run = parameter_handler<std::int16_t>(bytes, wide); return;
    case Type::S32: form.out.run = parameter_handler<std::int32_t>(bytes, wide); return;
    default: break;
  }
  switch (size(type)) {
    case 1: form.out.run = parameter_handler<std::uint8_t>(bytes, wide); break;
    case 2: form.out.run = parameter_handler<std::uint16_t>(bytes, wide); break;
    case 4: form.out.run = parameter_handler<std::uint32_t>(bytes, wide); break;
    default: form.out.run = parameter_handler<std::uint64_t>(bytes, wide); break;
  }
}

template <bool kStore>
void decode_access(Form& form) {
  const Space space = take_space(form);
  take_strength(form, kStore, space);
  take_cache_hints(form, kStore);
  const int vector = form.take_one({"v2", "v4", "v8"});
  const std::size_t count = vector < 0 ? 1 : std::size_t{2} << vector;
  const Type type = form.take_type();
  const bool policy = form.take("L2::cache_hint");
  form.expect_operands(policy ? 3 : 2, policy ? 3 : 2);
  if (form.failed()) return;
  if (policy) (void)form.source(2, Type::B64);
  const Operand& where = form.operand(kStore ? 0 : 1);
  const Operand& what = form.operand(kStore ? 1 : 0);
  form.out.space = resolved(form, space, where);
  form.address(kStore ? 0 : 1);
  form.out.bytes = static_cast<std::uint8_t>(size(type));
  form.out.count = static_cast<std::uint8_t>(count);
  form.out.used = form.out.count;
  form.out.loads_vector = !kStore && count > 1;
  if (static_cast<std::size_t>(size(type)) * count > 32) form.refuse("more than 32 bytes a thread");
  const bool is_vector = what.kind == Operand::Kind::Vector;
  if ((is_vector ? what.elements.size() : 1) != count) {
    form.wrong(fmt::format("wants {} values", count));
    return;
  }
  for (std::size_t k = 0; k < count; ++k) {
    const Operand& one = is_vector ? what.elements[k] : what;
    std::uint8_t bytes = 0;
    if constexpr (kStore) {
      form.out.elements[k] = form.wide_source(one, type, bytes);
    } else {
      form.out.elements[k] = form.wide_destination(one, type, bytes);
      if (form.out.elements[k] == kNoRow) continue;
    }
    if (form.out.row_bytes != 0 && form.out.row_bytes != bytes) {
      form.refuse("registers of different sizes in one vector");
    }
    form.out.row_bytes = bytes;
  }
  if (form.failed()) return;
  if (form.out.row_bytes == 0) form.out.row_bytes = static_cast<std::uint8_t>(std::max(size(type), 1));
  const bool fixed = form.out.space == Space::Param && form.out.address_bytes == 0;
  if (!kStore && fixed && count == 1 && form.out.elements[0] != kNoRow) {
    if (const auto value = form.registers().parameter(form.out.offset, size(type))) {
      decode_parameter(form, type, *value);
      return;
    }
  }
  form.out.run = handler<kStore>(type, form.out.row_bytes);
  form.registers().note_access(form.out.space, size(type) * static_cast<int>(count));
}

void nothing(Warp&, const Instruction&, std::uint32_t) {}

void decode_prefetch(Form& form) {
  form.take_one({"global", "local", "const", "param"});
  form.take_one({"L1", "L2", "tensormap", "L2::evict_last", "L2::evict_normal"});
  form.expect_operands(1, 1);
  form.out.run = nothing;
}

void decode_discard(Form& form) {
  // It may leave the bytes undefined; keeping them is one of the allowed outcomes.
  form.take("global");
  if (!form.take("L2")) form.refuse("discard.L2 is the only form");
  form.expect_operands(2, 2);
  form.out.run = nothing;
}

/// A cache policy is a hint: an opaque number that every lane gets, and that memory instructions take and do not look at.
void decode_createpolicy(Form& form) {
  if (!form.take("fractional")) form.refuse("only createpolicy.fractional is supported");
  if (form.take_one({"L2::evict_last", "L2::evict_normal", "L2::evict_first", "L2::evict_unchanged"}) < 0) form.wrong("which policy?");
  form.take_one({"L2::evict_first", "L2::evict_unchanged"});
  if (form.take_type() != Type::B64) form.refuse("the type must be .b64");
  form.expect_operands(1, 2);
  if (form.operands() == 2) (void)form.source(1, Type::F32);
  form.out.d = form.destination(0, Type::B64);
  form.out.a = form.registers().constant(0x1000000000000000, 8);
  form.out.run = unary<std::uint64_t, std::uint64_t, extended<std::uint64_t, std::uint64_t>>(form.wide());
}

constexpr std::array kOpcodes = {
    Opcode{"createpolicy", decode_createpolicy},
    Opcode{"ld", decode_access<false>},   Opcode{"ldu", decode_access<false>},
    Opcode{"st", decode_access<true>},    Opcode{"prefetch", decode_prefetch},
    Opcode{"prefetchu", decode_prefetch}, Opcode{"discard", decode_discard},
};

}  // namespace

std::span<const Opcode> memory_opcodes() { return kOpcodes; }

}  // namespace seam::sim
