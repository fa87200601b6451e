/// Operators over lists of tensors: what optimizers call.
#include <fmt/core.h>

#include <cmath>

#include "torch/call.h"

namespace seam::graph::torch {
namespace {

/// _foreach_add(lists, …) is add of the k-th entries for every k.
Value foreach(Call& call) {
  const Value& first = call.value(0, "self");
  if (first.kind != Value::Kind::List || call.name.size() <= 9) call.b.refuse("no list of tensors");
  if (call.b.refused()) return {};
  const std::string name = call.name.substr(9);
  const Lowering each = lowering_of(name);
  if (each == nullptr) call.b.refuse(fmt::format("{} has no known meaning", name));
  std::vector<Value> out;
  for (std::size_t k = 0; k < first.items.size() && !call.b.refused(); ++k) {
    Call one = call;
    one.name = name;
    one.type = std::nullopt;
    const auto pick = [&](Value& value) {
      if (value.kind != Value::Kind::List) return;
      if (value.items.size() == first.items.size()) value = Value(value.items[k]);
      else call.b.refuse("lists of different lengths");
    };
    for (Value& value : one.arguments) pick(value);
    for (auto& [key, value] : one.keywords) pick(value);
    out.push_back(each(one));
  }
  return Value::list(std::move(out));
}

Tensor as_scalar(Call& call, const Value& value, DType dtype) { return call.as(value, dtype); }

/// _fused_adam(self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, lr=, beta1=, beta2=, weight_decay=, eps=, amsgrad=, maximize=):
/// the first four lists as they are afterwards (Kingma and Ba, algorithm 1; adamw: Loshchilov and Hutter).
Value fused_adam(Call& call) {
  Builder& b = call.b;
  const std::vector<Tensor> params = call.tensors(0, "self"), grads = call.tensors(1, "grads"), firsts = call.tensors(2, "exp_avgs"), seconds = call.tensors(3, "exp_avg_sqs");
  const std::vector<Tensor> steps = call.tensors(5, "state_steps");
  const double beta1 = call.number(SIZE_MAX, "beta1", 0.9), beta2 = call.number(SIZE_MAX, "beta2", 0.999), decay = call.number(SIZE_MAX, "weight_decay", 0), epsilon = call.number(SIZE_MAX, "eps", 1e-8);
  if (call.flag(SIZE_MAX, "amsgrad", false)) b.refuse("amsgrad");
  if (grads.size() != params.size() || firsts.size() != params.size() || seconds.size() != params.size() || steps.size() != params.size()) b.refuse("lists of different lengths");
  std::vector<Value> new_params, new_firsts, new_seconds, same_grads;
  for (std::size_t k = 0; k < params.size() && !b.refused(); ++k) {
    const DType type = Call::computing(b.dtype(params[k]));
    const Tensor rate = as_scalar(call, call.value(SIZE_MAX, "lr"), type);
    Tensor param = b.converted(params[k], type), grad = b.converted(grads[k], type);
    if (call.flag(SIZE_MAX, "maximize", false)) grad = b.unary(Opcode::Negate, grad);
    if (decay != 0 && call.name == "_fused_adamw") param = b.binary(Opcode::Subtract, param, b.binary(Opcode::Multiply, scaled(b, rate, decay), param));
    if (decay != 0 && call.name == "_fused_adam") grad = b.binary(Opcode::Add, grad, scaled(b, param, decay));
    const auto mixed = [&](const Tensor& old, const Tensor& fresh, double beta) { return b.binary(Opcode::Add, scaled(b, b.converted(old, type), beta), scaled(b, fresh, 1 - beta)); };
    const Tensor first = mixed(firsts[k], grad, beta1), second = mixed(seconds[k], b.binary(Opcode::Multiply, grad, grad), beta2);
    const Tensor step = b.converted(steps[k], type);
    const auto correction = [&](double beta) { return b.binary(Opcode::Subtract, b.constant(type, 1), b.binary(Opcode::Power, b.constant(type, beta), step)); };
    const Tensor denominator = shifted(b, b.binary(Opcode::Divide, b.unary(Opcode::Sqrt, second), b.unary(Opcode::Sqrt, correction(beta2))), epsilon);
    const Tensor size = b.binary(Opcode::Divide, rate, correction(beta1));
    const Tensor moved = b.binary(Opcode::Subtract, param, b.binary(Opcode::Multiply, size, b.binary(Opcode::Divide, first, denominator)));
    new_params.emplace_back(b.converted(moved, b.dtype(params[k])));
    new_firsts.emplace_back(b.converted(first, b.dtype(firsts[k])));
    new_seconds.emplace_back(b.converted(second, b.dtype(seconds[k])));
    same_grads.emplace_back(grads[k]);
  }
  return Value::list({Value::list(std::move(new_params)), Value::list(std::move(same_grads)), Value::list(std::move(new_firsts)), Value::list(std::move(new_seconds))});
}

constexpr Operator kOperators[] = {
    {"_foreach", foreach}, {"_fused_adam", fused_adam}, {"_fused_adamw", fused_adam},
};

}  // namespace

std::span<const Operator> list_operators() { return kOperators; }

}  // namespace seam::graph::torch
