/// Activation functions and their gradients.
#include <cmath>
#include <numbers>

#include "torch/call.h"

namespace seam::graph::torch {
namespace {

constexpr double kSqrtHalf = std::numbers::sqrt2 / 2;
constexpr double kTanhInner = 0.044715;
const double kTanhScale = std::sqrt(2 / std::numbers::pi);

/// f(x), in f32 for 16-bit floats.
template <Tensor (*body)(Call&, const Tensor&)>
Value forward(Call& call) {
  const Tensor x = call.tensor(0, "self");
  const Tensor wide = call.wide(x);
  return call.b.converted(body(call, wide), call.b.dtype(x));
}

/// f(gradient, x).
template <Tensor (*body)(Call&, const Tensor&, const Tensor&)>
Value backward(Call& call) {
  const Tensor gradient = call.tensor(0, "grad_output"), x = call.tensor(1, "self");
  const Tensor wide = call.wide(x);
  return call.b.converted(body(call, call.wide(gradient), wide), call.b.dtype(gradient));
}

Tensor times(Call& call, const Tensor& a, const Tensor& c) { return call.b.binary(Opcode::Multiply, a, c); }
Tensor plus(Call& call, const Tensor& a, const Tensor& c) { return call.b.binary(Opcode::Add, a, c); }
Tensor minus(Call& call, const Tensor& a, const Tensor& c) { return call.b.binary(Opcode::Subtract, a, c); }
Tensor number(Call& call, const Tensor& like, double value) { return call.b.constant(call.b.dtype(like), value); }
Tensor one_minus(Call& call, const Tensor& a) { return minus(call, number(call, a, 1), a); }
Tensor above(Call& call, const Tensor& a, double limit) { return call.b.compare(Direction::GT, a, number(call, a, limit)); }

Tensor relu(Call& call, const Tensor& x) { return call.b.binary(Opcode::Maximum, x, number(call, x, 0)); }
Tensor relu6(Call& call, const Tensor& x) { return call.b.binary(Opcode::Minimum, relu(call, x), number(call, x, 6)); }

Tensor gelu(Call& call, const Tensor& x) {
  if (call.text(1, "approximate") == "tanh") {
    const Tensor cube = times(call, times(call, x, x), x);
    const Tensor inner = scaled(call.b, plus(call, x, scaled(call.b, cube, kTanhInner)), kTanhScale);
    return times(call, scaled(call.b, x, 0.5), shifted(call.b, call.b.unary(Opcode::Tanh, inner), 1));
  }
  return times(call, scaled(call.b, x, 0.5), shifted(call.b, call.b.unary(Opcode::Erf, scaled(call.b, x, kSqrtHalf)), 1));
}

Tensor gelu_backward(Call& call, const Tensor& gradient, const Tensor& x) {
  Builder& b = call.b;
  if (call.text(2, "approximate") == "tanh") {
    const Tensor square = times(call, x, x);
    const Tensor inner = scaled(b, times(call, x, shifted(b, scaled(b, square, kTanhInner), 1)), kTanhScale);
    const Tensor tanh = b.unary(Opcode::Tanh, inner);
    const Tensor left = scaled(b, shifted(b, tanh, 1), 0.5);
    const Tensor slope = scaled(b, shifted(b, scaled(b, square, 3 * kTanhInner), 1), kTanhScale);
    const Tensor right = times(call, scaled(b, x, 0.5), times(call, one_minus(call, times(call, tanh, tanh)), slope));
    return times(call, gradient, plus(call, left, right));
  }
  const Tensor cdf = scaled(b, shifted(b, b.unary(Opcode::Erf, scaled(b, x, kSqrtHalf)), 1), 0.5);
  const Tensor density = scaled(b, b.unary(Opcode::Exp, scaled(b, times(call, x, x), -0.5)), 1 / std::sqrt(2 * std::numbers::pi));
  return times(call, gradient, plus(call, cdf, times(call, x, density)));
}

Tensor silu(Call& call, const Tensor& x) { return times(call, x, logistic(call.b, x)); }
Tensor silu_backward(Call& call, const Tensor& gradient, const Tensor& x) {
  const Tensor s = logistic(call.b, x);
  return times(call, gradient, times(call, s, shifted(call.b, times(call, x, one_minus(call, s)), 1)));
}

/// log(1 + e^(beta·x)) / beta, x itself where beta·x passes the threshold.
Tensor softplus_of(Call& call, const Tensor& x, double beta, double threshold) {
  const Tensor inner = beta == 1 ? x : scaled(call.b, x, beta);
  const Tensor curve = call.b.unary(Opcode::Log1p, call.b.unary(Opcode::Exp, inner));
  return call.b.select(above(call, inner, threshold), x, beta == 1 ? curve : scaled(call.b, curve, 1 / beta));
}
Tensor softplus(Call& call, const Tensor& x) { return softplus_of(call, x, call.number(1, "beta", 1), call.number(2, "threshold", 20)); }
Tensor mish(Call& call, const Tensor& x) { return times(call, x, call.b.unary(Opcode::Tanh, softplus_of(call, x, 1, 20))); }

Tensor elu(Call& call, const Tensor& x) {
  const double alpha = call.number(1, "alpha", 1), scale = call.number(2, "scale", 1), input = call.number(3, "input_scale", 1);
  const Tensor low = scaled(call.b, call.b.unary(Opcode::Expm1, input == 1 ? x : scaled(call.b, x, input)), alpha * scale);
  return call.b.select(above(call, x, 0), scale == 1 ? x : scaled(call.b, x, scale), low);
}
Tensor selu(Call& call, const Tensor& x) {
  constexpr double kAlpha = 1.6732632423543772848170429916717, kScale = 1.0507009873554804934193349852946;
  return call.b.select(above(call, x, 0), scaled(call.b, x, kScale), scaled(call.b, call.b.unary(Opcode::Expm1, x), kAlpha * kScale));
}
Tensor leaky_relu(Call& call, const Tensor& x) { return call.b.select(above(call, x, 0), x, scaled(call.b, x, call.number(1, "negative_slope", 0.01))); }
Tensor leaky_relu_backward(Call& call, const Tensor& gradient, const Tensor& x) {
  return call.b.select(above(call, x, 0), gradient, scaled(call.b, gradient, call.number(2, "negative_slope", 0.01)));
}

Tensor between(Call& call, const Tensor& x, double low, double high) {
  return call.b.binary(Opcode::Minimum, call.b.binary(Opcode::Maximum, x, number(call, x, low)), number(call, x, high));
}
Tensor hardsigmoid(Call& call, const Tensor& x) { return scaled(call.b, between(call, shifted(call.b, x, 3), 0, 6), 1.0 / 6); }
Tensor hardswish(Call& call, const Tensor& x) { return times(call, x, hardsigmoid(call, x)); }

Tensor inside(Call& call, const Tensor& x, double low, double high) {
  return call.b.binary(Opcode::And, above(call, x, low), call.b.compare(Direction::LT, x, number(call, x, high)));
}
Tensor hardtanh_backward(Call& call, const Tensor& gradient, const Tensor& x) {
  return call.b.select(inside(call, x, call.number(2, "min_val", -1), call.number(3, "max_val", 1)), gradient, number(call, gradient, 0));
}
Tensor hardsigmoid_backward(Call& call, const Tensor& gradient, const Tensor& x) {
  return call.b.select(inside(call, x, -3, 3), scaled(call.b, gradient, 1.0 / 6), number(call, gradient, 0));
}
Tensor hardswish_backward(Call& call, const Tensor& gradient, const Tensor& x) {
  const Tensor middle = times(call, gradient, shifted(call.b, scaled(call.b, x, 1.0 / 3), 0.5));
  const Tensor low = call.b.compare(Direction::LT, x, number(call, x, -3));
  const Tensor high = call.b.compare(Direction::LE, x, number(call, x, 3));
  return call.b.select(low, number(call, gradient, 0), call.b.select(high, middle, gradient));
}

/// The result of the forward op is the second argument.
Tensor sigmoid_backward(Call& call, const Tensor& gradient, const Tensor& y) { return times(call, gradient, times(call, one_minus(call, y), y)); }
Tensor tanh_backward(Call& call, const Tensor& gradient, const Tensor& y) { return times(call, gradient, one_minus(call, times(call, y, y))); }
Tensor threshold_backward(Call& call, const Tensor& gradient, const Tensor& x) {
  return call.b.select(call.b.compare(Direction::LE, x, number(call, x, call.number(2, "threshold", 0))), number(call, gradient, 0), gradient);
}
Tensor elu_backward(Call& call, const Tensor& gradient, const Tensor& x) {
  const double alpha = call.number(1, "alpha", 1), scale = call.number(2, "scale", 1), input = call.number(3, "input_scale", 1);
  const bool is_result = call.flag(4, "is_result", false);
  Builder& b = call.b;
  const Tensor low = is_result ? scaled(b, shifted(b, x, alpha * scale), input) : scaled(b, b.unary(Opcode::Exp, scaled(b, x, input)), alpha * scale * input);
  return b.select(above(call, x, 0), scaled(b, gradient, scale), times(call, gradient, low));
}
/// elu_backward(grad, alpha, scale, input_scale, is_result, self_or_result)
Value elu_gradient(Call& call) {
  const Tensor gradient = call.tensor(0, "grad_output"), x = call.tensor(5, "self_or_result");
  return call.b.converted(elu_backward(call, call.wide(gradient), call.wide(x)), call.b.dtype(gradient));
}

Tensor glu(Call& call, const Tensor& x) {
  const std::int64_t dim = call.b.wrapped(call.integer(1, "dim", -1), call.b.rank(x));
  if (call.b.rank(x) == 0 || call.b.refused()) return x;
  const std::int64_t half = call.b.extent(x, dim) / 2;
  return times(call, call.b.sliced(x, dim, 0, half), logistic(call.b, call.b.sliced(x, dim, half, 2 * half)));
}

Value prelu(Call& call) {
  const Tensor x = call.tensor(0, "self");
  Tensor weight = call.tensor(1, "weight");
  if (call.b.rank(weight) == 1 && call.b.rank(x) > 2 && call.b.extent(weight, 0) > 1)
    for (std::int64_t dim = 2; dim < call.b.rank(x); ++dim) weight = call.b.unsqueezed(weight, -1);
  return call.b.select(above(call, x, 0), x, times(call, x, weight));
}

constexpr Operator kOperators[] = {
    {"relu", forward<relu>}, {"relu6", forward<relu6>}, {"gelu", forward<gelu>}, {"silu", forward<silu>}, {"mish", forward<mish>}, {"softplus", forward<softplus>},
    {"elu", forward<elu>}, {"selu", forward<selu>}, {"leaky_relu", forward<leaky_relu>}, {"hardsigmoid", forward<hardsigmoid>}, {"hardswish", forward<hardswish>},
    {"glu", forward<glu>}, {"prelu", prelu}, {"_prelu_kernel", prelu},
    {"gelu_backward", backward<gelu_backward>}, {"silu_backward", backward<silu_backward>}, {"sigmoid_backward", backward<sigmoid_backward>},
    {"tanh_backward", backward<tanh_backward>}, {"threshold_backward", backward<threshold_backward>}, {"leaky_relu_backward", backward<leaky_relu_backward>},
    {"hardtanh_backward", backward<hardtanh_backward>}, {"hardsigmoid_backward", backward<hardsigmoid_backward>}, {"hardswish_backward", backward<hardswish_backward>},
    {"elu_backward", elu_gradient},
};

}  // namespace

std::span<const Operator> activation_operators() { return kOperators; }

}  // namespace seam::graph::torch
