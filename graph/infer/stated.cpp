#include <fmt/core.h>

#include "infer/rules.h"

namespace seam::graph {
namespace {

Result<void> broadcast(const InferenceSite& site) {
  const Shape& in = site.operand(0);
  const Shape& out = site.op.shape;
  const std::vector<std::int64_t>& to = site.attributes().dimensions;
  if (std::ssize(to) != in.rank()) {
    return site.error(fmt::format("maps {} dimensions of {}", to.size(), print(in)));
  }
  SEAM_NEED(site.check_dims(to, out.rank(), "dimensions"));
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (out.dims[static_cast<std::size_t>(to[i])] != in.dims[i]) {
      return site.error(fmt::format("dimension {} of {} does not fit dimension {} of {}", i, print(in), to[i],
                                    print(out)));
    }
  }
  if (in.dtype != out.dtype) return site.error("changes the element type");
  return {};
}

Result<void> same_count(const InferenceSite& site) {
  if (site.operand(0).elements_count() != site.op.shape.elements_count()) {
    return site.error(fmt::format("makes {} elements of {}", print(site.op.shape), print(site.operand(0))));
  }
  if (site.operand(0).dtype != site.op.shape.dtype) return site.error("changes the element type");
  return {};
}

Result<void> same_bits(const InferenceSite& site) {
  const Shape& in = site.operand(0);
  const Shape& out = site.op.shape;
  const auto size = [](const Shape& shape) {
    return static_cast<double>(shape.elements_count()) * bits(shape.dtype);
  };
  if (size(in) == size(out)) return {};
  return site.error(fmt::format("{} and {} differ in size", print(in), print(out)));
}

Result<void> literal_fits(const InferenceSite& site, const Literal& literal, const Shape& shape) {
  if (shape.is_tuple) {
    if (literal.elements.size() != shape.elements.size()) return site.error("value and shape differ");
    for (std::size_t i = 0; i < shape.elements.size(); ++i) {
      SEAM_NEED(literal_fits(site, literal.elements[i], shape.elements[i]));
    }
    return {};
  }
  const bool fits = !literal.known || (literal.value.dtype == shape.dtype && literal.value.dims == shape.dims &&
                                       std::cmp_equal(literal.value.data.size(), shape.byte_size()));
  if (!fits) return site.error("value and shape differ");
  return {};
}

bool is_unbounded(const Shape& shape) {
  for (const std::int64_t dim : shape.dims) {
    if (dim < 0) return true;
  }
  return false;
}

}  // namespace

Result<void> check_stated(const InferenceSite& site) {
  const Shape& out = site.op.shape;
  for (std::size_t i = 0; i < site.operand_count(); ++i) {
    if (is_unbounded(site.operand(i))) return {};
  }
  if (is_unbounded(out)) return {};
  switch (site.op.opcode) {
    case Opcode::Broadcast:
    case Opcode::Reshape:
    case Opcode::Convert:
    case Opcode::StochasticConvert:
    case Opcode::BitcastConvert:
      SEAM_NEED(site.needs_arrays());
      if (out.is_tuple) return site.error("cannot be a tuple");
      break;
    default: break;
  }
  switch (site.op.opcode) {
    case Opcode::Broadcast: return broadcast(site);
    case Opcode::Reshape: return same_count(site);
    case Opcode::BitcastConvert: return same_bits(site);
    case Opcode::Constant: return literal_fits(site, site.attributes().literal, out);
    case Opcode::Convert:
    case Opcode::StochasticConvert:
      if (out.dims != site.operand(0).dims) return site.error("changes the dimensions");
      return {};
    case Opcode::Iota:
      if (out.is_tuple) return site.error("cannot be a tuple");
      if (site.attributes().dimensions.size() != 1) return site.error("needs one iota_dimension");
      return site.check_dims(site.attributes().dimensions, out.rank(), "iota_dimension");
    default: return {};
  }
}

}  // namespace seam::graph
