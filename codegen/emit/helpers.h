#pragma once
/// Small device functions that kernels call: conversions, NaN-propagating max and min, HLO's division and shifts, atomics. A kernel's text
/// holds those it uses, so it needs no header.
#include <string>
#include <string_view>

namespace seam::codegen {

/// The definitions of all helpers that `body` calls, and of those that these call, in an order that compiles.
[[nodiscard]] std::string helpers_for(std::string_view body);

}  // namespace seam::codegen
