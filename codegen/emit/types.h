#pragma once
/// How the element types of the IR look in CUDA C++: in memory, and in registers (f16 and bf16 are floats there).
#include <string>
#include <string_view>

#include "base/dtype.h"

namespace seam::codegen {

[[nodiscard]] std::string_view memory_type(DType dtype);    ///< "unsigned short" for f16
[[nodiscard]] std::string_view register_type(DType dtype);  ///< "float" for f16

/// Text of a value being loaded (`element` is an lvalue of the memory type) and stored.
[[nodiscard]] std::string loaded(DType dtype, const std::string& element);
[[nodiscard]] std::string stored(DType dtype, const std::string& value);

}  // namespace seam::codegen
