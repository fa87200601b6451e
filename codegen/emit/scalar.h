#pragma once
/// One HLO op on scalars as CUDA C++.
#include <string>
#include <vector>

#include "codegen/expr.h"

namespace seam::codegen {

/// `args` are operand texts; wrapped in parentheses where needed. The result may be any expression.
[[nodiscard]] std::string emit_scalar(const Scalar& op, const std::vector<std::string>& args);
[[nodiscard]] std::string emit_imm(const Imm& imm);

}  // namespace seam::codegen
