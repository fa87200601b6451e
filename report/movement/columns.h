#pragma once
/// Cells that tables of movement share.
#include <cstdint>

#include "report/table.h"

namespace seam::report {

/// Unknown where the whole is nothing.
[[nodiscard]] inline Cell percent(double part, double whole) { return whole > 0 ? Cell(100 * part / whole) : Cell(Unknown{}); }
[[nodiscard]] inline Cell ratio(double part, double whole) { return whole > 0 ? Cell(part / whole) : Cell(Unknown{}); }

inline constexpr const char* kModelledOnly = "modelled from shapes: words are elements, one each whatever their type; bytes use the types. Row statistics (a softmax's maximum and sum, a layer norm's mean and 1/std) are in bytes, not in words.";
inline constexpr const char* kMue = "MUE stands as two columns. Q/D: least bytes that must move (distinct inputs and outputs) over bytes that do; B/B_peak: bandwidth reached over the peak, which only a hardware counter knows, so unknown here.";

}  // namespace seam::report
