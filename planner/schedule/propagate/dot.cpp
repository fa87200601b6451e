#include <algorithm>

#include "schedule/ownership.h"

namespace seam::planner {

/// Output dims are batch, free dims of lhs, free dims of rhs. Batch dims pass to both sides, free dims to their own.
DimMap map_dot(const graph::Computation& computation, const graph::Op& op, std::size_t operand) {
  const graph::DotDims& dot = op.attributes.dot;
  DimMap map{false, std::vector<std::int64_t>(op.shape.dims.size(), -1)};
  const std::vector<std::int64_t>& batch = operand == 0 ? dot.lhs_batch : dot.rhs_batch;
  for (std::size_t i = 0; i < batch.size(); ++i) map.from[i] = batch[i];
  const auto is_free = [&](std::size_t side, std::int64_t dim) {
    return !std::ranges::count(side == 0 ? dot.lhs_batch : dot.rhs_batch, dim) &&
           !std::ranges::count(side == 0 ? dot.lhs_contract : dot.rhs_contract, dim);
  };
  std::size_t at = batch.size();
  for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
    const auto rank = static_cast<std::int64_t>(computation.ops[op.operands[side]].shape.dims.size());
    for (std::int64_t dim = 0; dim < rank; ++dim) {
      if (!is_free(side, dim)) continue;
      if (side == operand) map.from[at] = dim;
      ++at;
    }
  }
  return map;
}

}  // namespace seam::planner
