#include <fmt/core.h>

#include <algorithm>

#include "infer/rules.h"

namespace seam::graph {
namespace {

constexpr std::int64_t kLimit = std::int64_t{1} << 40;

Result<Shape> transpose(const InferenceSite& site) {
  const Shape& in = site.operand(0);
  const std::vector<std::int64_t>& order = site.attributes().dimensions;
  if (std::ssize(order) != in.rank()) return site.error("dimensions must name each dimension once");
  SEAM_NEED(site.check_dims(order, in.rank(), "dimensions"));
  Shape out = array_shape(in.dtype, {});
  for (const std::int64_t dim : order) out.dims.push_back(in.dims[static_cast<std::size_t>(dim)]);
  return out;
}

Result<Shape> slice(const InferenceSite& site) {
  const Shape& in = site.operand(0);
  const Attributes& a = site.attributes();
  if (std::ssize(a.starts) != in.rank()) {
    return site.error(fmt::format("slices {} dimensions of a shape of rank {}", a.starts.size(), in.rank()));
  }
  Shape out = array_shape(in.dtype, {});
  for (std::size_t i = 0; i < a.starts.size(); ++i) {
    const bool fits = a.starts[i] >= 0 && a.starts[i] <= a.limits[i] && a.limits[i] <= in.dims[i] && a.strides[i] > 0;
    if (!fits) {
      return site.error(fmt::format("bounds [{}:{}:{}] do not fit dimension {} of size {}", a.starts[i],
                                    a.limits[i], a.strides[i], i, in.dims[i]));
    }
    const std::int64_t length = a.limits[i] - a.starts[i];
    out.dims.push_back(length / a.strides[i] + (length % a.strides[i] != 0 ? 1 : 0));
  }
  return out;
}

Result<Shape> pad(const InferenceSite& site) {
  const Shape& in = site.operand(0);
  const std::vector<PadDim>& padding = site.attributes().padding;
  if (std::ssize(padding) != in.rank()) {
    return site.error(fmt::format("pads {} dimensions of a shape of rank {}", padding.size(), in.rank()));
  }
  if (!site.operand(1).dims.empty()) return site.error("the padding value must be a scalar");
  Shape out = array_shape(in.dtype, {});
  for (std::size_t i = 0; i < padding.size(); ++i) {
    const PadDim& p = padding[i];
    if (std::max({std::abs(p.low), std::abs(p.high), p.interior}) > kLimit) return site.error("padding is too large");
    std::int64_t inside = 0;
    if (__builtin_mul_overflow(std::max<std::int64_t>(in.dims[i] - 1, 0), p.interior, &inside) || inside > kLimit) {
      return site.error("padding is too large");
    }
    const std::int64_t dim = in.dims[i] + p.low + p.high + inside;
    if (dim < 0) return site.error(fmt::format("padding leaves {} elements in dimension {}", dim, i));
    out.dims.push_back(dim);
  }
  return out;
}

Result<Shape> concatenate(const InferenceSite& site) {
  SEAM_NEED(site.needs_operands(1));
  const Shape& first = site.operand(0);
  if (site.attributes().dimensions.size() != 1) return site.error("dimensions must name one dimension");
  SEAM_NEED(site.check_dims(site.attributes().dimensions, first.rank(), "dimensions"));
  const auto along = static_cast<std::size_t>(site.attributes().dimensions[0]);
  Shape out = array_shape(first.dtype, first.dims);
  for (std::size_t i = 1; i < site.operand_count(); ++i) {
    const Shape& next = site.operand(i);
    bool fits = next.dtype == first.dtype && next.rank() == first.rank();
    for (std::size_t d = 0; fits && d < next.dims.size(); ++d) fits = d == along || next.dims[d] == first.dims[d];
    if (!fits) {
      return site.error(fmt::format("operand {} is {}, which does not fit {}", i, print(next), print(first)));
    }
    if (__builtin_add_overflow(out.dims[along], next.dims[along], &out.dims[along])) return site.error("is too large");
  }
  return out;
}

/// Start indices come as one scalar per dimension, in old dumps as one vector.
Result<void> check_starts(const InferenceSite& site, std::size_t from, std::int64_t rank) {
  const std::size_t count = site.operand_count() - from;
  const bool vector = count == 1 && site.operand(from).rank() == 1 && site.operand(from).dims[0] == rank;
  if (std::cmp_not_equal(count, rank) && !vector) {
    return site.error(fmt::format("has {} start indices for rank {}", count, rank));
  }
  for (std::size_t i = from; i < site.operand_count(); ++i) {
    if (!is_integer(site.operand(i).dtype) || (!vector && !site.operand(i).dims.empty())) {
      return site.error(fmt::format("start index {} must be an integer scalar", i - from));
    }
  }
  return {};
}

Result<Shape> dynamic_slice(const InferenceSite& site) {
  SEAM_NEED(site.needs_operands(1));
  const Shape& in = site.operand(0);
  const std::vector<std::int64_t>& sizes = site.attributes().slice_sizes;
  SEAM_NEED(check_starts(site, 1, in.rank()));
  if (std::ssize(sizes) != in.rank()) return site.error("dynamic_slice_sizes must give each dimension");
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 0 || sizes[i] > in.dims[i]) {
      return site.error(fmt::format("takes {} of {} elements in dimension {}", sizes[i], in.dims[i], i));
    }
  }
  return array_shape(in.dtype, sizes);
}

Result<Shape> dynamic_update_slice(const InferenceSite& site) {
  SEAM_NEED(site.needs_operands(2));
  const Shape& in = site.operand(0);
  const Shape& update = site.operand(1);
  SEAM_NEED(check_starts(site, 2, in.rank()));
  bool fits = update.rank() == in.rank() && update.dtype == in.dtype;
  for (std::size_t i = 0; fits && i < in.dims.size(); ++i) fits = update.dims[i] <= in.dims[i];
  if (!fits) return site.error(fmt::format("update {} does not fit {}", print(update), print(in)));
  return array_shape(in.dtype, in.dims);
}

}  // namespace

Result<std::optional<Shape>> infer_layout(const InferenceSite& site) {
  const auto some = [](Result<Shape> shape) -> Result<std::optional<Shape>> {
    if (!shape) return tl::unexpected(std::move(shape).error());
    return std::optional<Shape>(*std::move(shape));
  };
  switch (site.op.opcode) {
    case Opcode::Transpose:
    case Opcode::Slice:
    case Opcode::Pad:
    case Opcode::Concatenate:
    case Opcode::Reverse:
    case Opcode::DynamicSlice:
    case Opcode::DynamicUpdateSlice: SEAM_NEED(site.needs_arrays()); break;
    default: break;
  }
  switch (site.op.opcode) {
    case Opcode::Transpose: return some(transpose(site));
    case Opcode::Slice: return some(slice(site));
    case Opcode::Pad: return some(pad(site));
    case Opcode::Concatenate: return some(concatenate(site));
    case Opcode::DynamicSlice: return some(dynamic_slice(site));
    case Opcode::DynamicUpdateSlice: return some(dynamic_update_slice(site));
    case Opcode::Reverse:
      SEAM_NEED(site.check_dims(site.attributes().dimensions, site.operand(0).rank(), "dimensions"));
      return std::optional<Shape>(array_shape(site.operand(0).dtype, site.operand(0).dims));
    case Opcode::Copy:
      if (site.operand(0).is_tuple) return std::optional<Shape>(site.operand(0));
      return std::optional<Shape>(array_shape(site.operand(0).dtype, site.operand(0).dims));
    default: return std::nullopt;
  }
}

}  // namespace seam::graph
