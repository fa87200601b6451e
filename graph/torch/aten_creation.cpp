/// Tensors made from nothing but sizes and numbers.
#include <cmath>

#include "torch/call.h"

namespace seam::graph::torch {
namespace {

/// new_zeros(self, size), zeros(size), zeros_like(self): the value.
Value filled(Call& call, double value, std::size_t size_position, bool like) {
  Builder& b = call.b;
  if (like) {
    const Tensor a = call.tensor(0, "self");
    const DType type = call.dtype(SIZE_MAX, "dtype", b.dtype(a));
    return b.filled(type, b.dims(a), value);
  }
  DType type = DType::F32;
  if (size_position == 1) type = b.dtype(call.tensor(0, "self"));
  return b.filled(call.dtype(SIZE_MAX, "dtype", type), call.ints(size_position, "size"), value);
}

Value zeros(Call& call) { return filled(call, 0, 0, false); }
Value ones(Call& call) { return filled(call, 1, 0, false); }
Value new_zeros(Call& call) { return filled(call, 0, 1, false); }
Value new_ones(Call& call) { return filled(call, 1, 1, false); }
Value zeros_like(Call& call) { return filled(call, 0, 0, true); }
Value ones_like(Call& call) { return filled(call, 1, 0, true); }

/// A number in memory of its own, not one element seen everywhere.
Tensor spread(Call& call, const Tensor& number, const Dims& dims) {
  const Tensor out = call.b.expanded(number, dims);
  return call.b.ordered(out.value, out.order);
}

DType of_number(const Value& value) { return value.kind == Value::Kind::Bool ? DType::Pred : value.kind == Value::Kind::Int ? DType::S64 : DType::F32; }

/// Sized as written, of the number's own type unless stated.
Value full(Call& call) {
  const Value& value = call.value(1, "fill_value");
  const DType type = call.dtype(SIZE_MAX, "dtype", value.is_tensor() ? call.b.dtype(value.tensor) : call.type ? call.type->dtype : of_number(value));
  return spread(call, call.as(value, type), call.ints(0, "size"));
}
Value full_like(Call& call) {
  const Tensor a = call.tensor(0, "self");
  const DType type = call.dtype(SIZE_MAX, "dtype", call.b.dtype(a));
  return spread(call, call.as(call.value(1, "fill_value"), type), call.b.dims(a));
}
Value new_full(Call& call) {
  const DType type = call.dtype(SIZE_MAX, "dtype", call.b.dtype(call.tensor(0, "self")));
  return spread(call, call.as(call.value(2, "fill_value"), type), call.ints(1, "size"));
}
/// fill_(self, value), fill, zero_
Value fill(Call& call) {
  const Tensor a = call.tensor(0, "self");
  if (call.name == "zero") return call.b.filled(call.b.dtype(a), call.b.dims(a), 0);
  return spread(call, call.as(call.value(1, "value"), call.b.dtype(a)), call.b.dims(a));
}
Value scalar_tensor(Call& call) {
  const Value& value = call.value(0, "s");
  return call.as(value, call.dtype(SIZE_MAX, "dtype", call.type ? call.type->dtype : of_number(value)));
}

/// arange(end), arange(start, end, step); prims.iota(length, start=, step=).
Value arange(Call& call) {
  Builder& b = call.b;
  Value start = Value::of(0), step = Value::of(1), end = call.value(0, "end");
  if (call.name == "iota") {
    start = call.value(SIZE_MAX, "start");
    step = call.value(SIZE_MAX, "step");
  } else if (call.arguments.size() > 1 && call.arguments[1].is_number()) {
    start = call.arguments[0];
    end = call.arguments[1];
    if (call.arguments.size() > 2) step = call.arguments[2];
  }
  if (call.has(SIZE_MAX, "step")) step = call.value(SIZE_MAX, "step");
  if (!start.is_number() || !step.is_number() || !end.is_number() || step.as_number() == 0) b.refuse("bounds that are no numbers");
  if (b.refused()) return {};
  const bool whole = start.kind != Value::Kind::Float && end.kind != Value::Kind::Float && step.kind != Value::Kind::Float;
  const double count = call.name == "iota" ? end.as_number() : std::ceil((end.as_number() - start.as_number()) / step.as_number());
  if (count > 1e12) b.refuse("too many elements");
  if (b.refused()) return {};
  const DType type = call.dtype(SIZE_MAX, "dtype", whole ? DType::S64 : DType::F32);
  Tensor out = b.iota(type, {static_cast<std::int64_t>(std::max(count, 0.0))}, 0);
  if (step.as_number() != 1) out = b.binary(Opcode::Multiply, out, call.as(step, type));
  if (start.as_number() != 0) out = b.binary(Opcode::Add, out, call.as(start, type));
  return out;
}

Value eye(Call& call) {
  const std::int64_t rows = call.integer(0, "n", 0);
  const std::int64_t columns = call.value(1, "m").kind == Value::Kind::Int ? call.value(1, "m").integer : rows;
  const Tensor same = call.b.compare(Direction::EQ, call.b.iota(DType::S32, {rows, columns}, 0), call.b.iota(DType::S32, {rows, columns}, 1));
  return call.b.converted(same, call.dtype(SIZE_MAX, "dtype", DType::F32));
}

Value triangle(Call& call) {
  const Tensor a = call.tensor(0, "self");
  Builder& b = call.b;
  const Dims dims = b.dims(a);
  if (dims.size() < 2) b.refuse("no matrix");
  if (b.refused()) return a;
  const Dims matrix(dims.end() - 2, dims.end());
  const Tensor distance = b.binary(Opcode::Subtract, b.iota(DType::S64, matrix, 1), b.iota(DType::S64, matrix, 0));
  const Tensor limit = b.integer(DType::S64, call.integer(1, "diagonal", 0));
  const Tensor kept = b.compare(call.name == "tril" ? Direction::LE : Direction::GE, distance, limit);
  return b.select(kept, a, b.constant(b.dtype(a), 0));
}

Value linspace(Call& call) {
  Builder& b = call.b;
  const double start = call.number(0, "start", 0), end = call.number(1, "end", 0);
  const std::int64_t steps = call.integer(2, "steps", 1);
  if (steps < 1) b.refuse("no steps");
  if (b.refused()) return {};
  const DType type = call.dtype(SIZE_MAX, "dtype", DType::F32);
  const Tensor index = b.iota(Call::computing(type), {steps}, 0);
  return b.converted(shifted(b, scaled(b, index, steps > 1 ? (end - start) / static_cast<double>(steps - 1) : 0), start), type);
}

constexpr Operator kOperators[] = {
    {"zeros", zeros}, {"ones", ones}, {"empty", zeros}, {"new_zeros", new_zeros}, {"new_ones", new_ones}, {"new_empty", new_zeros}, {"new_empty_strided", new_zeros},
    {"empty_strided", zeros}, {"zeros_like", zeros_like}, {"ones_like", ones_like}, {"empty_like", zeros_like}, {"full", full}, {"full_like", full_like}, {"new_full", new_full},
    {"fill", fill}, {"zero", fill}, {"scalar_tensor", scalar_tensor}, {"tensor", scalar_tensor}, {"arange", arange}, {"iota", arange}, {"eye", eye}, {"tril", triangle}, {"triu", triangle}, {"linspace", linspace},
};

}  // namespace

std::span<const Operator> creation_operators() { return kOperators; }

}  // namespace seam::graph::torch
