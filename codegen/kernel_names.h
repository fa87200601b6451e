#pragma once
/// Words of the .kernel text form that the printer and the parser share.
#include <array>
#include <string_view>

#include "codegen/kernel.h"

namespace seam::codegen {

inline constexpr std::array<std::string_view, 4> kAccessNames = {"in", "out", "update", "workspace"};
inline constexpr std::array<std::string_view, 6> kAtomicNames = {"add", "min", "max", "and", "or", "xor"};
[[nodiscard]] constexpr std::string_view access_name(Access access) { return kAccessNames.at(static_cast<std::size_t>(access)); }
[[nodiscard]] constexpr std::string_view atomic_name(AtomicOp op) { return kAtomicNames.at(static_cast<std::size_t>(op)); }

}  // namespace seam::codegen
