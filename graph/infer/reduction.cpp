#include <fmt/core.h>

#include <algorithm>

#include "infer/rules.h"

namespace seam::graph {
namespace {

/// Element types of a reduction's results: those of the combiner's root.
Result<std::vector<DType>> result_types(const InferenceSite& site, std::size_t count) {
  const Shape& root = site.callee_result(0);
  std::vector<DType> types;
  if (!root.is_tuple) types.push_back(root.dtype);
  for (const Shape& element : root.elements) types.push_back(element.dtype);
  const Computation& callee = site.graph.computations[site.attributes().calls[0]];
  if (types.size() != count || callee.parameters.size() != 2 * count) {
    return site.error(fmt::format("combines {} values with a computation of {} parameters and {} results", count,
                                  callee.parameters.size(), types.size()));
  }
  return types;
}

/// N inputs, then N initial values.
Result<std::size_t> input_count(const InferenceSite& site) {
  if (site.operand_count() < 2 || site.operand_count() % 2 != 0) {
    return site.error(fmt::format("takes inputs and as many initial values; has {} operands", site.operand_count()));
  }
  const std::size_t count = site.operand_count() / 2;
  for (std::size_t i = 0; i < count; ++i) {
    if (site.operand(i).dims != site.operand(0).dims) return site.error("inputs differ in their dimensions");
    if (!site.operand(count + i).dims.empty()) return site.error("an initial value must be a scalar");
  }
  return count;
}

Shape results(const std::vector<DType>& types, const std::vector<std::int64_t>& dims) {
  std::vector<Shape> shapes;
  for (const DType type : types) shapes.push_back(array_shape(type, dims));
  return shapes.size() == 1 ? shapes[0] : tuple_shape(std::move(shapes));
}

Result<Shape> reduce(const InferenceSite& site) {
  SEAM_TRY(const std::size_t count, input_count(site));
  const std::vector<std::int64_t>& reduced = site.attributes().dimensions;
  SEAM_NEED(site.check_dims(reduced, site.operand(0).rank(), "dimensions"));
  SEAM_TRY(const std::vector<DType> types, result_types(site, count));
  std::vector<std::int64_t> kept;
  for (std::int64_t d = 0; d < site.operand(0).rank(); ++d) {
    if (std::ranges::find(reduced, d) == reduced.end()) kept.push_back(site.operand(0).dims[static_cast<std::size_t>(d)]);
  }
  return results(types, kept);
}

Result<Shape> reduce_window(const InferenceSite& site) {
  SEAM_TRY(const std::size_t count, input_count(site));
  SEAM_TRY(const std::vector<DType> types, result_types(site, count));
  const std::vector<WindowDim>& window = site.attributes().window;
  if (std::ssize(window) != site.operand(0).rank()) {
    return site.error(fmt::format("window has {} dimensions, the input {}", window.size(), site.operand(0).rank()));
  }
  std::vector<std::int64_t> dims;
  for (std::size_t i = 0; i < window.size(); ++i) {
    const auto positions = window_positions(site.operand(0).dims[i], window[i]);
    if (!positions) return site.error("the window is too large or malformed");
    dims.push_back(*positions);
  }
  return results(types, dims);
}

Result<Shape> sort(const InferenceSite& site) {
  SEAM_NEED(site.needs_operands(1));
  if (site.attributes().dimensions.size() != 1) return site.error("dimensions must name one dimension");
  SEAM_NEED(site.check_dims(site.attributes().dimensions, site.operand(0).rank(), "dimensions"));
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < site.operand_count(); ++i) {
    if (site.operand(i).dims != site.operand(0).dims) return site.error("operands differ in their dimensions");
    shapes.push_back(array_shape(site.operand(i).dtype, site.operand(i).dims));
  }
  const Computation& callee = site.graph.computations[site.attributes().calls[0]];
  if (callee.parameters.size() != 2 * shapes.size() || site.callee_result(0).dtype != DType::Pred) {
    return site.error("needs a comparison of two values of each operand");
  }
  return shapes.size() == 1 ? shapes[0] : tuple_shape(std::move(shapes));
}

Result<Shape> batch_norm(const InferenceSite& site) {
  const Shape& in = site.operand(0);
  const Shape whole = array_shape(in.dtype, in.dims);
  const Shape scale = array_shape(site.operand(1).dtype, site.operand(1).dims);
  if (site.op.opcode == Opcode::BatchNormInference) return whole;
  return tuple_shape({whole, scale, scale});
}

}  // namespace

Result<std::optional<Shape>> infer_reduction(const InferenceSite& site) {
  const auto some = [](Result<Shape> shape) -> Result<std::optional<Shape>> {
    if (!shape) return tl::unexpected(std::move(shape).error());
    return std::optional<Shape>(*std::move(shape));
  };
  switch (site.op.opcode) {
    case Opcode::Reduce:
    case Opcode::ReduceWindow:
    case Opcode::Sort:
    case Opcode::SelectAndScatter:
    case Opcode::Cholesky:
    case Opcode::TriangularSolve:
    case Opcode::BatchNormGrad:
    case Opcode::BatchNormInference:
    case Opcode::BatchNormTraining: SEAM_NEED(site.needs_arrays()); break;
    default: return std::nullopt;
  }
  switch (site.op.opcode) {
    case Opcode::Reduce: return some(reduce(site));
    case Opcode::ReduceWindow: return some(reduce_window(site));
    case Opcode::Sort: return some(sort(site));
    case Opcode::TriangularSolve: return std::optional<Shape>(array_shape(site.operand(1).dtype, site.operand(1).dims));
    case Opcode::SelectAndScatter:
    case Opcode::Cholesky: return std::optional<Shape>(array_shape(site.operand(0).dtype, site.operand(0).dims));
    default: return some(batch_norm(site));
  }
}

}  // namespace seam::graph
