#pragma once
/// Syntax → programs: one entry function with the functions it calls inlined, names resolved, every instruction decoded.
#include "decode/program.h"
#include "text/syntax.h"

namespace seam::sim {

/// Decodes one kernel. `module` holds the module variables already.
[[nodiscard]] Result<Program> decode(const Syntax& syntax, const Function& entry, bool wide);
/// Module variables with initial values, in the order of syntax.variables; extern shared and shared ones are not among them
/// (index -1 in `global_of`).
[[nodiscard]] Result<std::vector<GlobalVariable>> decode_globals(const Syntax& syntax,
                                                                 std::vector<int>& global_of);

}  // namespace seam::sim
