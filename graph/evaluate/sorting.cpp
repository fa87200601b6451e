#include <algorithm>
#include <numeric>

#include "evaluate/kernel.h"
#include "evaluate/scalar_function.h"

namespace seam::graph {
namespace {

/// Lines of an array along one dimension: where each begins, and the stride inside it.
struct Lines {
  std::vector<std::int64_t> starts;
  std::int64_t length = 0, stride = 0;
};

Lines lines_along(const Dims& dims, std::size_t along) {
  Dims others = dims;
  others[along] = dims[along] == 0 ? 0 : 1;
  const Dims strides = row_major_strides(dims);
  Lines lines{{}, dims[along], strides[along]};
  for (Walk walk(others, strides); !walk.done(); walk.next()) lines.starts.push_back(walk.position());
  return lines;
}

Result<Value> sort(const OpCall& call) {
  SEAM_TRY(ScalarFunction before, ScalarFunction::compile(call.graph, call.attributes().calls[0], call.rounding));
  const std::size_t count = call.in.size();
  const auto along = static_cast<std::size_t>(call.attributes().dimensions[0]);
  std::vector<Value> outs;
  for (std::size_t n = 0; n < count; ++n) {
    outs.push_back(call.operand(n));
    outs[n].shape = call.op.shape.is_tuple ? call.op.shape.elements[n] : call.op.shape;
  }
  const Lines lines = lines_along(call.operand(0).shape.dims, along);
  std::vector<std::size_t> order(static_cast<std::size_t>(lines.length));
  std::vector<Scalar> arguments(2 * count);
  for (const std::int64_t start : lines.starts) {
    const auto at = [&](std::size_t i) { return static_cast<std::size_t>(start + static_cast<std::int64_t>(i) * lines.stride); };
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      for (std::size_t n = 0; n < count; ++n) {
        arguments[2 * n] = element_of(call.operand(n), at(a));
        arguments[2 * n + 1] = element_of(call.operand(n), at(b));
      }
      Scalar less;
      before.run(arguments, {&less, 1});
      return less.number != 0;
    });
    for (std::size_t n = 0; n < count; ++n) {
      for (std::size_t i = 0; i < order.size(); ++i) set_element(outs[n], at(i), element_of(call.operand(n), at(order[i])));
    }
  }
  if (!call.op.shape.is_tuple) return std::move(outs[0]);
  Value tuple;
  tuple.shape = call.op.shape;
  tuple.elements = std::move(outs);
  return tuple;
}

/// The k largest (or smallest) of each line along the last dimension, and where they stood; equal ones in their order.
Result<Value> top_k(const OpCall& call) {
  const Value& in = call.operand(0);
  const Shape& shape = call.op.shape;
  const bool fits = shape.is_tuple && shape.elements.size() == 2 && in.shape.rank() >= 1 &&
                    shape.elements[0].rank() == in.shape.rank() && shape.elements[0].dtype == in.shape.dtype &&
                    shape.elements[0].dims.back() <= in.shape.dims.back() && is_integer(shape.elements[1].dtype) &&
                    shape.elements[1].dims == shape.elements[0].dims && !is_complex(in.shape.dtype);
  if (!fits) return call.unsupported("its result is not (values, indices) of its operand");
  bool largest = true;
  for (const auto& [key, value] : call.attributes().others) largest = largest && !(key == "largest" && value == "false");
  Value tuple;
  tuple.shape = shape;
  tuple.elements = {zeros(shape.elements[0]), zeros(shape.elements[1])};
  const Lines lines = lines_along(in.shape.dims, in.shape.dims.size() - 1);
  const auto k = static_cast<std::size_t>(shape.elements[0].dims.back());
  std::vector<std::size_t> order(static_cast<std::size_t>(lines.length));
  std::size_t to = 0;
  for (const std::int64_t start : lines.starts) {
    const auto value = [&](std::size_t i) { return element_of(in, static_cast<std::size_t>(start) + i); };
    const auto less = [&](const Scalar& a, const Scalar& b) {
      return is_integer(in.shape.dtype) ? compare_integer(Direction::LT, in.shape.dtype, a.integer, b.integer)
                                        : compare_total(Direction::LT, a.number, b.number);
    };
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return largest ? less(value(b), value(a)) : less(value(a), value(b));
    });
    for (std::size_t i = 0; i < k; ++i, ++to) {
      set_element(tuple.elements[0], to, value(order[i]));
      tuple.elements[1].integers[to] = static_cast<std::int64_t>(order[i]);
    }
  }
  return tuple;
}

}  // namespace

KernelResult evaluate_sort(const OpCall& call) {
  const bool is_top_k = call.op.opcode == Opcode::TopK ||
                        (call.op.opcode == Opcode::CustomCall && call.attributes().custom_call_target == "TopK");
  if (call.op.opcode != Opcode::Sort && !is_top_k) return std::nullopt;
  SEAM_TRY(Value value, is_top_k ? top_k(call) : sort(call));
  return std::optional<Value>(std::move(value));
}

}  // namespace seam::graph
