#pragma once
/// All opcode families in one table.
#include <string_view>

#include "decode/form.h"

namespace seam::sim {

/// Null: no such opcode here.
[[nodiscard]] const Opcode* opcode_named(std::string_view name);

}  // namespace seam::sim
