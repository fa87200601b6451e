#include "run/profile.h"

#include <algorithm>
#include <array>

namespace seam::sim {
namespace {

struct Named {
  std::string_view base;
  InstructionClass of;
};

using Class = InstructionClass;

/// Opcodes whose class does not depend on their type.
constexpr std::array kByName = {
    Named{"cvt", Class::Conversion}, Named{"setp", Class::Compare},        Named{"set", Class::Compare},      Named{"selp", Class::Move},        Named{"slct", Class::Move},
    Named{"mov", Class::Move},       Named{"cvta", Class::Move},           Named{"isspacep", Class::Move},    Named{"createpolicy", Class::Move}, Named{"prmt", Class::Integer},
    Named{"ex2", Class::Special},    Named{"lg2", Class::Special},         Named{"sin", Class::Special},      Named{"cos", Class::Special},      Named{"tanh", Class::Special},
    Named{"rcp", Class::Special},    Named{"rsqrt", Class::Special},       Named{"sqrt", Class::Special},     Named{"mma", Class::Tensor},       Named{"ldmatrix", Class::Shared},
    Named{"stmatrix", Class::Shared}, Named{"movmatrix", Class::Shuffle},  Named{"cp", Class::AsyncCopy},     Named{"atom", Class::Atomic},      Named{"red", Class::Atomic},
    Named{"bar", Class::Barrier},    Named{"barrier", Class::Barrier},     Named{"membar", Class::Barrier},   Named{"fence", Class::Barrier},    Named{"shfl", Class::Shuffle},
    Named{"vote", Class::Shuffle},   Named{"match", Class::Shuffle},       Named{"redux", Class::Shuffle},    Named{"activemask", Class::Shuffle}, Named{"elect", Class::Shuffle},
    Named{"bra", Class::Control},    Named{"brx", Class::Control},         Named{"ret", Class::Control},      Named{"exit", Class::Control},     Named{"trap", Class::Control},
    Named{"call", Class::Control},   Named{"nanosleep", Class::Control},   Named{"griddepcontrol", Class::Control}, Named{"setmaxnreg", Class::Control},
};

InstructionClass of_space(Space space) {
  switch (space) {
    case Space::Shared: return Class::Shared;
    case Space::Local: return Class::Local;
    case Space::Param: return Class::Parameter;
    default: return Class::Global;
  }
}

InstructionClass of_type(std::string_view opcode) {
  const std::string_view type = opcode.substr(opcode.rfind('.') + 1);
  if (type == "f16" || type == "f16x2" || type == "bf16" || type == "bf16x2") return Class::Half;
  if (type == "f32") return Class::Float;
  if (type == "f64") return Class::Double;
  return Class::Integer;
}

}  // namespace

std::string_view name(InstructionClass one) {
  switch (one) {
#define X(enumerator, text) \
  case Class::enumerator: return text;
    SEAM_SIM_CLASSES(X)
#undef X
  }
  return "?";
}

std::string_view opcode_of(std::string_view text) {
  if (text.starts_with('@')) text.remove_prefix(std::min(text.find(' '), text.size()));
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text.substr(0, text.find_first_of(" ;{(\t"));
}

InstructionClass class_of(std::string_view text, const Instruction& instruction) {
  const std::string_view opcode = opcode_of(text);
  const std::string_view base = opcode.substr(0, opcode.find('.'));
  if (base == "ld" || base == "ldu" || base == "st" || base == "prefetch" || base == "discard") {
    return opcode.find(".param") != std::string_view::npos ? Class::Parameter : of_space(instruction.space);
  }
  const auto known = std::ranges::find(kByName, base, &Named::base);
  return known != kByName.end() ? known->of : of_type(opcode);
}

Profile profile_of(const Program& program, const std::vector<Execution::Executed>& executed) {
  Profile out;
  for (std::size_t pc = 0; pc < executed.size(); ++pc) {
    const auto at = static_cast<std::size_t>(class_of(program.texts[pc], program.code[pc]));
    out.warp_instructions[at] += executed[pc].warp;
    out.instructions[at] += executed[pc].threads;
  }
  return out;
}

}  // namespace seam::sim
