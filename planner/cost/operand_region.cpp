#include <algorithm>

#include "cost/touched.h"
#include "schedule/ownership.h"

namespace seam::planner {

using graph::Op;
using graph::OpClass;
using graph::Opcode;

namespace {

/// Boxes mapped one by one; places known only at run time stay unknown.
template <class Map>
Region each_box(const Region& output, const std::vector<std::int64_t>& dims, const Map& map) {
  Region region = Region::none(dims);
  if (output.floating() > 0) region = Region::somewhere(dims, std::min(output.floating(), product(dims)));
  for (const Box& box : output.boxes()) {
    Box next;
    next.dims.resize(dims.size());
    if (map(box, next)) region.add(std::move(next));
  }
  // Of elements whose places are known only at run time nobody knows how many share one element of a broadcast, or are padding.
  if (!output.exact() || (output.floating() > 0 && product(dims) != product(output.dims()))) region.give_up();
  return region;
}

/// Elements of range `r` that lie in [begin, end), as indices relative to `begin`; count 0 if none.
Range clipped(const Range& r, std::int64_t begin, std::int64_t end) {
  std::int64_t first = 0;
  if (r.start < begin) first = (begin - r.start + r.stride - 1) / r.stride;
  const std::int64_t start = r.start + first * r.stride;
  if (start >= end || first >= r.count) return {0, 0, 1};
  const std::int64_t count = std::min(r.count - first, (end - 1 - start) / r.stride + 1);
  return {start - begin, count, r.stride};
}

Region through_pad(const Op& op, const std::vector<std::int64_t>& dims, const Region& output) {
  return each_box(output, dims, [&](const Box& box, Box& next) {
    for (std::size_t d = 0; d < dims.size(); ++d) {
      const graph::PadDim& pad = op.attributes.padding[d];
      const std::int64_t step = pad.interior + 1;
      const Range& r = box.dims[d];
      const Range in = clipped(r, pad.low, pad.low + (dims[d] - 1) * step + 1);
      if (in.count == 0) return false;
      if (step == 1) {
        next.dims[d] = in;
      } else {
        // Every `step`-th output element is an operand's: exact for dense ranges, all of the operand's otherwise.
        const std::int64_t first = (in.start + step - 1) / step, last = in.last() / step;
        if (last < first) return false;
        next.dims[d] = {first, last - first + 1, 1};
      }
    }
    return true;
  });
}

Region through_concatenate(const graph::Computation& computation, const Op& op, std::size_t which,
                           const std::vector<std::int64_t>& dims, const Region& output) {
  const auto dim = static_cast<std::size_t>(op.attributes.dimensions.at(0));
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < which; ++i) begin += computation.ops[op.operands[i]].shape.dims[dim];
  return each_box(output, dims, [&](const Box& box, Box& next) {
    next = box;
    next.dims[dim] = clipped(box.dims[dim], begin, begin + dims[dim]);
    return next.dims[dim].count > 0;
  });
}

Region through_slice(const Op& op, const std::vector<std::int64_t>& dims, const Region& output) {
  return each_box(output, dims, [&](const Box& box, Box& next) {
    for (std::size_t d = 0; d < dims.size(); ++d) {
      const std::int64_t stride = op.attributes.strides.empty() ? 1 : op.attributes.strides[d];
      const Range& r = box.dims[d];
      next.dims[d] = {op.attributes.starts[d] + r.start * stride, r.count, r.stride * stride};
    }
    return true;
  });
}

Region mapped(const Op& op, const std::vector<std::int64_t>& dims, const DimMap& map, const Region& output) {
  return each_box(output, dims, [&](const Box& box, Box& next) {
    for (std::size_t d = 0; d < dims.size(); ++d) next.dims[d] = {0, dims[d], 1};
    for (std::size_t d = 0; d < map.from.size(); ++d)
      if (map.from[d] >= 0) next.dims[static_cast<std::size_t>(map.from[d])] = box.dims[d];
    if (op.opcode == Opcode::Reverse)
      for (const std::int64_t d : op.attributes.dimensions) {
        const auto at = static_cast<std::size_t>(d);
        const Range& r = box.dims[at];
        next.dims[at] = {dims[at] - 1 - r.last(), r.count, r.stride};
      }
    return true;
  });
}

Region whole(const std::vector<std::int64_t>& dims, const Region& output) {
  return output.empty() ? Region::none(dims) : Region::all(dims);
}

}  // namespace

Region operand_region(const graph::Computation& computation, const Op& op, std::size_t which, const Region& output) {
  const std::vector<std::int64_t>& dims = dims_of(computation.ops[op.operands[which]]);
  switch (op.opcode) {
    case Opcode::Reshape:
    case Opcode::Bitcast:
      return reshaped(output, dims);
    case Opcode::Slice:
      return through_slice(op, dims, output);
    case Opcode::Pad:
      return which == 0 ? through_pad(op, dims, output) : whole(dims, output);
    case Opcode::Concatenate:
      return through_concatenate(computation, op, which, dims, output);
    case Opcode::DynamicSlice:
      if (which > 0) return whole(dims, output);
      if (product(dims) == product(op.shape.dims)) return output;
      return Region::somewhere(dims, output.elements());
    case Opcode::DynamicUpdateSlice: {
      if (which > 1) return whole(dims, output);
      if (which == 1) return whole(dims, output);
      const std::int64_t updated = product(dims_of(computation.ops[op.operands[1]]));
      if (output.full()) return Region::somewhere(dims, product(dims) - updated);
      // Some of the wanted elements are the update's: how many, is known where both places are.
      Region there = output;
      there.give_up();
      return there;
    }
    case Opcode::Gather: {
      if (which > 0) return whole(dims, output);
      return Region::somewhere(dims, output.elements());
    }
    default:
      break;
  }
  const DimMap map = dim_map(computation, op, which);
  if (map.linear) return reshaped(output, dims);
  return mapped(op, dims, map, output);
}

}  // namespace seam::planner
