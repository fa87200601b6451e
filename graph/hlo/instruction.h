#pragma once
/// One computation body and its instructions in HLO text.
#include "read/scope.h"

namespace seam::graph {

/// `{ instruction… }`; fills the scope's computation and finishes it.
[[nodiscard]] Result<void> read_body(ModuleScope& module, ComputationScope& scope, Cursor& cursor);

}  // namespace seam::graph
