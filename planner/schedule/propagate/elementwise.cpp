#include "schedule/ownership.h"

namespace seam::planner {

/// Row and Column pass unchanged. Scalars that XLA lets stand beside arrays (clamp's bounds, select's predicate) are needed
/// by every block.
DimMap map_elementwise(const graph::Computation& computation, const graph::Op& op, std::size_t operand) {
  const graph::Op& from = computation.ops[op.operands[operand]];
  if (product(dims_of(from)) == product(dims_of(op))) return {true, {}};
  return {false, std::vector<std::int64_t>(dims_of(op).size(), -1)};
}

}  // namespace seam::planner
