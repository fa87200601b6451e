#pragma once
/// Declarations: .reg, .local, .shared, .param, .global, .const. Private to text/.
#include <vector>

#include "text/cursor.h"
#include "text/syntax.h"

namespace seam::sim {

/// True if the word opens a declaration (".reg", ".shared", …).
[[nodiscard]] bool opens_variable(const Token& token);
/// One declaration; several names give several variables. Stands on the state-space word; stops before ';', ',' or ')'
/// when `single`, else takes the list and its ';'.
[[nodiscard]] Result<std::vector<Variable>> parse_variables(Cursor& cursor, bool single);

}  // namespace seam::sim
