#pragma once
/// A kernel's results against the evaluator of the op it stands for.
#include <vector>

#include "codegen/foreign.h"

namespace seam::codegen {

/// Keeps what all checks of one program share. Safe to use from several threads.
class FusionReference {
 public:
  explicit FusionReference(const ForeignProgram& program) : program_(program) {}

  /// `operands` are the op's operands before the launch, `results` its result's leaves after it, all row-major. Sets outcome, reason and the
  /// differences of `check`. Allowed is what graph/tolerance.h grants at the coarsest type and the longest sum inside the op, and twice what rounding
  /// op by op moves the value.
  void compare(const graph::Computation& computation, const graph::Op& op, const std::vector<Array>& operands, const std::vector<Array>& results,
               ForeignCheck& check) const;

 private:
  const ForeignProgram& program_;
};

}  // namespace seam::codegen
