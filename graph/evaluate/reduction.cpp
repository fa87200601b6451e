#include <algorithm>

#include "evaluate/kernel.h"
#include "evaluate/scalar_function.h"

namespace seam::graph {
namespace {

/// Strides in the result for each dimension of the input: 0 where it is reduced.
Dims result_strides(const Dims& in_dims, const Dims& reduced, const Dims& out_dims) {
  const Dims own = row_major_strides(out_dims);
  Dims strides(in_dims.size(), 0);
  std::size_t next = 0;
  for (std::size_t d = 0; d < in_dims.size(); ++d) {
    if (std::ranges::find(reduced, static_cast<std::int64_t>(d)) == reduced.end()) strides[d] = own[next++];
  }
  return strides;
}

/// Sum, maximum, … of one input. Floats accumulate in double and are rounded once.
Value plain(const OpCall& call, Opcode combine) {
  const Value& in = call.operand(0);
  const Value& init = call.operand(1);
  Value out = zeros(call.op.shape);
  each_buffer(out, init, [](auto& to, const auto& from) { std::fill(to.begin(), to.end(), from[0]); });
  const Dims& dims = in.shape.dims;
  const Dims own = row_major_strides(dims);
  const Dims to_strides = result_strides(dims, call.attributes().dimensions, out.shape.dims);
  const auto walk = [&](auto& to, const auto& from, auto&& merge) {
    walk_pair(dims, own, 0, to_strides, 0, [&](std::int64_t a, std::int64_t b) {
      auto& sum = to[static_cast<std::size_t>(b)];
      sum = merge(sum, from[static_cast<std::size_t>(a)]);
    });
  };
  if (in.shape.dtype == DType::Pred) {
    walk(out.numbers, in.numbers, [&](double x, double y) {
      if (combine == Opcode::Xor) return (x != 0) != (y != 0) ? 1.0 : 0.0;
      const bool any = combine == Opcode::Or || combine == Opcode::Maximum || combine == Opcode::Add;
      return (any ? x != 0 || y != 0 : x != 0 && y != 0) ? 1.0 : 0.0;
    });
  } else if (storage_of(in.shape.dtype) == Storage::Integer) {
    walk(out.integers, in.integers,
         [&](std::int64_t x, std::int64_t y) { return integer_binary(combine, in.shape.dtype, x, y); });
  } else if (combine == Opcode::Add) {
    walk(out.numbers, in.numbers, [](double x, double y) { return x + y; });
  } else {
    walk(out.numbers, in.numbers, [&](double x, double y) { return real_binary(combine, x, y); });
  }
  round_all(out, call.rounding);
  return out;
}

bool is_plain(const ScalarFunction& function, const OpCall& call, std::size_t count) {
  if (count != 1 || !function.plain_binary() || is_complex(call.operand(0).shape.dtype)) return false;
  if (call.operand(0).shape.dtype != call.op.shape.dtype) return false;
  switch (*function.plain_binary()) {
    case Opcode::Add:
    case Opcode::Multiply:
    case Opcode::Maximum:
    case Opcode::Minimum:
    case Opcode::And:
    case Opcode::Or:
    case Opcode::Xor: return true;
    default: return false;
  }
}

Result<Value> reduce(const OpCall& call) {
  const std::size_t count = call.in.size() / 2;
  SEAM_TRY(ScalarFunction function, ScalarFunction::compile(call.graph, call.attributes().calls[0], call.rounding));
  if (is_plain(function, call, count)) return plain(call, *function.plain_binary());

  std::vector<Value> outs;
  for (std::size_t n = 0; n < count; ++n) {
    outs.push_back(zeros(call.op.shape.is_tuple ? call.op.shape.elements[n] : call.op.shape));
    const Scalar init = element_of(call.operand(count + n), 0);
    const auto elements = static_cast<std::size_t>(outs[n].shape.elements_count());
    for (std::size_t i = 0; i < elements; ++i) set_element(outs[n], i, init);
  }
  const Dims& dims = call.operand(0).shape.dims;
  const Dims strides = result_strides(dims, call.attributes().dimensions, outs[0].shape.dims);
  std::vector<Scalar> arguments(2 * count), results(count);
  walk_pair(dims, row_major_strides(dims), 0, strides, 0, [&](std::int64_t from, std::int64_t to) {
    for (std::size_t n = 0; n < count; ++n) {
      arguments[n] = element_of(outs[n], static_cast<std::size_t>(to));
      arguments[count + n] = element_of(call.operand(n), static_cast<std::size_t>(from));
    }
    function.run(arguments, results);
    for (std::size_t n = 0; n < count; ++n) set_element(outs[n], static_cast<std::size_t>(to), results[n]);
  });
  if (!call.op.shape.is_tuple) return std::move(outs[0]);
  Value tuple;
  tuple.shape = call.op.shape;
  tuple.elements = std::move(outs);
  return tuple;
}

}  // namespace

KernelResult evaluate_reduction(const OpCall& call) {
  if (call.op.opcode != Opcode::Reduce) return std::nullopt;
  SEAM_TRY(Value value, reduce(call));
  return std::optional<Value>(std::move(value));
}

}  // namespace seam::graph
