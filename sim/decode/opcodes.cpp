#include "decode/opcodes.h"

#include "ops/families.h"

namespace seam::sim {

const Opcode* opcode_named(std::string_view name) {
  using Family = std::span<const Opcode> (*)();
  static constexpr Family kFamilies[] = {
      arithmetic_opcodes, float_opcodes,   integer_opcodes, carry_opcodes,   bit_opcodes,
      compare_opcodes,    convert_opcodes, move_opcodes,    memory_opcodes,  atomic_opcodes,
      copy_opcodes,       control_opcodes, barrier_opcodes, warp_opcodes,    special_opcodes,
      mma_opcodes,        matrix_opcodes};
  for (const Family family : kFamilies) {
    for (const Opcode& opcode : family()) {
      if (opcode.name == name) return &opcode;
    }
  }
  return nullptr;
}

}  // namespace seam::sim
