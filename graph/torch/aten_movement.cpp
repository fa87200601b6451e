/// Operators that join, pad, repeat and turn tensors.
#include <fmt/core.h>

#include <algorithm>

#include "torch/call.h"

namespace seam::graph::torch {
namespace {

DType common_type(Call& call, const std::vector<Tensor>& parts) {
  std::vector<Value> values(parts.begin(), parts.end());
  std::vector<const Value*> pointers;
  for (const Value& value : values) pointers.push_back(&value);
  return call.promoted(pointers);
}

Value cat(Call& call) {
  std::vector<Tensor> parts = call.tensors(0, "tensors");
  // An empty one-dimensional tensor joins anything (an old habit that PyTorch keeps).
  std::erase_if(parts, [&](const Tensor& part) { return call.b.dims(part) == Dims{0}; });
  if (parts.empty()) call.b.refuse("a concatenation of nothing");
  if (call.b.refused()) return {};
  const DType type = common_type(call, parts);
  for (Tensor& part : parts) part = call.b.converted(part, type);
  return call.b.concatenated(parts, call.integer(1, "dim", 0));
}

Value stack(Call& call) {
  std::vector<Tensor> parts = call.tensors(0, "tensors");
  if (parts.empty()) call.b.refuse("a stack of nothing");
  if (call.b.refused()) return {};
  const std::int64_t dim = call.b.wrapped(call.integer(1, "dim", 0), call.b.rank(parts.front()) + 1);
  const DType type = common_type(call, parts);
  for (Tensor& part : parts) part = call.b.unsqueezed(call.b.converted(part, type), dim);
  return call.b.concatenated(parts, dim);
}

Value repeat(Call& call) {
  Tensor a = call.tensor(0, "self");
  Builder& b = call.b;
  const Dims times = call.ints(1, "repeats");
  while (b.rank(a) < static_cast<std::int64_t>(times.size())) a = b.unsqueezed(a, 0);
  if (static_cast<std::size_t>(b.rank(a)) != times.size()) b.refuse("fewer repeats than dimensions");
  if (b.refused()) return a;
  // [n] becomes [times, n], then [times * n].
  const Dims own = b.dims(a);
  Dims apart, wide, joined;
  for (std::size_t k = 0; k < own.size(); ++k) {
    apart.insert(apart.end(), {1, own[k]});
    wide.insert(wide.end(), {times[k], own[k]});
    joined.push_back(times[k] * own[k]);
  }
  if (joined == own) return a;
  return b.reshaped(b.expanded(b.reshaped(a, apart), wide), joined);
}

Value flip(Call& call) {
  const Tensor a = call.tensor(0, "self");
  return call.b.reversed(a, call.ints(1, "dims"));
}

Value roll(Call& call) {
  Tensor a = call.tensor(0, "self");
  Builder& b = call.b;
  const Dims shifts = call.ints(1, "shifts"), dims = call.ints(2, "dims");
  if (shifts.size() != dims.size()) b.refuse("a roll of the flattened tensor");
  if (b.refused()) return a;
  for (std::size_t k = 0; k < dims.size(); ++k) {
    const std::int64_t dim = b.wrapped(dims[k], b.rank(a));
    if (b.refused() || b.rank(a) == 0 || b.extent(a, dim) == 0) return a;
    const std::int64_t extent = b.extent(a, dim), cut = ((-shifts[k] % extent) + extent) % extent;
    if (cut != 0) a = b.concatenated({b.sliced(a, dim, cut, extent), b.sliced(a, dim, 0, cut)}, dim);
  }
  return a;
}

/// constant_pad_nd(self, [low_last, high_last, low_before, …], value)
Value pad(Call& call) {
  const Tensor a = call.tensor(0, "self");
  const Dims amounts = call.ints(1, "pad");
  if (!call.text(2, "mode").empty() && call.text(2, "mode") != "constant") call.b.refuse(fmt::format("padding mode {}", call.text(2, "mode")));
  const bool with_mode = call.value(2, "").kind == Value::Kind::Text;
  const double value = call.number(with_mode ? 3 : 2, "value", 0);
  if (amounts.size() % 2 != 0 || amounts.size() / 2 > static_cast<std::size_t>(call.b.rank(a))) call.b.refuse("paddings that fit no dimensions");
  if (call.b.refused()) return a;
  std::vector<PadDim> padding(static_cast<std::size_t>(call.b.rank(a)));
  for (std::size_t k = 0; k < amounts.size() / 2; ++k) padding[padding.size() - 1 - k] = {amounts[2 * k], amounts[2 * k + 1], 0};
  return call.b.padded(a, padding, call.b.constant(call.b.dtype(a), value));
}

/// `part` written into `a` along dim from `start` on: what is before, the part, what is after.
Tensor written(Builder& b, const Tensor& a, const Tensor& part, std::int64_t dim, std::int64_t start, std::int64_t end) {
  std::vector<Tensor> pieces;
  const std::int64_t extent = b.extent(a, dim);
  if (start > 0) pieces.push_back(b.sliced(a, dim, 0, start));
  pieces.push_back(b.in_order(part, a.order));
  if (end < extent) pieces.push_back(b.sliced(a, dim, end, extent));
  return b.concatenated(pieces, dim);
}

Value select_scatter(Call& call) {
  const Tensor a = call.tensor(0, "self");
  const Tensor part = call.b.converted(call.tensor(1, "src"), call.b.dtype(a));
  const std::int64_t dim = call.b.wrapped(call.integer(2, "dim", 0), call.b.rank(a));
  std::int64_t index = call.integer(3, "index", 0);
  if (call.b.rank(a) == 0) call.b.refuse("a scalar has no part");
  if (call.b.refused()) return a;
  if (index < 0) index += call.b.extent(a, dim);
  if (index < 0 || index >= call.b.extent(a, dim)) call.b.refuse("an index outside");
  if (call.b.refused()) return a;
  return written(call.b, a, call.b.unsqueezed(part, dim), dim, index, index + 1);
}

Value slice_scatter(Call& call) {
  const Tensor a = call.tensor(0, "self");
  const Tensor part = call.b.converted(call.tensor(1, "src"), call.b.dtype(a));
  const std::int64_t dim = call.b.wrapped(call.integer(2, "dim", 0), call.b.rank(a));
  if (call.b.rank(a) == 0) call.b.refuse("a scalar has no part");
  if (call.integer(5, "step", 1) != 1) call.b.refuse("a step");
  if (call.b.refused()) return a;
  const std::int64_t extent = call.b.extent(a, dim);
  std::int64_t start = call.integer(3, "start", 0), end = call.integer(4, "end", extent);
  if (start < 0) start += extent;
  if (end < 0) end += extent;
  start = std::clamp<std::int64_t>(start, 0, extent);
  end = std::clamp<std::int64_t>(end, start, extent);
  return written(call.b, a, call.b.expanded(part, [&] {
                   Dims dims = call.b.dims(a);
                   dims[static_cast<std::size_t>(dim)] = end - start;
                   return dims;
                 }()), dim, start, end);
}

/// Gradients of slices: zeros around.
Value select_backward(Call& call) {
  const Tensor gradient = call.tensor(0, "grad_output");
  const Dims sizes = call.ints(1, "input_sizes");
  const std::int64_t dim = call.b.wrapped(call.integer(2, "dim", 0), static_cast<std::int64_t>(sizes.size()));
  std::int64_t index = call.integer(3, "index", 0);
  if (sizes.empty()) call.b.refuse("a scalar has no part");
  if (call.b.refused()) return gradient;
  const std::int64_t extent = sizes[static_cast<std::size_t>(dim)];
  if (index < 0) index += extent;
  const Tensor part = call.b.unsqueezed(gradient, dim);
  std::vector<PadDim> padding(sizes.size());
  padding[static_cast<std::size_t>(dim)] = {index, extent - index - 1, 0};
  if (static_cast<std::size_t>(call.b.rank(part)) != sizes.size() || index < 0 || index >= extent) call.b.refuse("sizes of another tensor");
  return call.b.refused() ? gradient : call.b.padded(part, padding, call.b.constant(call.b.dtype(part), 0));
}

Value slice_backward(Call& call) {
  const Tensor gradient = call.tensor(0, "grad_output");
  const Dims sizes = call.ints(1, "input_sizes");
  const std::int64_t dim = call.b.wrapped(call.integer(2, "dim", 0), static_cast<std::int64_t>(sizes.size()));
  if (sizes.empty() || static_cast<std::size_t>(call.b.rank(gradient)) != sizes.size()) call.b.refuse("sizes of another tensor");
  if (call.b.refused()) return gradient;
  const std::int64_t extent = sizes[static_cast<std::size_t>(dim)], step = call.integer(5, "step", 1);
  std::int64_t start = call.integer(3, "start", 0);
  if (start < 0) start += extent;
  start = std::clamp<std::int64_t>(start, 0, extent);
  const std::int64_t held = call.b.extent(gradient, dim);
  const std::int64_t reach = held == 0 ? 0 : (held - 1) * step + 1;
  std::vector<PadDim> padding(sizes.size());
  padding[static_cast<std::size_t>(dim)] = {start, extent - start - reach, step - 1};
  if (step < 1 || extent - start - reach < 0) call.b.refuse("a slice of another tensor");
  return call.b.refused() ? gradient : call.b.padded(gradient, padding, call.b.constant(call.b.dtype(gradient), 0));
}

constexpr Operator kOperators[] = {
    {"cat", cat}, {"concat", cat}, {"concatenate", cat}, {"stack", stack}, {"repeat", repeat}, {"tile", repeat}, {"flip", flip}, {"rev", flip}, {"roll", roll}, {"constant_pad_nd", pad}, {"pad", pad},
    {"select_scatter", select_scatter}, {"slice_scatter", slice_scatter}, {"select_backward", select_backward}, {"slice_backward", slice_backward},
};

}  // namespace

std::span<const Operator> movement_operators() { return kOperators; }

}  // namespace seam::graph::torch
