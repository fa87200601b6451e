#pragma once
/// What kind of work each instruction is, and the profile of a launch.
#include <string_view>
#include <vector>

#include "run/warp.h"

namespace seam::sim {

/// By its opcode (text of the instruction, maybe with a guard before it) and the state space it accesses.
[[nodiscard]] InstructionClass class_of(std::string_view text, const Instruction& instruction);
/// "ex2.approx.ftz.f32" of "@%p1 ex2.approx.ftz.f32 %f1, %f2".
[[nodiscard]] std::string_view opcode_of(std::string_view text);
[[nodiscard]] Profile profile_of(const Program& program, const std::vector<Execution::Executed>& executed);

}  // namespace seam::sim
