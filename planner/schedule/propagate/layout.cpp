#include <algorithm>

#include "schedule/ownership.h"

namespace seam::planner {

namespace {

/// Dims that a gather takes whole, and batching dims, lead straight to the operand's; the others where the indices say.
void gather_dims(const graph::Computation& computation, const graph::Op& op, std::size_t operand, DimMap& map) {
  const graph::GatherDims& g = op.attributes.gather;
  const std::vector<std::int64_t>& from = computation.ops[op.operands[operand]].shape.dims;
  const auto in = [](const std::vector<std::int64_t>& list, std::int64_t dim) { return std::ranges::count(list, dim) > 0; };
  // Output dims that are not offsets follow the dims of the indices, the vector of indices aside.
  std::vector<std::int64_t> batch_outputs, index_dims;
  const auto index_rank = static_cast<std::int64_t>(computation.ops[op.operands[1]].shape.dims.size());
  for (std::int64_t d = 0; d < static_cast<std::int64_t>(op.shape.dims.size()); ++d)
    if (!in(g.offset_dims, d)) batch_outputs.push_back(d);
  for (std::int64_t d = 0; d < index_rank; ++d)
    if (d != g.index_vector_dim) index_dims.push_back(d);
  const std::size_t batch = std::min(batch_outputs.size(), index_dims.size());
  if (operand == 1) {
    for (std::size_t i = 0; i < batch; ++i) map.from[static_cast<std::size_t>(batch_outputs[i])] = index_dims[i];
    return;
  }
  std::size_t next = 0;
  for (std::int64_t d = 0; d < static_cast<std::int64_t>(from.size()); ++d) {
    if (in(g.collapsed_slice_dims, d) || in(g.operand_batching_dims, d)) continue;
    const std::int64_t out = g.offset_dims.at(next++);
    if (g.slice_sizes[static_cast<std::size_t>(d)] == from[static_cast<std::size_t>(d)]) map.from[static_cast<std::size_t>(out)] = d;
  }
  for (std::size_t i = 0; i < g.operand_batching_dims.size(); ++i)
    for (std::size_t k = 0; k < batch; ++k)
      if (index_dims[k] == g.indices_batching_dims[i]) map.from[static_cast<std::size_t>(batch_outputs[k])] = g.operand_batching_dims[i];
}

}  // namespace

/// Ops that move elements: a dim passes if it is untouched (same extent, same index).
DimMap map_layout(const graph::Computation& computation, const graph::Op& op, std::size_t operand) {
  using graph::Opcode;
  const std::size_t rank = op.shape.dims.size();
  DimMap map{false, std::vector<std::int64_t>(rank, -1)};
  const graph::Attributes& a = op.attributes;
  const std::vector<std::int64_t>& from = computation.ops[op.operands[operand]].shape.dims;
  const auto listed = [&](std::size_t dim) {
    for (const std::int64_t d : a.dimensions)
      if (d == static_cast<std::int64_t>(dim)) return true;
    return false;
  };
  switch (op.opcode) {
    case Opcode::Transpose:
      for (std::size_t i = 0; i < rank; ++i) map.from[i] = a.dimensions[i];
      break;
    case Opcode::Slice:
    case Opcode::Pad:
    case Opcode::DynamicSlice:
      if (operand > 0) break;
      // A dim of full extent is untouched: slices start at 0, clamped dynamic starts too, pads add nothing.
      for (std::size_t i = 0; i < rank; ++i)
        if (from[i] == op.shape.dims[i] &&
            (op.opcode != Opcode::Pad || (a.padding[i].low == 0 && a.padding[i].high == 0)))
          map.from[i] = static_cast<std::int64_t>(i);
      break;
    case Opcode::DynamicUpdateSlice:
      if (operand == 0) return {true, {}};
      if (operand == 1)
        for (std::size_t i = 0; i < rank; ++i)
          if (from[i] == op.shape.dims[i]) map.from[i] = static_cast<std::int64_t>(i);
      break;
    case Opcode::Concatenate:
    case Opcode::Reverse:
      for (std::size_t i = 0; i < rank; ++i)
        if (!listed(i)) map.from[i] = static_cast<std::int64_t>(i);
      break;
    case Opcode::Gather:
      gather_dims(computation, op, operand, map);
      break;
    default:  // scatter: indices decide
      break;
  }
  return map;
}

}  // namespace seam::planner
