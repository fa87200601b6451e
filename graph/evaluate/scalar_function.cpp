#include "evaluate/scalar_function.h"

#include <fmt/core.h>

#include "evaluate/kernel.h"

namespace seam::graph {

Scalar element_of(const Value& value, std::size_t i) {
  Scalar x;
  if (!value.numbers.empty()) x.number = value.numbers[i];
  if (!value.integers.empty()) x.integer = value.integers[i];
  if (!value.imaginary.empty()) x.imaginary = value.imaginary[i];
  return x;
}

void set_element(Value& value, std::size_t i, const Scalar& x) {
  if (!value.numbers.empty()) value.numbers[i] = x.number;
  if (!value.integers.empty()) value.integers[i] = x.integer;
  if (!value.imaginary.empty()) value.imaginary[i] = x.imaginary;
}

Result<std::vector<std::size_t>> ScalarFunction::add(const Graph& graph, const Computation& computation,
                                                     const std::vector<std::vector<std::size_t>>& arguments, int depth) {
  const auto unsupported = [&](const Op& op, std::string_view why) {
    return fail(Error::Code::Unsupported,
                fmt::format("cannot evaluate {} '{}' element by element: {}", op.opcode_text, op.name, why), op.at);
  };
  IdVector<Op, std::vector<std::size_t>> where(computation.ops.size());
  for (std::size_t i = 0; i < computation.ops.size(); ++i) {
    const Op& op = computation.ops[Id<Op>(i)];
    std::vector<std::size_t>& here = where[Id<Op>(i)];
    const auto operand = [&](std::size_t n) -> const std::vector<std::size_t>& { return where[op.operands[n]]; };
    if (!op.shape.is_tuple && op.shape.elements_count() != 1) return unsupported(op, "it is not a scalar");
    switch (op.opcode) {
      case Opcode::Parameter: here = arguments[static_cast<std::size_t>(op.attributes.index)]; continue;
      case Opcode::Tuple:
        for (std::size_t n = 0; n < op.operands.size(); ++n) here.push_back(operand(n).at(0));
        continue;
      case Opcode::GetTupleElement: here = {operand(0).at(static_cast<std::size_t>(op.attributes.index))}; continue;
      case Opcode::Reshape:
      case Opcode::Broadcast:
      case Opcode::Bitcast: here = operand(0); continue;
      case Opcode::Constant: {
        if (!op.attributes.literal.known) return unsupported(op, "its value is elided");
        SEAM_TRY(const Value value, to_value(op.attributes.literal.value, op.shape));
        here = {slots_.size()};
        slots_.push_back(element_of(value, 0));
        continue;
      }
      case Opcode::Call:
      case Opcode::Fusion: {
        if (depth > 50) return unsupported(op, "it calls too deeply");
        std::vector<std::vector<std::size_t>> inner;
        for (std::size_t n = 0; n < op.operands.size(); ++n) inner.push_back(operand(n));
        SEAM_TRY(here, add(graph, graph.computations[op.attributes.calls[0]], inner, depth + 1));
        continue;
      }
      default: break;
    }
    const std::size_t typed = op.opcode == Opcode::Select || op.opcode == Opcode::Clamp ? 1 : 0;
    if (op.operands.empty() || op.operands.size() > 3) return unsupported(op, "it is not element-wise");
    Step step;
    step.op = &op;
    step.from = computation.ops[op.operands[typed]].shape.dtype;
    if (!can_apply(op.opcode, step.from)) return unsupported(op, fmt::format("not defined for {}", name(step.from)));
    for (std::size_t n = 0; n < op.operands.size(); ++n) step.operands[n] = operand(n).at(0);
    step.to = slots_.size();
    slots_.emplace_back();
    here = {step.to};
    steps_.push_back(step);
  }
  return where[computation.root];
}

Result<ScalarFunction> ScalarFunction::compile(const Graph& graph, Id<Computation> id, Rounding rounding) {
  const Computation& computation = graph.computations[id];
  ScalarFunction function;
  function.rounding_ = rounding;
  function.parameters_ = computation.parameters.size();
  function.slots_.resize(function.parameters_);
  std::vector<std::vector<std::size_t>> arguments;
  for (std::size_t i = 0; i < function.parameters_; ++i) {
    const Op& parameter = computation.ops[computation.parameters[i]];
    if (parameter.shape.is_tuple) {
      return fail(Error::Code::Unsupported, fmt::format("parameter '{}' is a tuple", parameter.name), parameter.at);
    }
    arguments.push_back({i});
  }
  SEAM_TRY(function.results_, function.add(graph, computation, arguments, 0));
  if (function.parameters_ == 2 && function.results_.size() == 1) {
    function.returns_second_ = function.steps_.empty() && function.results_[0] == 1;
    if (function.steps_.size() == 1 && function.results_[0] == function.steps_[0].to) {
      const Step& step = function.steps_[0];
      const bool both = step.operands[0] + step.operands[1] == 1;  // (0, 1) or (1, 0)
      if (both && arity(step.op->opcode) == 2 && step.op->opcode != Opcode::Compare) {
        function.plain_binary_ = step.op->opcode;
      }
    }
  }
  return function;
}

void ScalarFunction::run(std::span<const Scalar> arguments, std::span<Scalar> results) {
  for (std::size_t i = 0; i < parameters_; ++i) slots_[i] = arguments[i];
  for (const Step& step : steps_) {
    Scalar value = apply(*step.op, step.from, slots_[step.operands[0]], slots_[step.operands[1]], slots_[step.operands[2]]);
    slots_[step.to] = rounding_ == Rounding::Rounded ? rounded(step.op->shape.dtype, value) : value;
  }
  for (std::size_t i = 0; i < results_.size(); ++i) results[i] = slots_[results_[i]];
}

}  // namespace seam::graph
