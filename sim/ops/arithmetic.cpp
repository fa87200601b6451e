/// The words that integers, floats and halves share; the type says whose they are.
#include <array>

#include "ops/families.h"

namespace seam::sim {
namespace {

void by_type(Form& form) {
  if (form.has("u16x2") || form.has("s16x2")) return decode_integer_arithmetic(form);
  const std::optional<Type> type = form.peek_type();
  if (!type) {
    form.refuse("the instruction has no type that is supported");
    return;
  }
  switch (*type) {
    case Type::F32:
    case Type::F64: decode_float_arithmetic(form); break;
    case Type::F16:
    case Type::BF16:
    case Type::F16x2:
    case Type::BF16x2: decode_half_arithmetic(form); break;
    default: decode_integer_arithmetic(form); break;
  }
}

constexpr std::array kOpcodes = {Opcode{"add", by_type}, Opcode{"sub", by_type},
                                 Opcode{"mul", by_type}, Opcode{"mad", by_type},
                                 Opcode{"fma", by_type}, Opcode{"div", by_type},
                                 Opcode{"rem", by_type}, Opcode{"min", by_type},
                                 Opcode{"max", by_type}, Opcode{"neg", by_type},
                                 Opcode{"abs", by_type}};

}  // namespace

std::span<const Opcode> arithmetic_opcodes() { return kOpcodes; }

}  // namespace seam::sim
