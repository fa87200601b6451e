#include <fmt/core.h>

#include "infer/rules.h"

namespace seam::graph {
namespace {

Shape token_shape() { return array_shape(DType::Token, {}); }

/// Operands must be what the callee's parameters are.
Result<void> fits_callee(const InferenceSite& site, std::size_t call, std::span<const Id<Op>> operands) {
  const Computation& callee = site.graph.computations[site.attributes().calls[call]];
  if (callee.parameters.size() != operands.size()) {
    return site.error(fmt::format("passes {} values to '{}', which takes {}", operands.size(), callee.name,
                                  callee.parameters.size()));
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Shape& given = site.computation.ops[operands[i]].shape;
    const Shape& taken = callee.ops[callee.parameters[i]].shape;
    if (!same_type(given, taken)) {
      return site.error(fmt::format("passes {} as parameter {} of '{}', which is {}", print(given), i, callee.name,
                                    print(taken)));
    }
  }
  return {};
}

Result<Shape> while_loop(const InferenceSite& site) {
  const Shape& state = site.operand(0);
  SEAM_NEED(fits_callee(site, 0, site.op.operands));
  SEAM_NEED(fits_callee(site, 1, site.op.operands));
  const Shape& verdict = site.callee_result(0);
  if (verdict.is_tuple || verdict.dtype != DType::Pred || !verdict.dims.empty()) {
    return site.error(fmt::format("its condition returns {} and not pred[]", print(verdict)));
  }
  if (!same_type(site.callee_result(1), state)) {
    return site.error(fmt::format("its body returns {}, its state is {}", print(site.callee_result(1)), print(state)));
  }
  return state;
}

Result<Shape> conditional(const InferenceSite& site) {
  const std::size_t branches = site.attributes().calls.size();
  if (branches == 0 || site.operand_count() != branches + 1) {
    return site.error(fmt::format("has {} branches and {} operands", branches, site.operand_count()));
  }
  const Shape& selector = site.operand(0);
  const bool by_truth = selector.dtype == DType::Pred && branches == 2;
  if (!selector.dims.empty() || (!by_truth && selector.dtype != DType::S32)) {
    return site.error(fmt::format("cannot choose among {} branches by {}", branches, print(selector)));
  }
  for (std::size_t i = 0; i < branches; ++i) {
    SEAM_NEED(fits_callee(site, i, std::span(site.op.operands).subspan(i + 1, 1)));
    if (!same_type(site.callee_result(i), site.callee_result(0))) return site.error("its branches differ in type");
  }
  return site.callee_result(0);
}

Result<Shape> element(const InferenceSite& site) {
  const Shape& tuple = site.operand(0);
  const std::int64_t index = site.attributes().index;
  if (!tuple.is_tuple || index < 0 || index >= std::ssize(tuple.elements)) {
    return site.error(fmt::format("takes element {} of {}", index, print(tuple)));
  }
  return tuple.elements[static_cast<std::size_t>(index)];
}

Shape operands_as_tuple(const InferenceSite& site) {
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < site.operand_count(); ++i) shapes.push_back(site.operand(i));
  return tuple_shape(std::move(shapes));
}

}  // namespace

Result<std::optional<Shape>> infer_control(const InferenceSite& site) {
  const auto some = [](Result<Shape> shape) -> Result<std::optional<Shape>> {
    if (!shape) return tl::unexpected(std::move(shape).error());
    return std::optional<Shape>(*std::move(shape));
  };
  switch (site.op.opcode) {
    case Opcode::Tuple: return std::optional<Shape>(operands_as_tuple(site));
    case Opcode::GetTupleElement: return some(element(site));
    case Opcode::While: return some(while_loop(site));
    case Opcode::Conditional: return some(conditional(site));
    case Opcode::Call:
    case Opcode::Fusion:
      SEAM_NEED(fits_callee(site, 0, site.op.operands));
      return std::optional<Shape>(site.callee_result(0));
    case Opcode::OptBarrier:
    case Opcode::Domain:
    case Opcode::AddDependency: return std::optional<Shape>(site.operand(0));
    case Opcode::AllReduce: {
      SEAM_NEED(site.needs_operands(1));
      if (site.operand_count() > 1) return std::optional<Shape>(operands_as_tuple(site));
      return std::optional<Shape>(site.operand(0));
    }
    case Opcode::AfterAll: return std::optional<Shape>(token_shape());
    case Opcode::PartitionId:
    case Opcode::ReplicaId: return std::optional<Shape>(array_shape(DType::U32, {}));
    default: return std::nullopt;
  }
}

}  // namespace seam::graph
