#include "validate/collisions.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

namespace seam::codegen {

std::int64_t most_collisions(const Demand& demand, const graph::Computation& computation, Id<graph::Op> scatter) {
  constexpr std::int64_t kMost = 1 << 20;
  const graph::Op& op = computation.ops[scatter];
  const graph::Op& indices = computation.ops[op.operands.at(1)];
  const std::vector<std::int64_t>& dims = indices.shape.dims;
  const std::int64_t count = indices.shape.elements_count();
  if (count == 0 || count > kMost) return 0;
  Indices all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  const auto values = demand.values(op.operands.at(1), all, graph::Rounding::Rounded);
  if (!values || values->integers.size() != all.size()) return 0;
  // One index vector per position of the other dims; without such a dim each element is one.
  const auto vector_dim = static_cast<std::size_t>(op.attributes.gather.index_vector_dim);
  const std::int64_t length = vector_dim < dims.size() ? dims[vector_dim] : 1;
  std::int64_t inner = 1;
  for (std::size_t d = vector_dim + 1; d < dims.size(); ++d) inner *= dims[d];
  std::map<std::vector<std::int64_t>, std::int64_t> landed;
  std::int64_t most = 0;
  for (std::int64_t vector = 0; vector < count / length; ++vector) {
    std::vector<std::int64_t> at;
    for (std::int64_t k = 0; k < length; ++k) at.push_back(values->integers[static_cast<std::size_t>((vector / inner * length + k) * inner + vector % inner)]);
    most = std::max(most, ++landed[std::move(at)]);
  }
  return most;
}

}  // namespace seam::codegen
