/// Element-wise arithmetic, comparisons and logic.
#include <fmt/core.h>

#include <cmath>
#include <numbers>

#include "torch/call.h"

namespace seam::graph::torch {
namespace {

/// One operand, computed as it is.
template <Opcode opcode>
Value same(Call& call) {
  return call.b.unary(opcode, call.tensor(0, "self"));
}

/// One operand; integers become floats.
template <Opcode opcode>
Value fraction(Call& call) {
  const Tensor a = call.tensor(0, "self");
  return call.b.unary(opcode, call.b.converted(a, Call::fractional(call.b.dtype(a))));
}

/// Computed in f32 for 16-bit floats: several ops, rounded once.
template <Tensor (*body)(Builder&, const Tensor&)>
Value composed(Call& call) {
  const Tensor a = call.tensor(0, "self");
  const DType type = Call::fractional(call.b.dtype(a));
  return call.b.converted(body(call.b, call.b.converted(a, Call::computing(type))), type);
}

Tensor exp2(Builder& b, const Tensor& a) { return b.unary(Opcode::Exp, scaled(b, a, std::numbers::ln2)); }
Tensor log2(Builder& b, const Tensor& a) { return scaled(b, b.unary(Opcode::Log, a), 1 / std::numbers::ln2); }
Tensor log10(Builder& b, const Tensor& a) { return scaled(b, b.unary(Opcode::Log, a), 1 / std::numbers::ln10); }
Tensor reciprocal(Builder& b, const Tensor& a) { return b.binary(Opcode::Divide, b.constant(b.dtype(a), 1), a); }
Tensor erfc(Builder& b, const Tensor& a) { return b.binary(Opcode::Subtract, b.constant(b.dtype(a), 1), b.unary(Opcode::Erf, a)); }
Tensor square(Builder& b, const Tensor& a) { return b.binary(Opcode::Multiply, a, a); }
Tensor fractional_part(Builder& b, const Tensor& a) {
  const Tensor zero = b.constant(b.dtype(a), 0);
  const Tensor whole = b.select(b.compare(Direction::LT, a, zero), b.unary(Opcode::Ceil, a), b.unary(Opcode::Floor, a));
  return b.binary(Opcode::Subtract, a, whole);
}

Tensor truncated(Builder& b, const Tensor& a) {
  if (!is_float(b.dtype(a))) return a;
  return b.select(b.compare(Direction::LT, a, b.constant(b.dtype(a), 0)), b.unary(Opcode::Ceil, a), b.unary(Opcode::Floor, a));
}

Value rounding(Call& call, Opcode opcode) {
  const Tensor a = call.tensor(0, "self");
  return is_float(call.b.dtype(a)) ? call.b.unary(opcode, a) : a;
}

struct Pair {
  Tensor a, b;
  DType dtype;
};
Pair both(Call& call) {
  const Value* const values[] = {&call.value(0, "self"), &call.value(1, "other")};
  const DType type = call.promoted(values);
  return {call.as(*values[0], type), call.as(*values[1], type), type};
}

template <Opcode opcode>
Value two(Call& call) {
  const Pair pair = both(call);
  return call.b.binary(opcode, pair.a, pair.b);
}

/// `+` and `-` of sizes stay sizes.
std::optional<Value> of_sizes(Call& call, std::int64_t (*compute)(std::int64_t, std::int64_t)) {
  const Value &a = call.value(0, "self"), &b = call.value(1, "other");
  if (a.kind != Value::Kind::Int || b.kind != Value::Kind::Int) return std::nullopt;
  return Value::of(compute(a.integer, b.integer));
}

Value sum_or_difference(Call& call, Opcode opcode, bool turned) {
  if (auto size = of_sizes(call, opcode == Opcode::Add ? +[](std::int64_t x, std::int64_t y) { return x + y; } : +[](std::int64_t x, std::int64_t y) { return x - y; })) return *size;
  Pair pair = both(call);
  const double alpha = call.number(2, "alpha", 1);
  if (turned) std::swap(pair.a, pair.b);  // rsub: other - alpha * self
  if (pair.dtype == DType::Pred && opcode == Opcode::Add) return call.b.binary(Opcode::Or, pair.a, pair.b);
  if (alpha != 1) pair.b = scaled(call.b, pair.b, alpha);
  return call.b.binary(opcode, pair.a, pair.b);
}

Value add(Call& call) { return sum_or_difference(call, Opcode::Add, false); }
Value sub(Call& call) { return sum_or_difference(call, Opcode::Subtract, false); }
Value rsub(Call& call) { return sum_or_difference(call, Opcode::Subtract, true); }

Value mul(Call& call) {
  if (auto size = of_sizes(call, [](std::int64_t x, std::int64_t y) { return x * y; })) return *size;
  const Pair pair = both(call);
  return call.b.binary(pair.dtype == DType::Pred ? Opcode::And : Opcode::Multiply, pair.a, pair.b);
}

Tensor floored(Builder& b, const Tensor& a, const Tensor& c) {
  const DType type = b.dtype(a);
  if (is_float(type)) return b.unary(Opcode::Floor, b.binary(Opcode::Divide, a, c));
  const Tensor quotient = b.binary(Opcode::Divide, a, c);
  if (is_unsigned(type)) return quotient;
  const Tensor zero = b.integer(type, 0);
  const Tensor rest = b.binary(Opcode::Remainder, a, c);
  const Tensor apart = b.compare(Direction::NE, b.compare(Direction::LT, rest, zero), b.compare(Direction::LT, c, zero));
  const Tensor down = b.binary(Opcode::And, b.compare(Direction::NE, rest, zero), apart);
  return b.select(down, b.binary(Opcode::Subtract, quotient, b.integer(type, 1)), quotient);
}

Value div(Call& call) {
  const std::string mode = call.text(2, "rounding_mode");
  Pair pair = both(call);
  if (mode == "floor") return floored(call.b, pair.a, pair.b);
  if (mode == "trunc") return truncated(call.b, call.b.binary(Opcode::Divide, pair.a, pair.b));
  const DType type = Call::fractional(pair.dtype);
  return call.b.binary(Opcode::Divide, call.b.converted(pair.a, type), call.b.converted(pair.b, type));
}

Value floor_divide(Call& call) {
  if (call.value(1, "other").kind == Value::Kind::Int && call.value(1, "other").integer <= 0 && call.value(0, "self").kind == Value::Kind::Int) call.b.refuse("a size divided by nothing");
  if (call.b.refused()) return {};
  if (auto size = of_sizes(call, [](std::int64_t x, std::int64_t y) { return x / y; })) return *size;
  const Pair pair = both(call);
  return floored(call.b, pair.a, pair.b);
}

/// Sign of the divisor (Python's %).
Value remainder(Call& call) {
  const Pair pair = both(call);
  const Tensor rest = call.b.binary(Opcode::Remainder, pair.a, pair.b);
  const Tensor zero = call.b.constant(pair.dtype, 0);
  const Tensor apart = call.b.compare(Direction::NE, call.b.compare(Direction::LT, rest, zero), call.b.compare(Direction::LT, pair.b, zero));
  return call.b.select(call.b.binary(Opcode::And, call.b.compare(Direction::NE, rest, zero), apart), call.b.binary(Opcode::Add, rest, pair.b), rest);
}

Value pow(Call& call) {
  const Value& exponent = call.value(1, "exponent");
  const Value* const values[] = {&call.value(0, "self"), &exponent};
  const DType type = call.promoted(values);
  const Tensor base = call.as(*values[0], type);
  if (exponent.is_number()) {
    const double power = exponent.as_number();
    Builder& b = call.b;
    const Tensor wide = call.wide(base);
    if (power == 0) return b.filled(type, b.dims(base), 1);
    if (power == 1) return base;
    if (power == 2) return b.binary(Opcode::Multiply, base, base);
    if (power == 3) return b.converted(b.binary(Opcode::Multiply, b.binary(Opcode::Multiply, wide, wide), wide), type);
    if (power == 4) return b.converted(square(b, square(b, wide)), type);
    if (power == 0.5) return b.unary(Opcode::Sqrt, base);
    if (power == -0.5) return b.unary(Opcode::Rsqrt, base);
    if (power == -1) return reciprocal(b, base);
  }
  return call.b.binary(Opcode::Power, base, call.as(exponent, type));
}

template <Direction direction>
Value comparison(Call& call) {
  const Pair pair = both(call);
  return call.b.compare(direction, pair.a, pair.b);
}

template <Opcode opcode>
Value logical(Call& call) {
  const Tensor a = call.b.converted(call.tensor(0, "self"), DType::Pred), c = call.b.converted(call.tensor(1, "other"), DType::Pred);
  return call.b.binary(opcode, a, c);
}

Value logical_not(Call& call) { return call.b.unary(Opcode::Not, call.b.converted(call.tensor(0, "self"), DType::Pred)); }

Value is_nan(Call& call) {
  const Tensor a = call.tensor(0, "self");
  return call.b.compare(Direction::NE, a, a);
}
Value is_inf(Call& call) {
  const Tensor a = call.tensor(0, "self");
  return call.b.compare(Direction::EQ, call.b.unary(Opcode::Abs, a), call.b.constant(call.b.dtype(a), HUGE_VAL));
}

Value neg(Call& call) {
  const Value& a = call.value(0, "self");
  if (a.kind == Value::Kind::Int) return Value::of(-a.integer);
  return call.b.unary(Opcode::Negate, call.tensor(0, "self"));
}

Value where(Call& call) {
  const Value* const values[] = {&call.value(1, "input"), &call.value(2, "other")};
  const DType type = call.promoted(values);
  return call.b.select(call.b.converted(call.tensor(0, "condition"), DType::Pred), call.as(*values[0], type), call.as(*values[1], type));
}

Value masked_fill(Call& call) {
  const Tensor a = call.tensor(0, "self");
  const DType type = call.b.dtype(a);
  const Tensor filler = call.as(call.value(2, "value"), type);
  const Tensor mask = call.tensor(1, "mask");
  return call.b.select(mask, filler, a);
}

Value clamp(Call& call) {
  const Value *low = &call.value(1, "min"), *high = &call.value(2, "max");
  static const Value none;
  if (call.name == "clamp_min") high = &none;
  if (call.name == "clamp_max") {
    high = &call.value(1, "max");
    low = &none;
  }
  if (call.name == "hardtanh") {
    const Tensor a = call.tensor(0, "self");
    const DType type = call.b.dtype(a);
    const Tensor least = call.b.constant(type, call.number(1, "min_val", -1)), most = call.b.constant(type, call.number(2, "max_val", 1));
    return call.b.binary(Opcode::Minimum, call.b.binary(Opcode::Maximum, a, least), most);
  }
  const Value* const values[] = {&call.value(0, "self"), low, high};
  const DType type = call.promoted(values);
  Tensor out = call.as(*values[0], type);
  if (low->kind != Value::Kind::None) out = call.b.binary(Opcode::Maximum, out, call.as(*low, type));
  if (high->kind != Value::Kind::None) out = call.b.binary(Opcode::Minimum, out, call.as(*high, type));
  return out;
}

Value lerp(Call& call) {
  const Tensor start = call.tensor(0, "self"), end = call.tensor(1, "end");
  const DType type = call.b.dtype(start);
  const Tensor weight = call.as(call.value(2, "weight"), Call::computing(type));
  const Tensor a = call.wide(start), c = call.wide(end);
  return call.b.converted(call.b.binary(Opcode::Add, a, call.b.binary(Opcode::Multiply, weight, call.b.binary(Opcode::Subtract, c, a))), type);
}

template <Opcode opcode>
Value add_combined(Call& call) {
  const Tensor self = call.tensor(0, "self");
  const Tensor both = call.b.binary(opcode, call.wide(call.tensor(1, "tensor1")), call.wide(call.tensor(2, "tensor2")));
  const double value = call.number(3, "value", 1);
  const Tensor part = value == 1 ? both : scaled(call.b, both, value);
  return call.b.converted(call.b.binary(Opcode::Add, call.wide(self), part), call.b.dtype(self));
}

Value fma(Call& call) {
  const Tensor a = call.tensor(0, "self");
  const DType type = call.b.dtype(a);
  return call.b.binary(Opcode::Add, call.b.binary(Opcode::Multiply, a, call.as(call.value(1, "other"), type)), call.as(call.value(2, "addend"), type));
}

Value convert(Call& call) {
  const Tensor a = call.tensor(0, "self");
  if (call.name == "type_as") return call.b.converted(a, call.b.dtype(call.tensor(1, "other")));
  static constexpr std::pair<std::string_view, DType> kNamed[] = {{"float", DType::F32}, {"double", DType::F64}, {"half", DType::F16}, {"bfloat16", DType::BF16},
                                                                   {"long", DType::S64}, {"int", DType::S32}, {"bool", DType::Pred}};
  for (const auto& [name, type] : kNamed)
    if (call.name == name) return call.b.converted(a, type);
  // to(dtype), to(device), to(device, dtype), to(other): the first argument that names a type does it
  for (std::size_t k = 1; k < call.arguments.size(); ++k) {
    if (call.arguments[k].is_tensor()) return call.b.converted(a, call.b.dtype(call.arguments[k].tensor));
    if (call.arguments[k].kind == Value::Kind::Text)
      if (const std::optional<DType> type = torch_dtype(call.arguments[k].text)) return call.b.converted(a, *type);
  }
  return call.b.converted(a, call.dtype(SIZE_MAX, "dtype", call.b.dtype(a)));
}

Value same_tensor(Call& call) { return call.tensor(0, "self"); }

Value copy(Call& call) {  // copy_(self, src): what self holds afterwards
  const Tensor self = call.tensor(0, "self");
  return call.b.expanded(call.b.converted(call.tensor(1, "src"), call.b.dtype(self)), call.b.dims(self));
}

Value trunc(Call& call) { return truncated(call.b, call.tensor(0, "self")); }

Value logaddexp(Call& call) {
  const Pair pair = both(call);
  Builder& b = call.b;
  const Tensor high = b.binary(Opcode::Maximum, pair.a, pair.b), low = b.binary(Opcode::Minimum, pair.a, pair.b);
  return b.binary(Opcode::Add, high, b.unary(Opcode::Log1p, b.unary(Opcode::Exp, b.binary(Opcode::Subtract, low, high))));
}

constexpr Operator kOperators[] = {
    {"exp", fraction<Opcode::Exp>}, {"expm1", fraction<Opcode::Expm1>}, {"log", fraction<Opcode::Log>}, {"log1p", fraction<Opcode::Log1p>},
    {"sqrt", fraction<Opcode::Sqrt>}, {"rsqrt", fraction<Opcode::Rsqrt>}, {"sin", fraction<Opcode::Sine>}, {"cos", fraction<Opcode::Cosine>},
    {"tan", fraction<Opcode::Tan>}, {"tanh", fraction<Opcode::Tanh>}, {"sinh", fraction<Opcode::Sinh>}, {"cosh", fraction<Opcode::Cosh>},
    {"asin", fraction<Opcode::Asin>}, {"acos", fraction<Opcode::Acos>}, {"asinh", fraction<Opcode::Asinh>}, {"acosh", fraction<Opcode::Acosh>},
    {"atanh", fraction<Opcode::Atanh>}, {"erf", fraction<Opcode::Erf>}, {"sigmoid", fraction<Opcode::Logistic>},
    {"exp2", composed<exp2>}, {"log2", composed<log2>}, {"log10", composed<log10>}, {"reciprocal", composed<reciprocal>}, {"erfc", composed<erfc>},
    {"frac", composed<fractional_part>}, {"abs", same<Opcode::Abs>}, {"neg", neg}, {"negative", neg}, {"sign", same<Opcode::Sign>}, {"sgn", same<Opcode::Sign>},
    {"ceil", [](Call& call) { return rounding(call, Opcode::Ceil); }}, {"floor", [](Call& call) { return rounding(call, Opcode::Floor); }},
    {"round", [](Call& call) { if (call.has(1, "decimals")) call.b.refuse("rounding to decimals"); return rounding(call, Opcode::RoundNearestEven); }}, {"trunc", trunc}, {"fix", trunc},
    {"square", [](Call& call) -> Value { return square(call.b, call.tensor(0, "self")); }},
    {"bitwise_not", same<Opcode::Not>}, {"logical_not", logical_not}, {"isnan", is_nan}, {"isinf", is_inf}, {"isfinite", same<Opcode::IsFinite>},
    {"add", add}, {"sub", sub}, {"subtract", sub}, {"rsub", rsub}, {"mul", mul}, {"multiply", mul}, {"div", div}, {"divide", div}, {"true_divide", div}, {"truediv", div},
    {"floor_divide", floor_divide}, {"floordiv", floor_divide}, {"remainder", remainder}, {"fmod", two<Opcode::Remainder>}, {"pow", pow},
    {"maximum", two<Opcode::Maximum>}, {"minimum", two<Opcode::Minimum>}, {"atan2", two<Opcode::Atan2>},
    {"eq", comparison<Direction::EQ>}, {"ne", comparison<Direction::NE>}, {"lt", comparison<Direction::LT>}, {"le", comparison<Direction::LE>},
    {"gt", comparison<Direction::GT>}, {"ge", comparison<Direction::GE>},
    {"logical_and", logical<Opcode::And>}, {"logical_or", logical<Opcode::Or>}, {"logical_xor", logical<Opcode::Xor>},
    {"bitwise_and", two<Opcode::And>}, {"bitwise_or", two<Opcode::Or>}, {"bitwise_xor", two<Opcode::Xor>}, {"__and__", two<Opcode::And>}, {"__or__", two<Opcode::Or>},
    {"bitwise_left_shift", two<Opcode::ShiftLeft>}, {"bitwise_right_shift", two<Opcode::ShiftRightArithmetic>}, {"__lshift__", two<Opcode::ShiftLeft>}, {"__rshift__", two<Opcode::ShiftRightArithmetic>},
    {"where", where}, {"masked_fill", masked_fill}, {"clamp", clamp}, {"clip", clamp}, {"clamp_min", clamp}, {"clamp_max", clamp}, {"hardtanh", clamp},
    {"lerp", lerp}, {"addcmul", add_combined<Opcode::Multiply>}, {"addcdiv", add_combined<Opcode::Divide>}, {"fma", fma}, {"logaddexp", logaddexp},
    {"convert_element_type", convert}, {"_to_copy", convert}, {"to", convert}, {"float", convert}, {"double", convert}, {"half", convert}, {"bfloat16", convert},
    {"long", convert}, {"int", convert}, {"bool", convert}, {"type_as", convert}, {"copy", copy}, {"positive", same_tensor}, {"resolve_conj", same_tensor}, {"resolve_neg", same_tensor},
    {"device_put", same_tensor}, {"cuda", same_tensor}, {"lift_fresh", same_tensor}, {"lift_fresh_copy", same_tensor}, {"lift", same_tensor}, {"requires_grad_", same_tensor},
};

}  // namespace

std::span<const Operator> pointwise_operators() { return kOperators; }

}  // namespace seam::graph::torch
