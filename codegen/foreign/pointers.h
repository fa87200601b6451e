#pragma once
/// Which of a kernel's pointers it stores through. A compiler that knows two of its arguments to be one buffer uses only the first of them: such a kernel
/// writes its result through the pointer of an operand, and that is the only trace of the decision that is left in what it prints.
#include <string_view>
#include <vector>

#include "base/result.h"

namespace seam::codegen {

/// By parameter: some store or atomic may go through it. A may-analysis over the whole kernel, whatever its control flow: an address computed from two
/// pointers counts for both.
[[nodiscard]] Result<std::vector<bool>> written_pointers(std::string_view ptx, std::string_view kernel);

}  // namespace seam::codegen
