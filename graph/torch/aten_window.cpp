/// Convolutions and pooling: windows over the dims behind batch and channels.
#include <fmt/core.h>

#include <algorithm>

#include "torch/call.h"

namespace seam::graph::torch {
namespace {

/// One number for all spatial dims, or one each.
Dims per_dim(Call& call, std::size_t position, std::string_view keyword, std::size_t spatial, const Dims& otherwise) {
  Dims out = call.ints(position, keyword, otherwise);
  if (out.empty()) out = otherwise;
  if (out.size() == 1) out.resize(spatial, out.front());
  if (out.size() != spatial) call.b.refuse(fmt::format("{} of another number of dimensions", keyword));
  return out;
}

/// convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups); conv2d(input, weight, bias, stride, padding,
/// dilation, groups) at torch level.
Value convolution(Call& call) {
  const Tensor input = call.tensor(0, "input"), weight = call.tensor(1, "weight");
  Builder& b = call.b;
  const bool full = call.name == "convolution" || call.name == "_convolution";
  const std::int64_t rank = b.rank(input);
  if (rank < 3 || b.rank(weight) != rank) b.refuse("an input without a batch");
  if (call.value(4, "padding").kind == Value::Kind::Text) b.refuse("padding by name");
  if (full && call.flag(6, "transposed", false)) b.refuse("a transposed convolution");
  if (b.refused()) return input;
  const auto spatial = static_cast<std::size_t>(rank) - 2;
  const Dims one(spatial, 1), zero(spatial, 0);
  const Dims stride = per_dim(call, 3, "stride", spatial, one), padding = per_dim(call, 4, "padding", spatial, zero), dilation = per_dim(call, 5, "dilation", spatial, one);
  const std::int64_t groups = call.integer(full ? 8 : 6, "groups", 1);
  const Dims in = b.dims(input), kernel = b.dims(weight);
  if (b.dtype(input) != b.dtype(weight)) b.refuse("an input and a weight of two types");
  if (groups < 1 || kernel[1] * groups != in[1] || kernel[0] % groups != 0) b.refuse("channels that do not fit the weight");
  if (b.refused()) return input;
  const auto at = [](const Tensor& tensor, std::int64_t dim) { return std::ranges::find(tensor.order, dim) - tensor.order.begin(); };
  Attributes attributes;
  attributes.feature_groups = groups;
  Dims out = {in[0], kernel[0]};
  attributes.conv.lhs_batch = at(input, 0);
  attributes.conv.lhs_feature = at(input, 1);
  attributes.conv.rhs_output = at(weight, 0);
  attributes.conv.rhs_input = at(weight, 1);
  attributes.conv.out_batch = at(input, 0);  // the result lies as the input does
  attributes.conv.out_feature = at(input, 1);
  for (std::size_t k = 0; k < spatial; ++k) {
    const auto dim = static_cast<std::int64_t>(k) + 2;
    WindowDim window;
    window.size = kernel[k + 2];
    window.stride = stride[k];
    window.pad_low = window.pad_high = padding[k];
    window.rhs_dilate = dilation[k];
    attributes.window.push_back(window);
    attributes.conv.lhs_spatial.push_back(at(input, dim));
    attributes.conv.rhs_spatial.push_back(at(weight, dim));
    attributes.conv.out_spatial.push_back(at(input, dim));
    const std::int64_t reach = dilation[k] * (kernel[k + 2] - 1) + 1, room = in[k + 2] + 2 * padding[k] - reach;
    if (room < 0 || stride[k] < 1 || dilation[k] < 1) b.refuse("a window that does not fit");
    if (b.refused()) return input;
    out.push_back(room / stride[k] + 1);
  }
  Dims memory;
  for (const std::int64_t dim : input.order) memory.push_back(out[static_cast<std::size_t>(dim)]);
  const Tensor product = b.ordered(b.add(Opcode::Convolution, array_shape(b.dtype(input), memory), {input.value, weight.value}, std::move(attributes)), input.order);
  if (!call.has(2, "bias")) return product;
  Tensor bias = b.converted(call.tensor(2, "bias"), b.dtype(product));
  for (std::size_t k = 0; k < spatial; ++k) bias = b.unsqueezed(bias, -1);
  return b.binary(Opcode::Add, product, bias);
}

struct Pool {
  Tensor input;
  std::vector<WindowDim> window;  ///< of the last dims
  Dims out;
};
/// pool(self, kernel_size, stride, padding, dilation | ceil_mode …)
Pool pool_of(Call& call, std::size_t spatial, bool dilated) {
  Pool pool{call.tensor(0, "self"), {}, {}};
  Builder& b = call.b;
  if (b.rank(pool.input) < static_cast<std::int64_t>(spatial) + 1) b.refuse("an input without channels");
  const Dims size = per_dim(call, 1, "kernel_size", spatial, Dims(spatial, 1));
  const Dims stride = per_dim(call, 2, "stride", spatial, size), padding = per_dim(call, 3, "padding", spatial, Dims(spatial, 0));
  const Dims dilation = dilated ? per_dim(call, 4, "dilation", spatial, Dims(spatial, 1)) : Dims(spatial, 1);
  if (call.flag(dilated ? 5 : 4, "ceil_mode", false)) b.refuse("ceil mode");
  if (b.refused()) return pool;
  pool.out = b.dims(pool.input);
  const std::size_t first = pool.out.size() - spatial;
  for (std::size_t k = 0; k < spatial; ++k) {
    const std::int64_t reach = dilation[k] * (size[k] - 1) + 1, room = pool.out[first + k] + 2 * padding[k] - reach;
    if (room < 0 || stride[k] < 1 || size[k] < 1) b.refuse("a window that does not fit");
    if (b.refused()) return pool;
    pool.out[first + k] = room / stride[k] + 1;
    pool.window.push_back({size[k], stride[k], padding[k], padding[k], 1, dilation[k], false});
  }
  return pool;
}

Tensor pooled(Builder& b, const Pool& pool, Opcode opcode, const Tensor& input, const Tensor& start) {
  Attributes attributes;
  const auto first = input.order.size() - pool.window.size();
  Dims memory;
  for (const std::int64_t dim : input.order) {
    attributes.window.push_back(static_cast<std::size_t>(dim) < first ? WindowDim{} : pool.window[static_cast<std::size_t>(dim) - first]);
    memory.push_back(pool.out[static_cast<std::size_t>(dim)]);
  }
  attributes.calls = {b.reducer(opcode, b.dtype(input))};
  return b.ordered(b.add(Opcode::ReduceWindow, array_shape(b.dtype(input), memory), {input.value, start.value}, std::move(attributes)), input.order);
}

/// max_pool2d_with_indices -> (values, indices): the indices have no window form and stay opaque.
Value max_pool(Call& call) {
  const Pool pool = pool_of(call, 2, true);
  Builder& b = call.b;
  if (b.refused()) return pool.input;
  const Tensor values = pooled(b, pool, Opcode::Maximum, pool.input, b.lowest(b.dtype(pool.input)));
  if (call.name == "max_pool2d") return values;
  return Value::list({values, b.opaque("aten.max_pool2d_with_indices", "positions of maxima", {pool.input}, array_shape(DType::S64, pool.out))});
}

Value average_pool(Call& call) {
  const Pool pool = pool_of(call, 2, false);
  Builder& b = call.b;
  if (call.has(6, "divisor_override") || (!call.flag(5, "count_include_pad", true) && std::ranges::any_of(pool.window, [](const WindowDim& w) { return w.pad_low != 0; }))) {
    b.refuse("averages of fewer elements at the border");
  }
  if (b.refused()) return pool.input;
  std::int64_t count = 1;
  for (const WindowDim& dim : pool.window) count *= dim.size;
  const Tensor wide = call.wide(pool.input);
  return b.converted(scaled(b, pooled(b, pool, Opcode::Add, wide, b.constant(b.dtype(wide), 0)), 1 / static_cast<double>(count)), b.dtype(pool.input));
}

Value adaptive_average_pool(Call& call) {
  const Tensor a = call.tensor(0, "self");
  Builder& b = call.b;
  const Dims out = per_dim(call, 1, "output_size", 2, {1, 1});
  if (b.rank(a) < 3) b.refuse("an input without channels");
  if (b.refused()) return a;
  const Dims dims = b.dims(a);
  const std::int64_t last = b.rank(a) - 1;
  if (out == Dims{1, 1}) return mean_of(b, a, {last - 1, last}, true);
  for (std::size_t k = 0; k < 2; ++k)
    if (out[k] < 1 || dims[dims.size() - 2 + k] % out[k] != 0) b.refuse("windows of several sizes");
  if (b.refused()) return a;
  // Windows of one size side by side: cut both dims and average the inner halves.
  Dims apart(dims.begin(), dims.end() - 2);
  apart.insert(apart.end(), {out[0], dims[dims.size() - 2] / out[0], out[1], dims[dims.size() - 1] / out[1]});
  return mean_of(b, b.reshaped(a, apart), {last, last + 2}, false);
}

constexpr Operator kOperators[] = {
    {"convolution", convolution}, {"_convolution", convolution}, {"conv1d", convolution}, {"conv2d", convolution}, {"conv3d", convolution}, {"max_pool2d", max_pool},
    {"max_pool2d_with_indices", max_pool}, {"avg_pool2d", average_pool}, {"adaptive_avg_pool2d", adaptive_average_pool}, {"_adaptive_avg_pool2d", adaptive_average_pool},
};

}  // namespace

std::span<const Operator> window_operators() { return kOperators; }

}  // namespace seam::graph::torch
