#include <cstring>

#include "evaluate/kernel.h"
#include "evaluate/scalar.h"
#include "evaluate/scalar_function.h"

namespace seam::graph {
namespace {

/// Scalars stretch: select's predicate, clamp's bounds.
std::size_t step_of(const Value& value, const Value& out) {
  return value.shape.dims.empty() && !out.shape.dims.empty() ? 0 : 1;
}

std::size_t count_of(const Value& value) { return static_cast<std::size_t>(value.shape.elements_count()); }

/// The opcode is constant over the loop, so that the switch inside is taken once per element by a predicted branch.
void real_loop(Opcode opcode, const Value& x, const Value* y, Value& out) {
  const std::size_t count = out.numbers.size();
  const double* const a = x.numbers.data();
  double* const to = out.numbers.data();
  if (y == nullptr) {
    for (std::size_t i = 0; i < count; ++i) to[i] = real_unary(opcode, a[i]);
    return;
  }
  const double* const b = y->numbers.data();
  switch (opcode) {
    case Opcode::Add:
      for (std::size_t i = 0; i < count; ++i) to[i] = a[i] + b[i];
      return;
    case Opcode::Subtract:
      for (std::size_t i = 0; i < count; ++i) to[i] = a[i] - b[i];
      return;
    case Opcode::Multiply:
      for (std::size_t i = 0; i < count; ++i) to[i] = a[i] * b[i];
      return;
    case Opcode::Divide:
      for (std::size_t i = 0; i < count; ++i) to[i] = a[i] / b[i];
      return;
    default:
      for (std::size_t i = 0; i < count; ++i) to[i] = real_binary(opcode, a[i], b[i]);
  }
}

Value by_element(const OpCall& call, DType from) {
  Value out = zeros(call.op.shape);
  const Value none;
  const Value* operands[3] = {&none, &none, &none};
  std::size_t steps[3] = {0, 0, 0};
  for (std::size_t i = 0; i < call.in.size(); ++i) {
    operands[i] = call.in[i];
    steps[i] = step_of(*call.in[i], out);
  }
  const std::size_t count = count_of(out);
  for (std::size_t i = 0; i < count; ++i) {
    set_element(out, i, apply(call.op, from, element_of(*operands[0], i * steps[0]), element_of(*operands[1], i * steps[1]),
                              element_of(*operands[2], i * steps[2])));
  }
  return out;
}

/// Memory seen as another type; a change of width folds or opens the minor dimension.
Result<Value> bitcast_convert(const OpCall& call) {
  Array bytes_of = to_array(call.operand(0));
  const Shape& shape = call.op.shape;
  if (bits(shape.dtype) < 8 || bits(call.operand(0).shape.dtype) < 8) {
    if (bits(shape.dtype) != bits(call.operand(0).shape.dtype)) {
      return call.unsupported("it changes the width of a type of less than 8 bits");
    }
  }
  bytes_of.dtype = shape.dtype;
  bytes_of.dims = shape.dims;
  return to_value(bytes_of, shape);
}

Result<Value> map(const OpCall& call) {
  SEAM_TRY(ScalarFunction function, ScalarFunction::compile(call.graph, call.attributes().calls[0], call.rounding));
  Value out = zeros(call.op.shape);
  std::vector<Scalar> arguments(call.in.size());
  Scalar result;
  const std::size_t count = count_of(out);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t n = 0; n < arguments.size(); ++n) arguments[n] = element_of(call.operand(n), i);
    function.run(arguments, {&result, 1});
    set_element(out, i, result);
  }
  return out;
}

}  // namespace

KernelResult evaluate_elementwise(const OpCall& call) {
  const Opcode opcode = call.op.opcode;
  if (op_class(opcode) != OpClass::Elementwise) return std::nullopt;
  if (opcode == Opcode::StochasticConvert) return call.unsupported("it depends on random bits in an unstated way");
  if (opcode == Opcode::BitcastConvert || opcode == Opcode::Map) {
    SEAM_TRY(Value value, opcode == Opcode::Map ? map(call) : bitcast_convert(call));
    return std::optional<Value>(std::move(value));
  }
  const std::size_t typed = opcode == Opcode::Select || opcode == Opcode::Clamp ? 1 : 0;
  const DType from = call.operand(typed).shape.dtype;
  if (!can_apply(opcode, from)) return call.unsupported("it is not defined for " + std::string(name(from)));
  const bool plain = is_float(from) && is_float(call.op.shape.dtype) && call.in.size() <= 2 &&
                     opcode != Opcode::Convert && opcode != Opcode::ReducePrecision && opcode != Opcode::Real &&
                     opcode != Opcode::Imag;
  Value out;
  if (plain) {
    out = zeros(call.op.shape);
    real_loop(opcode, call.operand(0), call.in.size() == 2 ? &call.operand(1) : nullptr, out);
  } else {
    out = by_element(call, from);
  }
  round_all(out, call.rounding);
  return std::optional<Value>(std::move(out));
}

}  // namespace seam::graph
