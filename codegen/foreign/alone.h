#pragma once
/// One kernel of a foreign program, alone, on seeded inputs.
#include "codegen/foreign.h"

namespace seam::codegen {

/// Two launches, on inputs about N(0, 1) and on positive ones, each held against the evaluator of `op`.
[[nodiscard]] ForeignCheck check_alone(const ForeignProgram& program, const graph::Computation& computation, const graph::Op& op,
                                       const ForeignLaunch& launch, const sim::Checks& checks);

}  // namespace seam::codegen
