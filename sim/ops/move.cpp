/// mov (with packing and unpacking), cvta, isspacep.
#include <array>
#include <cstring>

#include "memory/memory.h"
#include "ops/families.h"
#include "ops/loops.h"

namespace seam::sim {
namespace {

template <class T>
SEAM_SIM_INLINE T same(T a) {
  return a;
}

Handler copy_handler(Form& form, int bytes) {
  switch (bytes) {
    case 1: return unary<std::uint8_t, std::uint8_t, same<std::uint8_t>>(form.wide());
    case 2: return unary<std::uint16_t, std::uint16_t, same<std::uint16_t>>(form.wide());
    case 4: return unary<std::uint32_t, std::uint32_t, same<std::uint32_t>>(form.wide());
    default: return unary<std::uint64_t, std::uint64_t, same<std::uint64_t>>(form.wide());
  }
}

void copy_predicate(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  const std::uint32_t a = predicate_bits(warp, i.a);
  set_predicate(warp, i.d, i.a_negated ? ~a : a, lanes);
}

/// d = {elements[0], elements[1], …}, lowest first.
void pack(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  const std::size_t part = i.bytes;
  const std::size_t whole = part * i.count;
  std::byte value[32 * 8];
  for (std::size_t l = 0; l < 32; ++l) {
    for (std::size_t k = 0; k < i.count; ++k) {
      std::memcpy(value + l * whole + k * part, warp.registers + i.elements[k] + l * part, part);
    }
  }
  std::byte* d = warp.registers + i.d;
  for (std::size_t l = 0; l < 32; ++l) {
    if ((lanes >> l & 1U) != 0) std::memcpy(d + l * whole, value + l * whole, whole);
  }
}

void unpack(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  const std::size_t part = i.bytes;
  const std::size_t whole = part * i.count;
  std::byte value[32 * 8];
  std::memcpy(value, warp.registers + i.a, 32 * whole);
  for (std::size_t k = 0; k < i.count; ++k) {
    if (i.elements[k] == kNoRow) continue;
    std::byte* d = warp.registers + i.elements[k];
    for (std::size_t l = 0; l < 32; ++l) {
      if ((lanes >> l & 1U) != 0) std::memcpy(d + l * part, value + l * whole + k * part, part);
    }
  }
}

Type untyped(int bytes) {
  return bytes == 1 ? Type::B8 : bytes == 2 ? Type::B16 : bytes == 4 ? Type::B32 : Type::B64;
}

/// The parts of a vector operand; fills bytes, count, elements.
void decode_parts(Form& form, const Operand& vector, Type type, bool to_write) {
  const std::size_t count = vector.elements.size();
  if (count != 2 && count != 4) {
    form.refuse("a register is packed from 2 or 4 parts");
    return;
  }
  const int part = size(type) / static_cast<int>(count);
  if (part < 1 || type == Type::Pred) {
    form.refuse("the parts would be smaller than a byte");
    return;
  }
  form.out.bytes = static_cast<std::uint8_t>(part);
  form.out.count = static_cast<std::uint8_t>(count);
  for (std::size_t k = 0; k < count; ++k) {
    std::uint8_t row_bytes = 0;
    const Operand& one = vector.elements[k];
    form.out.elements[k] = to_write ? form.wide_destination(one, untyped(part), row_bytes)
                                    : form.wide_source(one, untyped(part), row_bytes);
    if (!form.failed() && form.out.elements[k] != kNoRow && row_bytes != part) {
      form.refuse("the parts must fill the register exactly");
    }
  }
}

/// The address of a variable as a value.
bool decode_address_of(Form& form, const Operand& operand, Type type) {
  if (operand.kind != Operand::Kind::Name || operand.negated || !operand.second.empty()) return false;
  const auto symbol = form.registers().find(operand.name);
  if (!symbol || symbol->kind != Symbol::Kind::Variable) return false;
  if (size(type) < 4) form.wrong("an address has 32 or 64 bits");
  if (symbol->global >= 0) {
    if (size(type) != 8) form.wrong("the address of a global variable has 64 bits");
    form.out.a = form.registers().constant(static_cast<std::uint64_t>(operand.offset), 8,
                                           symbol->global);
  } else {
    const auto value = static_cast<std::uint64_t>(symbol->address + operand.offset);
    form.out.a = form.registers().constant(value, size(type));
  }
  return true;
}

void decode_mov(Form& form) {
  const Type type = form.take_type();
  form.expect_operands(2, 2);
  if (form.failed()) return;
  if (type == Type::Pred) {
    form.out.d = form.destination(0, type);
    form.out.a = form.predicate(1, form.out.a_negated);
    form.out.run = copy_predicate;
    return;
  }
  if (form.operand(0).kind == Operand::Kind::Vector) {
    decode_parts(form, form.operand(0), type, true);
    form.out.a = form.source(1, type);
    form.out.run = unpack;
    return;
  }
  form.out.d = form.destination(0, type);
  if (form.operand(1).kind == Operand::Kind::Vector) {
    decode_parts(form, form.operand(1), type, false);
    form.out.run = pack;
    return;
  }
  if (!decode_address_of(form, form.operand(1), type)) form.out.a = form.source(1, type);
  form.out.run = copy_handler(form, size(type));
}

/// a | offset, or a & ~offset.
void to_generic(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  const std::uint64_t* a = row<std::uint64_t>(warp, i.a);
  alignas(64) std::uint64_t value[32];
  for (int l = 0; l < 32; ++l) value[l] = a[l] | static_cast<std::uint64_t>(i.offset);
  keep(row<std::uint64_t>(warp, i.d), value, lanes);
}
void from_generic(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  const std::uint64_t* a = row<std::uint64_t>(warp, i.a);
  alignas(64) std::uint64_t value[32];
  for (int l = 0; l < 32; ++l) value[l] = a[l] & ~static_cast<std::uint64_t>(i.offset);
  keep(row<std::uint64_t>(warp, i.d), value, lanes);
}

/// The window of a space's generic addresses; global and const addresses are generic already.
std::optional<std::uint64_t> take_window(Form& form) {
  if (form.take("global") || form.take("const")) return 0;
  if (form.take("shared") || form.take("shared::cta")) return kSharedWindow;
  if (form.take("local")) return kLocalWindow;
  if (form.take("param")) return kParameterWindow;
  form.refuse("which state space?");
  return std::nullopt;
}

void decode_cvta(Form& form) {
  const bool to = form.take("to");
  const auto window = take_window(form);
  const Type type = form.take_type();
  if (type != Type::U64 && type != Type::B64) form.refuse("addresses have 64 bits");
  form.expect_operands(2, 2);
  form.out.d = form.destination(0, Type::U64);
  if (!decode_address_of(form, form.operand(1), Type::U64)) form.out.a = form.source(1, Type::U64);
  if (!window) return;
  form.out.offset = static_cast<std::int64_t>(*window);
  if (*window == 0) {
    form.out.run = copy_handler(form, 8);
  } else {
    form.out.run = to ? from_generic : to_generic;
  }
}

/// Is the generic address in the window `offset`? 0: in none of them, so it is global.
void is_space(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  constexpr std::uint64_t kWindows = kSharedWindow | kLocalWindow | kParameterWindow;
  const std::uint64_t* a = row<std::uint64_t>(warp, i.a);
  std::uint32_t bits = 0;
  for (int l = 0; l < 32; ++l) {
    bits |= std::uint32_t{(a[l] & kWindows) == static_cast<std::uint64_t>(i.offset)} << l;
  }
  set_predicate(warp, i.d, bits, lanes);
}

void decode_isspacep(Form& form) {
  if (form.has("const")) form.refuse("constant memory has no window of its own");
  const auto window = take_window(form);
  form.expect_operands(2, 2);
  form.out.d = form.destination(0, Type::Pred);
  form.out.a = form.source(1, Type::U64);
  if (window) form.out.offset = static_cast<std::int64_t>(*window);
  form.out.run = is_space;
}

constexpr std::array kOpcodes = {Opcode{"mov", decode_mov}, Opcode{"cvta", decode_cvta},
                                 Opcode{"isspacep", decode_isspacep}};

}  // namespace

std::span<const Opcode> move_opcodes() { return kOpcodes; }

}  // namespace seam::sim
