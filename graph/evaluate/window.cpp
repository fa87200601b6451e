#include <algorithm>

#include "evaluate/kernel.h"
#include "evaluate/scalar_function.h"

namespace seam::graph {
namespace {

/// Where the window at output index `at` and window index `in` reads; nullopt in padding and between dilated elements.
std::optional<std::int64_t> window_source(const std::vector<WindowDim>& window, const Dims& dims, const Dims& strides,
                                          const Dims& at, const Dims& in) {
  std::int64_t position = 0;
  for (std::size_t d = 0; d < window.size(); ++d) {
    const WindowDim& w = window[d];
    const std::int64_t spread = at[d] * w.stride + in[d] * w.rhs_dilate - w.pad_low;
    if (spread < 0 || spread % w.lhs_dilate != 0 || spread / w.lhs_dilate >= dims[d]) return std::nullopt;
    position += spread / w.lhs_dilate * strides[d];
  }
  return position;
}

Dims window_dims(const std::vector<WindowDim>& window) {
  Dims dims;
  for (const WindowDim& w : window) dims.push_back(w.size);
  return dims;
}

Result<Value> reduce_window(const OpCall& call) {
  const std::size_t count = call.in.size() / 2;
  SEAM_TRY(ScalarFunction function, ScalarFunction::compile(call.graph, call.attributes().calls[0], call.rounding));
  std::vector<Value> outs;
  for (std::size_t n = 0; n < count; ++n) outs.push_back(zeros(call.op.shape.is_tuple ? call.op.shape.elements[n] : call.op.shape));
  const std::vector<WindowDim>& window = call.attributes().window;
  const Dims& dims = call.operand(0).shape.dims;
  const Dims strides = row_major_strides(dims), sizes = window_dims(window), none(window.size(), 0);
  std::vector<Scalar> arguments(2 * count), results(count);
  const Dims out_strides = row_major_strides(outs[0].shape.dims);
  for (Walk out(outs[0].shape.dims, out_strides); !out.done(); out.next()) {
    for (std::size_t n = 0; n < count; ++n) results[n] = element_of(call.operand(count + n), 0);
    for (Walk in(sizes, none); !in.done(); in.next()) {
      const auto source = window_source(window, dims, strides, out.index(), in.index());
      if (!source) continue;
      for (std::size_t n = 0; n < count; ++n) {
        arguments[n] = results[n];
        arguments[count + n] = element_of(call.operand(n), static_cast<std::size_t>(*source));
      }
      function.run(arguments, results);
    }
    for (std::size_t n = 0; n < count; ++n) set_element(outs[n], static_cast<std::size_t>(out.position()), results[n]);
  }
  if (!call.op.shape.is_tuple) return std::move(outs[0]);
  Value tuple;
  tuple.shape = call.op.shape;
  tuple.elements = std::move(outs);
  return tuple;
}

/// The gradient of pooling: each source element is added where its window's selected element stands.
Result<Value> select_and_scatter(const OpCall& call) {
  const Value& in = call.operand(0);
  const Value& source = call.operand(1);
  SEAM_TRY(ScalarFunction select, ScalarFunction::compile(call.graph, call.attributes().calls[0], call.rounding));
  SEAM_TRY(ScalarFunction scatter, ScalarFunction::compile(call.graph, call.attributes().calls[1], call.rounding));
  const std::vector<WindowDim>& window = call.attributes().window;
  if (std::ssize(window) != in.shape.rank() || source.shape.rank() != in.shape.rank()) {
    return call.error("window, operand and source differ in rank");
  }
  Value out = zeros(call.op.shape);
  const Scalar init = element_of(call.operand(2), 0);
  const auto elements = static_cast<std::size_t>(out.shape.elements_count());
  for (std::size_t i = 0; i < elements; ++i) set_element(out, i, init);
  const Dims strides = row_major_strides(in.shape.dims), sizes = window_dims(window), none(window.size(), 0);
  const Dims source_strides = row_major_strides(source.shape.dims);
  for (Walk at(source.shape.dims, source_strides); !at.done(); at.next()) {
    std::optional<std::size_t> chosen;
    for (Walk inside(sizes, none); !inside.done(); inside.next()) {
      const auto position = window_source(window, in.shape.dims, strides, at.index(), inside.index());
      if (!position) continue;
      const auto candidate = static_cast<std::size_t>(*position);
      if (!chosen) {
        chosen = candidate;
        continue;
      }
      const Scalar pair[2] = {element_of(in, *chosen), element_of(in, candidate)};
      Scalar keeps;
      select.run(pair, {&keeps, 1});
      if (keeps.number == 0) chosen = candidate;
    }
    if (!chosen) continue;
    const Scalar pair[2] = {element_of(out, *chosen), element_of(source, static_cast<std::size_t>(at.position()))};
    Scalar sum;
    scatter.run(pair, {&sum, 1});
    set_element(out, *chosen, sum);
  }
  return out;
}

}  // namespace

KernelResult evaluate_window(const OpCall& call) {
  if (call.op.opcode != Opcode::ReduceWindow && call.op.opcode != Opcode::SelectAndScatter) return std::nullopt;
  SEAM_TRY(Value value, call.op.opcode == Opcode::ReduceWindow ? reduce_window(call) : select_and_scatter(call));
  return std::optional<Value>(std::move(value));
}

}  // namespace seam::graph
