/// Losses and their gradients.
#include <fmt/core.h>

#include "torch/gathering.h"

namespace seam::graph::torch {
namespace {

/// 0 none, 1 mean, 2 sum: by number or by word.
std::int64_t reduction_of(Call& call, std::size_t position) {
  const std::string word = call.text(position, "reduction");
  if (word.empty()) return call.integer(position, "reduction", 1);
  return word == "none" ? 0 : word == "mean" ? 1 : 2;
}

Tensor reduced(Call& call, const Tensor& losses, std::int64_t reduction) {
  const Dims all = counted(call.b.rank(losses));
  if (reduction == 0) return losses;
  return reduction == 1 ? mean_of(call.b, losses, all, false) : sum_of(call.b, losses, all, false);
}

/// What a gradient of the reduced loss is per element.
Tensor spread(Call& call, const Tensor& gradient, const Tensor& like, std::int64_t reduction) {
  if (reduction != 1) return gradient;
  return scaled(call.b, gradient, 1 / static_cast<double>(std::max<std::int64_t>(product(call.b.dims(like)), 1)));
}

struct Targets {
  Tensor valid, safe, weight;  ///< which count, an index in range, the weight of each (valid ones only)
};
/// Classes along dim 1 (dim 0 of a vector).
Targets targets_of(Call& call, const Tensor& log_probabilities, const Tensor& target, const Value& weights, std::int64_t ignored) {
  Builder& b = call.b;
  Targets out;
  out.valid = b.compare(Direction::NE, target, b.integer(b.dtype(target), ignored));
  out.safe = b.select(out.valid, target, b.integer(b.dtype(target), 0));
  const DType type = b.dtype(log_probabilities);
  const Tensor one = weights.is_tensor() ? taken(b, b.converted(weights.tensor, type), 0, out.safe) : b.constant(type, 1);
  out.weight = b.select(out.valid, one, b.constant(type, 0));
  return out;
}

std::int64_t class_dim(Builder& b, const Tensor& a) { return b.rank(a) > 1 ? 1 : 0; }

struct Loss {
  Tensor loss, total_weight;
};
Loss negative_log_likelihood(Call& call, const Tensor& log_probabilities, const Tensor& target, const Value& weights, std::int64_t reduction, std::int64_t ignored) {
  Builder& b = call.b;
  if (b.rank(target) + 1 != b.rank(log_probabilities) || !is_integer(b.dtype(target))) b.refuse("targets that are no classes");
  if (b.refused()) return {log_probabilities, log_probabilities};
  const Tensor wide = call.wide(log_probabilities);
  const Targets targets = targets_of(call, wide, target, weights, ignored);
  const std::int64_t dim = class_dim(b, wide);
  const Tensor picked = b.squeezed(gathered(b, wide, dim, b.unsqueezed(targets.safe, dim)), dim);
  const Tensor each = b.unary(Opcode::Negate, b.binary(Opcode::Multiply, picked, targets.weight));
  const DType type = b.dtype(log_probabilities);
  const Dims all = counted(b.rank(each));
  const Tensor total = b.sum(b.binary(Opcode::Multiply, b.filled(b.dtype(wide), b.dims(each), 1), targets.weight), all, false);
  if (reduction == 0) return {b.converted(each, type), b.constant(type, 0)};
  const Tensor sum = b.sum(each, all, false);
  return {b.converted(reduction == 1 ? b.binary(Opcode::Divide, sum, total) : sum, type), b.converted(total, type)};
}

/// nll_loss_forward(self, target, weight, reduction, ignore_index) -> (loss, total_weight)
Value nll_loss(Call& call) {
  const Loss out = negative_log_likelihood(call, call.tensor(0, "self"), call.tensor(1, "target"), call.value(2, "weight"), reduction_of(call, 3), call.integer(4, "ignore_index", -100));
  return call.name == "nll_loss" ? Value(out.loss) : Value::list({out.loss, out.total_weight});
}

/// nll_loss_backward(grad_output, self, target, weight, reduction, ignore_index, total_weight)
Value nll_loss_backward(Call& call) {
  const Tensor gradient = call.tensor(0, "grad_output"), input = call.tensor(1, "self"), target = call.tensor(2, "target");
  Builder& b = call.b;
  const std::int64_t reduction = reduction_of(call, 4);
  if (b.rank(target) + 1 != b.rank(input)) b.refuse("targets that are no classes");
  if (b.refused()) return gradient;
  const Tensor g = call.wide(gradient);
  const DType wide = b.dtype(g);
  const Targets targets = targets_of(call, b.converted(input, wide), target, call.value(3, "weight"), call.integer(5, "ignore_index", -100));
  const std::int64_t dim = class_dim(b, input);
  Tensor each = b.unary(Opcode::Negate, b.binary(Opcode::Multiply, targets.weight, g));
  if (reduction == 1) each = b.binary(Opcode::Divide, each, call.wide(call.tensor(6, "total_weight")));
  const Tensor here = b.compare(Direction::EQ, b.iota(b.dtype(target), b.dims(input), dim), b.unsqueezed(targets.safe, dim));
  return b.converted(b.select(here, b.unsqueezed(each, dim), b.constant(wide, 0)), b.dtype(gradient));
}

/// cross_entropy(input, target, weight, reduction, ignore_index, label_smoothing), cross_entropy_loss
Value cross_entropy(Call& call) {
  const Tensor a = call.tensor(0, "input");
  Builder& b = call.b;
  if (call.number(5, "label_smoothing", 0) != 0) b.refuse("label smoothing");
  const std::size_t reduction = call.value(3, "reduction").kind == Value::Kind::None ? SIZE_MAX : 3;
  if (b.refused() || b.rank(a) == 0) return a;
  const Tensor wide = call.wide(a);
  const Dims dims = {class_dim(b, a)};
  const Tensor away = b.binary(Opcode::Subtract, wide, max_of(b, wide, dims, true));
  const Tensor logs = b.binary(Opcode::Subtract, away, b.unary(Opcode::Log, b.sum(b.unary(Opcode::Exp, away), dims, true)));
  return b.converted(negative_log_likelihood(call, logs, call.tensor(1, "target"), call.value(2, "weight"), reduction_of(call, reduction), call.integer(4, "ignore_index", -100)).loss, b.dtype(a));
}

Value mse_loss(Call& call) {
  const Tensor a = call.tensor(0, "self");
  const Tensor apart = call.b.binary(Opcode::Subtract, a, call.b.converted(call.tensor(1, "target"), call.b.dtype(a)));
  return reduced(call, call.b.binary(Opcode::Multiply, apart, apart), reduction_of(call, 2));
}
Value mse_loss_backward(Call& call) {
  const Tensor gradient = call.tensor(0, "grad_output"), a = call.tensor(1, "self");
  const Tensor apart = call.b.binary(Opcode::Subtract, a, call.tensor(2, "target"));
  return call.b.binary(Opcode::Multiply, scaled(call.b, apart, 2), spread(call, gradient, a, reduction_of(call, 3)));
}
Value l1_loss(Call& call) {
  const Tensor a = call.tensor(0, "self");
  return reduced(call, call.b.unary(Opcode::Abs, call.b.binary(Opcode::Subtract, a, call.tensor(1, "target"))), reduction_of(call, 2));
}

/// smooth_l1_loss(self, target, reduction, beta), huber_loss(self, target, reduction, delta)
Value smooth_l1_loss(Call& call) {
  const Tensor a = call.tensor(0, "self");
  Builder& b = call.b;
  const bool huber = call.name == "huber_loss";
  const double beta = call.number(3, huber ? "delta" : "beta", 1);
  if (beta <= 0) b.refuse("a bound that is not positive");
  if (b.refused()) return a;
  const Tensor size = b.unary(Opcode::Abs, b.binary(Opcode::Subtract, a, call.tensor(1, "target")));
  const Tensor near = scaled(b, b.binary(Opcode::Multiply, size, size), huber ? 0.5 : 0.5 / beta);
  const Tensor far = scaled(b, shifted(b, size, -0.5 * beta), huber ? beta : 1);
  return reduced(call, b.select(b.compare(Direction::LT, size, b.constant(b.dtype(a), beta)), near, far), reduction_of(call, 2));
}

/// binary_cross_entropy_with_logits(self, target, weight, pos_weight, reduction)
Value binary_cross_entropy_with_logits(Call& call) {
  const Tensor a = call.tensor(0, "self"), target = call.tensor(1, "target");
  Builder& b = call.b;
  if (call.has(3, "pos_weight")) b.refuse("weights of positive examples");
  const Tensor x = call.wide(a), t = call.wide(target);
  // max(x, 0) - x·t + log(1 + e^-|x|)
  const Tensor tail = b.unary(Opcode::Log1p, b.unary(Opcode::Exp, b.unary(Opcode::Negate, b.unary(Opcode::Abs, x))));
  Tensor each = b.binary(Opcode::Add, b.binary(Opcode::Subtract, b.binary(Opcode::Maximum, x, b.constant(b.dtype(x), 0)), b.binary(Opcode::Multiply, x, t)), tail);
  if (call.has(2, "weight")) each = b.binary(Opcode::Multiply, each, call.wide(call.tensor(2, "weight")));
  return b.converted(reduced(call, each, reduction_of(call, 4)), b.dtype(a));
}

/// binary_cross_entropy(self, target, weight, reduction): logarithms no lower than -100.
Value binary_cross_entropy(Call& call) {
  const Tensor a = call.tensor(0, "self");
  Builder& b = call.b;
  const Tensor x = call.wide(a), t = call.wide(call.tensor(1, "target"));
  const Tensor one = b.constant(b.dtype(x), 1), least = b.constant(b.dtype(x), -100);
  const Tensor yes = b.binary(Opcode::Maximum, b.unary(Opcode::Log, x), least), no = b.binary(Opcode::Maximum, b.unary(Opcode::Log, b.binary(Opcode::Subtract, one, x)), least);
  Tensor each = b.unary(Opcode::Negate, b.binary(Opcode::Add, b.binary(Opcode::Multiply, t, yes), b.binary(Opcode::Multiply, b.binary(Opcode::Subtract, one, t), no)));
  if (call.has(2, "weight")) each = b.binary(Opcode::Multiply, each, call.wide(call.tensor(2, "weight")));
  return b.converted(reduced(call, each, reduction_of(call, 3)), b.dtype(a));
}

constexpr Operator kOperators[] = {
    {"nll_loss", nll_loss}, {"nll_loss_forward", nll_loss}, {"nll_loss2d_forward", nll_loss}, {"nll_loss_nd", nll_loss}, {"nll_loss_backward", nll_loss_backward},
    {"nll_loss2d_backward", nll_loss_backward}, {"cross_entropy", cross_entropy}, {"cross_entropy_loss", cross_entropy}, {"mse_loss", mse_loss}, {"mse_loss_backward", mse_loss_backward},
    {"l1_loss", l1_loss}, {"smooth_l1_loss", smooth_l1_loss}, {"huber_loss", smooth_l1_loss}, {"binary_cross_entropy_with_logits", binary_cross_entropy_with_logits},
    {"binary_cross_entropy", binary_cross_entropy},
};

}  // namespace

std::span<const Operator> loss_operators() { return kOperators; }

}  // namespace seam::graph::torch
