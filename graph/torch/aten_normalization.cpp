/// Softmax and the normalizations, with their gradients: as primitives, under the operator's name.
#include <fmt/core.h>

#include <algorithm>

#include "torch/call.h"

namespace seam::graph::torch {
namespace {

/// The type that softmax computes and yields: `half_to_float` or a stated dtype widens.
Value softmax(Call& call) {
  const Tensor a = call.tensor(0, "self");
  Builder& b = call.b;
  const std::int64_t dim = b.wrapped(call.integer(1, "dim", -1), b.rank(a));
  DType result = b.dtype(a);
  const bool internal = call.name.starts_with("_");
  if (internal && call.flag(2, "half_to_float", false)) result = DType::F32;
  if (!internal) result = call.dtype(2, "dtype", call.dtype(SIZE_MAX, "dtype", result));
  const bool logarithm = call.name.find("log") != std::string::npos;
  const Tensor wide = b.converted(a, Call::computing(Call::fractional(result)));
  const Dims dims = b.rank(a) == 0 ? Dims{} : Dims{dim};
  const Tensor away = b.binary(Opcode::Subtract, wide, max_of(b, wide, dims, true));
  const Tensor powers = b.unary(Opcode::Exp, away);
  const Tensor total = b.sum(powers, dims, true);
  return b.converted(logarithm ? b.binary(Opcode::Subtract, away, b.unary(Opcode::Log, total)) : b.binary(Opcode::Divide, powers, total), result);
}

/// _softmax_backward_data(grad_output, output, dim, input_dtype)
Value softmax_backward(Call& call) {
  const Tensor gradient = call.tensor(0, "grad_output"), output = call.tensor(1, "output");
  Builder& b = call.b;
  const std::int64_t dim = b.wrapped(call.integer(2, "dim", -1), b.rank(output));
  const Dims dims = b.rank(output) == 0 ? Dims{} : Dims{dim};
  const DType result = call.dtype(3, "input_dtype", b.dtype(output));
  const Tensor g = call.wide(gradient), y = call.wide(output);
  if (call.name.find("log") != std::string::npos) {
    const Tensor total = b.sum(g, dims, true);
    return b.converted(b.binary(Opcode::Subtract, g, b.binary(Opcode::Multiply, b.unary(Opcode::Exp, y), total)), result);
  }
  const Tensor weighted = b.binary(Opcode::Multiply, g, y);
  return b.converted(b.binary(Opcode::Subtract, weighted, b.binary(Opcode::Multiply, y, b.sum(weighted, dims, true))), result);
}

/// prims.prepare_softmax_online(x, dim): the maximum and the sum of e^(x - maximum), dims kept.
Value softmax_parts(Call& call) {
  const Tensor wide = call.wide(call.tensor(0, "self"));
  const Dims dims = call.dims_or_all(1, "dim", call.b.rank(wide));
  const Tensor high = max_of(call.b, wide, dims, true);
  return Value::list({high, call.b.sum(call.b.unary(Opcode::Exp, call.b.binary(Opcode::Subtract, wide, high)), dims, true)});
}

struct Normalized {
  Tensor value, mean, deviation;  ///< (x - mean) · 1/√(variance + ε); kept dims
};
Normalized normalized(Builder& b, const Tensor& wide, const Dims& dims, double epsilon) {
  const Tensor mean = mean_of(b, wide, dims, true);
  const Tensor apart = b.binary(Opcode::Subtract, wide, mean);
  const Tensor variance = mean_of(b, b.binary(Opcode::Multiply, apart, apart), dims, true);
  const Tensor deviation = b.unary(Opcode::Rsqrt, shifted(b, variance, epsilon));
  return {b.binary(Opcode::Multiply, apart, deviation), mean, deviation};
}

Dims last_dims(Call& call, const Tensor& a, std::size_t count) {
  Dims out;
  const auto rank = static_cast<std::size_t>(call.b.rank(a));
  if (count > rank) call.b.refuse("more normalized dimensions than there are");
  for (std::size_t dim = rank - std::min(count, rank); dim < rank; ++dim) out.push_back(static_cast<std::int64_t>(dim));
  return out;
}

/// layer_norm(input, normalized_shape, weight, bias, eps); native_layer_norm yields (out, mean, rstd) as well.
Value layer_norm(Call& call) {
  const Tensor a = call.tensor(0, "input");
  Builder& b = call.b;
  const Dims dims = last_dims(call, a, call.ints(1, "normalized_shape").size());
  const Tensor wide = call.wide(a);
  const Normalized norm = normalized(b, wide, dims, call.number(4, "eps", 1e-5));
  Tensor out = norm.value;
  if (call.has(2, "weight")) out = b.binary(Opcode::Multiply, out, call.wide(call.tensor(2, "weight")));
  if (call.has(3, "bias")) out = b.binary(Opcode::Add, out, call.wide(call.tensor(3, "bias")));
  out = b.converted(out, b.dtype(a));
  if (call.name == "layer_norm") return out;
  return Value::list({out, norm.mean, norm.deviation});
}

/// native_layer_norm_backward(grad_out, input, normalized_shape, mean, rstd, weight, bias, output_mask)
Value layer_norm_backward(Call& call) {
  const Tensor gradient = call.tensor(0, "grad_out"), input = call.tensor(1, "input");
  Builder& b = call.b;
  const Dims dims = last_dims(call, input, call.ints(2, "normalized_shape").size());
  Dims others;
  for (std::int64_t dim = 0; dim < b.rank(input); ++dim)
    if (std::ranges::find(dims, dim) == dims.end()) others.push_back(dim);
  const Tensor g = call.wide(gradient), x = call.wide(input);
  const Tensor mean = call.wide(call.tensor(3, "mean")), deviation = call.wide(call.tensor(4, "rstd"));
  const Tensor hat = b.binary(Opcode::Multiply, b.binary(Opcode::Subtract, x, mean), deviation);
  const Tensor weighted = call.has(5, "weight") ? b.binary(Opcode::Multiply, g, call.wide(call.tensor(5, "weight"))) : g;
  const Tensor away = b.binary(Opcode::Add, mean_of(b, weighted, dims, true), b.binary(Opcode::Multiply, hat, mean_of(b, b.binary(Opcode::Multiply, weighted, hat), dims, true)));
  Value none;
  const Tensor grad_input = b.converted(b.binary(Opcode::Multiply, deviation, b.binary(Opcode::Subtract, weighted, away)), b.dtype(input));
  Value grad_weight = none, grad_bias = none;
  if (call.has(5, "weight")) grad_weight = b.converted(b.sum(b.binary(Opcode::Multiply, g, hat), others, false), b.dtype(call.tensor(5, "weight")));
  if (call.has(6, "bias")) grad_bias = b.converted(b.sum(g, others, false), b.dtype(call.tensor(6, "bias")));
  return Value::list({grad_input, grad_weight, grad_bias});
}

/// rms_norm(input, normalized_shape, weight, eps); _fused_rms_norm yields (out, rstd).
Value rms_norm(Call& call) {
  const Tensor a = call.tensor(0, "input");
  Builder& b = call.b;
  const Dims dims = last_dims(call, a, call.ints(1, "normalized_shape").size());
  const Tensor wide = call.wide(a);
  const double smallest = b.dtype(wide) == DType::F64 ? 2.220446049250313e-16 : 1.1920928955078125e-07;
  const Tensor deviation = b.unary(Opcode::Rsqrt, shifted(b, mean_of(b, b.binary(Opcode::Multiply, wide, wide), dims, true), call.number(3, "eps", smallest)));
  Tensor out = b.binary(Opcode::Multiply, wide, deviation);
  if (call.has(2, "weight")) out = b.binary(Opcode::Multiply, out, call.wide(call.tensor(2, "weight")));
  out = b.converted(out, b.dtype(a));
  if (call.name == "rms_norm") return out;
  return Value::list({out, deviation});
}

/// [C] beside dims [N, C, …].
Tensor per_channel(Call& call, const Tensor& vector, std::int64_t rank) {
  Tensor out = call.wide(vector);
  for (std::int64_t dim = 2; dim < rank; ++dim) out = call.b.unsqueezed(out, -1);
  return out;
}

/// native_group_norm(input, weight, bias, N, C, HxW, group, eps); group_norm(input, num_groups, weight, bias, eps).
Value group_norm(Call& call) {
  const bool native = call.name == "native_group_norm";
  const Tensor a = call.tensor(0, "input");
  Builder& b = call.b;
  const Dims dims = b.dims(a);
  const std::int64_t groups = native ? call.integer(6, "group", 1) : call.integer(1, "num_groups", 1);
  if (dims.size() < 2 || groups < 1 || dims[1] % groups != 0) b.refuse("channels that do not make up the groups");
  if (b.refused()) return a;
  Dims apart = {dims[0], groups, dims[1] / groups};
  apart.insert(apart.end(), dims.begin() + 2, dims.end());
  Dims over;
  for (std::size_t dim = 2; dim < apart.size(); ++dim) over.push_back(static_cast<std::int64_t>(dim));
  const Normalized norm = normalized(b, b.reshaped(call.wide(a), apart), over, call.number(native ? 7 : 4, "eps", 1e-5));
  Tensor out = b.reshaped(norm.value, dims);
  const std::size_t weight = native ? 1 : 2;
  if (call.has(weight, "weight")) out = b.binary(Opcode::Multiply, out, per_channel(call, call.tensor(weight, "weight"), b.rank(a)));
  if (call.has(weight + 1, "bias")) out = b.binary(Opcode::Add, out, per_channel(call, call.tensor(weight + 1, "bias"), b.rank(a)));
  out = b.converted(out, b.dtype(a));
  if (!native) return out;
  return Value::list({out, b.reshaped(norm.mean, {dims[0], groups}), b.reshaped(norm.deviation, {dims[0], groups})});
}

Dims all_but_channels(std::int64_t rank) {
  Dims out;
  for (std::int64_t dim = 0; dim < rank; ++dim)
    if (dim != 1) out.push_back(dim);
  return out;
}

/// native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps) -> (out, save_mean, save_invstd), and its kin; the
/// functional form yields the new running statistics too.
Value batch_norm(Call& call) {
  const Tensor a = call.tensor(0, "input");
  Builder& b = call.b;
  const std::int64_t rank = b.rank(a);
  const bool inference = call.name == "_native_batch_norm_legit_no_training" || call.name == "_batch_norm_no_update";
  const bool plain = call.name == "batch_norm" || call.name == "cudnn_batch_norm" || call.name == "miopen_batch_norm";
  // batch_norm at torch level has running statistics before weight and bias
  const bool functional_order = call.overload.empty() && call.name == "batch_norm" && !call.has(8, "cudnn_enabled");
  const std::size_t weight = functional_order ? 3 : 1, running = functional_order ? 1 : 3;
  const bool training = !inference && (call.overload == "no_stats" ? call.flag(3, "training", true) : call.flag(5, "training", false));
  if (call.overload == "no_stats") b.refuse("batch statistics without running ones");
  const std::size_t after = inference ? 5 : 6;
  const double momentum = call.number(after, "momentum", 0.1), epsilon = call.number(after + 1, "eps", 1e-5);
  if (rank < 2) b.refuse("an input without channels");
  if (b.refused()) return a;
  const Tensor wide = call.wide(a);
  const Dims over = all_but_channels(rank);
  Tensor hat, mean, deviation, variance;
  if (training) {
    const Normalized norm = normalized(b, wide, over, epsilon);
    const Dims channels = {b.extent(a, 1)};
    hat = norm.value;
    mean = b.reshaped(norm.mean, channels);
    deviation = b.reshaped(norm.deviation, channels);
  } else {
    mean = call.tensor(running, "running_mean");
    deviation = b.unary(Opcode::Rsqrt, shifted(b, call.wide(call.tensor(running + 1, "running_var")), epsilon));
    hat = b.binary(Opcode::Multiply, b.binary(Opcode::Subtract, wide, per_channel(call, mean, rank)), per_channel(call, deviation, rank));
  }
  Tensor out = hat;
  if (call.has(weight, "weight")) out = b.binary(Opcode::Multiply, out, per_channel(call, call.tensor(weight, "weight"), rank));
  if (call.has(weight + 1, "bias")) out = b.binary(Opcode::Add, out, per_channel(call, call.tensor(weight + 1, "bias"), rank));
  out = b.converted(out, b.dtype(a));
  if (plain && functional_order) return out;
  if (!training) {
    const Tensor empty = b.filled(DType::F32, {0}, 0);
    return Value::list({out, empty, empty});
  }
  if (call.name == "_native_batch_norm_legit_functional") {
    const double count = static_cast<double>(elements_over(b, a, over));
    const Tensor inverse = b.binary(Opcode::Divide, b.constant(b.dtype(deviation), 1), b.binary(Opcode::Multiply, deviation, deviation));
    const Tensor biased = shifted(b, inverse, -epsilon);
    const Tensor unbiased = scaled(b, biased, count / std::max(count - 1, 1.0));
    const auto moved = [&](const Tensor& old, const Tensor& fresh) { return b.binary(Opcode::Add, scaled(b, old, 1 - momentum), scaled(b, fresh, momentum)); };
    return Value::list({out, mean, deviation, moved(call.tensor(running, ""), mean), moved(call.tensor(running + 1, ""), unbiased)});
  }
  return Value::list({out, mean, deviation});
}

/// native_batch_norm_backward(grad_out, input, weight, running_mean, running_var, save_mean, save_invstd, train, eps, output_mask)
Value batch_norm_backward(Call& call) {
  const Tensor gradient = call.tensor(0, "grad_out"), input = call.tensor(1, "input");
  Builder& b = call.b;
  const std::int64_t rank = b.rank(input);
  if (rank < 2 || !call.flag(7, "train", true)) b.refuse("statistics that are not of this batch");
  if (b.refused()) return gradient;
  const Dims over = all_but_channels(rank);
  const Tensor g = call.wide(gradient), x = call.wide(input);
  const Tensor mean = per_channel(call, call.tensor(5, "save_mean"), rank), deviation = per_channel(call, call.tensor(6, "save_invstd"), rank);
  const Tensor hat = b.binary(Opcode::Multiply, b.binary(Opcode::Subtract, x, mean), deviation);
  const Tensor sum = b.sum(g, over, false), product = b.sum(b.binary(Opcode::Multiply, g, hat), over, false);
  const double count = static_cast<double>(elements_over(b, input, over));
  const auto spread = [&](const Tensor& channels) { return per_channel(call, scaled(b, channels, 1 / count), rank); };
  const Tensor away = b.binary(Opcode::Add, spread(sum), b.binary(Opcode::Multiply, hat, spread(product)));
  Tensor factor = deviation;
  if (call.has(2, "weight")) factor = b.binary(Opcode::Multiply, factor, per_channel(call, call.tensor(2, "weight"), rank));
  const Tensor grad_input = b.converted(b.binary(Opcode::Multiply, b.binary(Opcode::Subtract, g, away), factor), b.dtype(input));
  return Value::list({grad_input, product, sum});
}

constexpr Operator kOperators[] = {
    {"softmax", softmax}, {"log_softmax", softmax}, {"_softmax", softmax}, {"_log_softmax", softmax}, {"_safe_softmax", softmax}, {"prepare_softmax_online", softmax_parts}, {"_softmax_backward_data", softmax_backward},
    {"_log_softmax_backward_data", softmax_backward}, {"layer_norm", layer_norm}, {"native_layer_norm", layer_norm}, {"native_layer_norm_backward", layer_norm_backward},
    {"rms_norm", rms_norm}, {"_fused_rms_norm", rms_norm}, {"group_norm", group_norm}, {"native_group_norm", group_norm}, {"batch_norm", batch_norm}, {"native_batch_norm", batch_norm},
    {"_native_batch_norm_legit", batch_norm}, {"_native_batch_norm_legit_functional", batch_norm}, {"_native_batch_norm_legit_no_training", batch_norm},
    {"native_batch_norm_backward", batch_norm_backward},
};

}  // namespace

std::span<const Operator> normalization_operators() { return kOperators; }

}  // namespace seam::graph::torch
