#include <algorithm>

#include "schedule/ownership.h"

namespace seam::planner {

/// All reduced elements stay in one block: the kept dims lead to the operand's, the reduced ones are walked. Row passes
/// while the deciding dims stand before every reduced dim, and becomes Column when reduced dims stand before them.
DimMap map_reduce(const graph::Computation& computation, const graph::Op& op, std::size_t operand) {
  const std::vector<std::int64_t>& out = dims_of(op);
  DimMap map{false, std::vector<std::int64_t>(out.size(), -1)};
  if (operand >= op.operands.size() / 2) return map;  // initial values
  const std::vector<std::int64_t>& from = computation.ops[op.operands[operand]].shape.dims;
  std::size_t next = 0;
  for (std::size_t i = 0; i < from.size(); ++i)
    if (!std::ranges::count(op.attributes.dimensions, static_cast<std::int64_t>(i)))
      map.from[next++] = static_cast<std::int64_t>(i);
  return map;
}

}  // namespace seam::planner
