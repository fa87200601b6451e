#include <fmt/core.h>

#include "graph/verify.h"
#include "infer/rules.h"

namespace seam::graph {

const Shape& InferenceSite::callee_result(std::size_t i) const {
  const Computation& callee = graph.computations[op.attributes.calls[i]];
  return callee.ops[callee.root].shape;
}

tl::unexpected<Error> InferenceSite::error(std::string message) const {
  return fail(Error::Code::BadInput, fmt::format("{} '{}': {}", op.opcode_text, op.name, message), op.at);
}

tl::unexpected<Error> InferenceSite::stated() const {
  return fail(Error::Code::Unsupported,
              fmt::format("the shape of {} '{}' cannot be inferred and must be stated", op.opcode_text, op.name),
              op.at);
}

Result<void> InferenceSite::needs_operands(std::size_t at_least) const {
  if (operand_count() >= at_least) return {};
  return error(fmt::format("takes at least {} operands, has {}", at_least, operand_count()));
}

Result<void> InferenceSite::needs_arrays(std::size_t from) const {
  for (std::size_t i = from; i < operand_count(); ++i) {
    if (operand(i).is_tuple) return error(fmt::format("operand {} is a tuple", i));
  }
  return {};
}

Result<void> InferenceSite::check_dims(std::span<const std::int64_t> dims, std::int64_t rank,
                                       std::string_view what) const {
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < 0 || dims[i] >= rank) {
      return error(fmt::format("{} names dimension {} of rank {}", what, dims[i], rank));
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (dims[i] == dims[j]) return error(fmt::format("{} names dimension {} twice", what, dims[i]));
    }
  }
  return {};
}

Shape array_shape(DType dtype, std::vector<std::int64_t> dims) {
  Shape shape;
  shape.dtype = dtype;
  shape.dims = std::move(dims);
  return shape;
}

Shape tuple_shape(std::vector<Shape> elements) {
  Shape shape;
  shape.is_tuple = true;
  shape.elements = std::move(elements);
  return shape;
}

std::optional<std::int64_t> window_positions(std::int64_t size, const WindowDim& window) {
  constexpr std::int64_t kLimit = std::int64_t{1} << 40;
  const auto sane = [](std::int64_t value) { return value >= -kLimit && value <= kLimit; };
  if (!sane(size) || !sane(window.size) || !sane(window.stride) || !sane(window.pad_low) ||
      !sane(window.pad_high) || window.stride < 1 || window.lhs_dilate < 1 || window.rhs_dilate < 1 ||
      window.size < 0) {
    return std::nullopt;
  }
  std::int64_t base = 0, reach = 0;
  if (size > 0 && __builtin_mul_overflow(size - 1, window.lhs_dilate, &base)) return std::nullopt;
  if (size > 0) ++base;
  if (window.size > 0 && __builtin_mul_overflow(window.size - 1, window.rhs_dilate, &reach)) return std::nullopt;
  ++reach;
  if (!sane(base) || !sane(reach)) return std::nullopt;
  const std::int64_t padded = base + window.pad_low + window.pad_high;
  if (window.size == 0 || padded < reach) return 0;
  return (padded - reach) / window.stride + 1;
}

Result<Shape> infer_shape(const Graph& graph, const Computation& computation, const Op& op) {
  const InferenceSite site{graph, computation, op};
  const auto unbounded = [](const Shape& shape) {
    for (const std::int64_t dim : shape.dims) {
      if (dim < 0) return true;
    }
    return false;
  };
  for (std::size_t i = 0; i < site.operand_count(); ++i) {
    if (unbounded(site.operand(i))) return site.stated();
  }
  for (const auto rule : {infer_elementwise, infer_layout, infer_gather, infer_contraction, infer_reduction,
                          infer_control}) {
    SEAM_TRY(std::optional<Shape> shape, rule(site));
    if (shape) return *std::move(shape);
  }
  return site.stated();
}

}  // namespace seam::graph
