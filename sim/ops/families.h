#pragma once
/// The opcode families: each file of ops/ decodes its opcodes (an allow-list of forms) and holds what they do.
#include <span>

#include "decode/form.h"

namespace seam::sim {

[[nodiscard]] std::span<const Opcode> arithmetic_opcodes(); ///< add sub mul …: dispatch by type
[[nodiscard]] std::span<const Opcode> float_opcodes();
[[nodiscard]] std::span<const Opcode> carry_opcodes();      ///< addc subc madc
[[nodiscard]] std::span<const Opcode> integer_opcodes();
[[nodiscard]] std::span<const Opcode> bit_opcodes();        ///< and or shl bfe prmt …
[[nodiscard]] std::span<const Opcode> compare_opcodes();    ///< setp set selp
[[nodiscard]] std::span<const Opcode> convert_opcodes();    ///< cvt
[[nodiscard]] std::span<const Opcode> move_opcodes();       ///< mov, cvta, isspacep
[[nodiscard]] std::span<const Opcode> memory_opcodes();     ///< ld st prefetch
[[nodiscard]] std::span<const Opcode> atomic_opcodes();     ///< atom red
[[nodiscard]] std::span<const Opcode> copy_opcodes();       ///< cp.async
[[nodiscard]] std::span<const Opcode> control_opcodes();    ///< bra ret exit trap
[[nodiscard]] std::span<const Opcode> barrier_opcodes();    ///< bar membar fence
[[nodiscard]] std::span<const Opcode> warp_opcodes();       ///< shfl vote redux match activemask
[[nodiscard]] std::span<const Opcode> mma_opcodes();        ///< mma.sync
[[nodiscard]] std::span<const Opcode> matrix_opcodes();     ///< ldmatrix stmatrix movmatrix
[[nodiscard]] std::span<const Opcode> special_opcodes();    ///< ex2 lg2 rcp rsqrt sqrt sin cos tanh

/// What the decoder itself emits.
[[nodiscard]] Handler exit_handler();
[[nodiscard]] Handler jump_handler();    ///< to Instruction::target
[[nodiscard]] Handler assert_handler();  ///< a failed assert()

/// add, sub, mul, … are one word for integers, floats and halves.
void decode_integer_arithmetic(Form& form);
void decode_float_arithmetic(Form& form);
void decode_half_arithmetic(Form& form);

}  // namespace seam::sim
