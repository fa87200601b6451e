#include "schedule/ownership.h"

namespace seam::planner {

DimMap map_broadcast(const graph::Computation& computation, const graph::Op& op, std::size_t operand) {
  DimMap map{false, std::vector<std::int64_t>(op.shape.dims.size(), -1)};
  const graph::Op& from = computation.ops[op.operands[operand]];
  for (std::size_t i = 0; i < op.attributes.dimensions.size(); ++i) {
    const auto to = static_cast<std::size_t>(op.attributes.dimensions[i]);
    if (from.shape.dims[i] == op.shape.dims[to]) map.from[to] = static_cast<std::int64_t>(i);
  }
  return map;
}

}  // namespace seam::planner
