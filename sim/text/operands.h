#pragma once
/// Numbers and operands of PTX statements. Private to text/.
#include <cstdint>
#include <optional>
#include <vector>

#include "text/cursor.h"
#include "text/syntax.h"

namespace seam::sim {

/// A number token as an operand: integers, 0f…, 0d…, decimal fractions.
[[nodiscard]] Result<Operand> parse_number(Cursor& cursor);
[[nodiscard]] Result<std::int64_t> parse_integer(Cursor& cursor, std::string_view what);
[[nodiscard]] Result<Operand> parse_operand(Cursor& cursor);
/// a, b, c up to (not including) the closing mark.
[[nodiscard]] Result<std::vector<Operand>> parse_operands(Cursor& cursor, char close);

}  // namespace seam::sim
