#include "schedule/ownership.h"

namespace seam::planner {

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
    default:  // gather, scatter: indices decide
      break;
  }
  return map;
}

}  // namespace seam::planner
