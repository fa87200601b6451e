#include "emit/scalar.h"

#include <fmt/core.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "base/check.h"
#include "emit/types.h"

namespace seam::codegen {
namespace {

using graph::Opcode;

bool half(DType d) { return d == DType::F16 || d == DType::BF16; }

/// The op's float result in its own type: f16 and bf16 are rounded each time.
std::string rounded(DType dtype, const std::string& value) {
  if (dtype == DType::F16) return fmt::format("round_f16({})", value);
  if (dtype == DType::BF16) return fmt::format("round_bf16({})", value);
  return value;
}

std::string_view unsigned_of(DType dtype) {
  switch (bits(dtype)) {
    case 8: return "unsigned char";
    case 16: return "unsigned short";
    case 32: return "unsigned int";
    default: return "unsigned long long";
  }
}

/// "expf" or "exp".
std::string math(DType dtype, std::string_view function, const std::string& args) {
  return rounded(dtype, fmt::format("{}{}({})", function, dtype == DType::F64 ? "" : "f", args));
}

std::string one(DType dtype) { return dtype == DType::F64 ? "1.0" : "1.0f"; }

std::string float_literal(DType dtype, double v) {
  const bool wide = dtype == DType::F64;
  if (std::isnan(v)) return wide ? "__longlong_as_double(0x7ff8000000000000ll)" : "__int_as_float(0x7fc00000)";
  if (std::isinf(v)) {
    if (wide) return v > 0 ? "__longlong_as_double(0x7ff0000000000000ll)" : "-__longlong_as_double(0x7ff0000000000000ll)";
    return v > 0 ? "__int_as_float(0x7f800000)" : "__int_as_float(0xff800000)";
  }
  std::string text = wide ? fmt::format("{}", v) : fmt::format("{}", static_cast<float>(v));
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return wide ? text : text + "f";
}

std::string float_op(const Scalar& op, const std::vector<std::string>& a) {
  const DType t = op.dtype;
  const bool wide = t == DType::F64;
  switch (op.op) {
    case Opcode::Abs: return wide ? fmt::format("fabs({})", a[0]) : fmt::format("fabsf({})", a[0]);
    case Opcode::Acos: return math(t, "acos", a[0]);
    case Opcode::Acosh: return math(t, "acosh", a[0]);
    case Opcode::Add: return rounded(t, fmt::format("{} + {}", a[0], a[1]));
    case Opcode::Asin: return math(t, "asin", a[0]);
    case Opcode::Asinh: return math(t, "asinh", a[0]);
    case Opcode::Atan2: return math(t, "atan2", fmt::format("{}, {}", a[0], a[1]));
    case Opcode::Atanh: return math(t, "atanh", a[0]);
    case Opcode::Cbrt: return math(t, "cbrt", a[0]);
    case Opcode::Ceil: return wide ? fmt::format("ceil({})", a[0]) : fmt::format("ceilf({})", a[0]);
    case Opcode::Clamp: return fmt::format("nan_min(nan_max({}, {}), {})", a[1], a[0], a[2]);
    case Opcode::Cosine: return math(t, "cos", a[0]);
    case Opcode::Cosh: return math(t, "cosh", a[0]);
    case Opcode::Divide: return rounded(t, fmt::format("{} / {}", a[0], a[1]));
    case Opcode::Erf: return math(t, "erf", a[0]);
    case Opcode::Exp: return math(t, "exp", a[0]);
    case Opcode::Expm1: return math(t, "expm1", a[0]);
    case Opcode::Floor: return wide ? fmt::format("floor({})", a[0]) : fmt::format("floorf({})", a[0]);
    case Opcode::Log: return math(t, "log", a[0]);
    case Opcode::Log1p: return math(t, "log1p", a[0]);
    case Opcode::Logistic: return rounded(t, fmt::format("{0} / ({0} + {1}(-{2}))", one(t), wide ? "exp" : "expf", a[0]));
    case Opcode::Maximum: return fmt::format("nan_max({}, {})", a[0], a[1]);
    case Opcode::Minimum: return fmt::format("nan_min({}, {})", a[0], a[1]);
    case Opcode::Multiply: return rounded(t, fmt::format("{} * {}", a[0], a[1]));
    case Opcode::Negate: return fmt::format("-{}", a[0]);
    case Opcode::Power: return math(t, "pow", fmt::format("{}, {}", a[0], a[1]));
    case Opcode::ReducePrecision: return rounded(t, fmt::format("reduce_precision({}, {}, {})", a[0], op.detail, op.detail2));
    case Opcode::Remainder: return math(t, "fmod", fmt::format("{}, {}", a[0], a[1]));
    case Opcode::RoundNearestAfz: return wide ? fmt::format("round({})", a[0]) : fmt::format("roundf({})", a[0]);
    case Opcode::RoundNearestEven: return wide ? fmt::format("rint({})", a[0]) : fmt::format("rintf({})", a[0]);
    case Opcode::Rsqrt: return rounded(t, fmt::format("{} / {}({})", one(t), wide ? "sqrt" : "sqrtf", a[0]));
    case Opcode::Select: return fmt::format("{} ? {} : {}", a[0], a[1], a[2]);
    case Opcode::Sign: return fmt::format("{1} > 0 ? {0} : {1} < 0 ? -{0} : {1}", one(t), a[0]);
    case Opcode::Sine: return math(t, "sin", a[0]);
    case Opcode::Sinh: return math(t, "sinh", a[0]);
    case Opcode::Sqrt: return math(t, "sqrt", a[0]);
    case Opcode::Subtract: return rounded(t, fmt::format("{} - {}", a[0], a[1]));
    case Opcode::Tan: return math(t, "tan", a[0]);
    case Opcode::Tanh: return math(t, "tanh", a[0]);
    default: break;
  }
  SEAM_CHECK(false, fmt::format("no text for {} of {}", graph::name(op.op), seam::name(t)));
}

std::string integer_op(const Scalar& op, const std::vector<std::string>& a) {
  const DType t = op.dtype;
  const std::string_view type = register_type(t);
  const std::string_view bare = unsigned_of(t);
  // Unsigned arithmetic wraps; signed overflow would be undefined.
  const auto wrap = [&](std::string_view sign) {
    if (is_unsigned(t) && bits(t) >= 32) return fmt::format("{} {} {}", a[0], sign, a[1]);
    return fmt::format("({})(({}){} {} ({}){})", type, bare, a[0], sign, bare, a[1]);
  };
  switch (op.op) {
    case Opcode::Abs: return is_signed(t) ? fmt::format("{1} < 0 ? ({0})(0 - ({2}){1}) : {1}", type, a[0], bare) : a[0];
    case Opcode::Add: return wrap("+");
    case Opcode::And: return fmt::format("({})({} & {})", type, a[0], a[1]);
    case Opcode::Clamp: return fmt::format("{1} < {0} ? ({0} > {2} ? {2} : {0}) : {1} > {2} ? {2} : {1}", a[0], a[1], a[2]);
    case Opcode::CountLeadingZeros:
      if (bits(t) == 64) return fmt::format("({})__clzll((long long){})", type, a[0]);
      return fmt::format("({})(__clz((int)({}){}) - {})", type, bare, a[0], 32 - bits(t));
    case Opcode::Divide: return fmt::format("divide<{}>({}, {})", type, a[0], a[1]);
    case Opcode::Maximum: return fmt::format("{0} > {1} ? {0} : {1}", a[0], a[1]);
    case Opcode::Minimum: return fmt::format("{0} < {1} ? {0} : {1}", a[0], a[1]);
    case Opcode::Multiply: return bits(t) == 16 ? fmt::format("({})((unsigned int){} * (unsigned int){})", type, a[0], a[1]) : wrap("*");
    case Opcode::MulHi:
      if (bits(t) == 64) return fmt::format("{}({}, {})", is_unsigned(t) ? "__umul64hi" : "__mul64hi", a[0], a[1]);
      return fmt::format("{}({}, {})", is_unsigned(t) ? "__umulhi" : "__mulhi", a[0], a[1]);
    case Opcode::Negate: return fmt::format("({})(0 - ({}){})", type, bare, a[0]);
    case Opcode::Not: return fmt::format("({})~{}", type, a[0]);
    case Opcode::Or: return fmt::format("({})({} | {})", type, a[0], a[1]);
    case Opcode::PopulationCount: return fmt::format("({})__popcll((unsigned long long)({}){})", type, bare, a[0]);
    case Opcode::Power: return fmt::format("integer_power<{}>({}, {})", type, a[0], a[1]);
    case Opcode::Remainder: return fmt::format("remainder_of<{}>({}, {})", type, a[0], a[1]);
    case Opcode::Select: return fmt::format("{} ? {} : {}", a[0], a[1], a[2]);
    case Opcode::ShiftLeft: return fmt::format("shift_left<{}>({}, {})", type, a[0], a[1]);
    case Opcode::ShiftRightArithmetic: return fmt::format("shift_right_sign<{}>({}, {})", type, a[0], a[1]);
    case Opcode::ShiftRightLogical: return fmt::format("shift_right<{}>({}, {})", type, a[0], a[1]);
    case Opcode::Sign: return fmt::format("({0})({1} > 0 ? 1 : {1} < 0 ? -1 : 0)", type, a[0]);
    case Opcode::Subtract: return wrap("-");
    case Opcode::Xor: return fmt::format("({})({} ^ {})", type, a[0], a[1]);
    default: break;
  }
  SEAM_CHECK(false, fmt::format("no text for {} of {}", graph::name(op.op), seam::name(t)));
}

std::string pred_op(const Scalar& op, const std::vector<std::string>& a) {
  switch (op.op) {
    case Opcode::Add:
    case Opcode::Maximum:
    case Opcode::Or: return fmt::format("{} || {}", a[0], a[1]);
    case Opcode::Multiply:
    case Opcode::Minimum:
    case Opcode::And: return fmt::format("{} && {}", a[0], a[1]);
    case Opcode::Xor: return fmt::format("{} != {}", a[0], a[1]);
    case Opcode::Not: return fmt::format("!{}", a[0]);
    case Opcode::Select: return fmt::format("{} ? {} : {}", a[0], a[1], a[2]);
    case Opcode::Clamp: return fmt::format("({1} || {0}) && {2}", a[0], a[1], a[2]);
    default: break;
  }
  SEAM_CHECK(false, fmt::format("no text for {} of pred", graph::name(op.op)));
}

std::string compare(const Scalar& op, const std::vector<std::string>& a) {
  static constexpr std::string_view kSigns[] = {"==", "!=", ">=", ">", "<=", "<"};
  const std::string_view sign = kSigns[static_cast<std::size_t>(op.detail)];
  if (op.detail2 != 0) return fmt::format("total_order({}) {} total_order({})", a[0], sign, a[1]);
  return fmt::format("{} {} {}", a[0], sign, a[1]);
}

std::string convert(const Scalar& op, const std::string& a) {
  const DType from = dtype_of(op.args[0]);
  const DType to = op.dtype;
  if (to == DType::Pred) return fmt::format("{} != 0", a);
  if (from == DType::Pred) return is_float(to) ? fmt::format("{} ? {} : {}", a, one(to), to == DType::F64 ? "0.0" : "0.0f")
                                               : fmt::format("({})({} ? 1 : 0)", register_type(to), a);
  if (is_float(to)) {
    if (from == DType::F64 && half(to)) return rounded(to, fmt::format("double_to_float_odd({})", a));
    if (half(from) && to == DType::F32) return a;
    if (from == DType::F32 && half(to)) return rounded(to, a);
    if (half(from) && half(to)) return rounded(to, a);
    // 32-bit and wider integers do not fit a float: go through double and round once more, correctly.
    if (half(to) && bits(from) > 16) return rounded(to, fmt::format("double_to_float_odd((double){})", a));
    return rounded(to, fmt::format("({}){}", register_type(to), a));
  }
  if (is_float(from)) {
    if (to == DType::S32 && from != DType::F64) return fmt::format("{0} == {0} ? __float2int_rz({0}) : 0", a);
    const int n = bits(to);
    const std::string low = is_unsigned(to) ? "0.0" : fmt::format("-{}.0", std::uint64_t{1} << (n - 1));
    const double high = std::ldexp(1.0, is_unsigned(to) ? n : n - 1);
    return fmt::format("to_integer<{}>((double){}, {}, {})", register_type(to), a, low, n >= 64 ? fmt::format("{:.1f}", high) : fmt::format("{:.1f}", high - 1));
  }
  return fmt::format("({}){}", register_type(to), a);
}

std::string bitcast(const Scalar& op, const std::string& a) {
  const DType from = dtype_of(op.args[0]);
  const DType to = op.dtype;
  if (is_float(from)) {
    const std::string raw = from == DType::F32    ? fmt::format("__float_as_uint({})", a)
                            : from == DType::F64  ? fmt::format("__double_as_longlong({})", a)
                            : from == DType::F16  ? fmt::format("float_to_f16({})", a)
                                                  : fmt::format("float_to_bf16({})", a);
    if (to == DType::F16) return fmt::format("f16_to_float({})", raw);
    if (to == DType::BF16) return fmt::format("bf16_to_float({})", raw);
    return fmt::format("({}){}", register_type(to), raw);
  }
  if (to == DType::F32) return fmt::format("__uint_as_float((unsigned int){})", a);
  if (to == DType::F64) return fmt::format("__longlong_as_double((long long){})", a);
  if (to == DType::F16) return fmt::format("f16_to_float((unsigned short){})", a);
  if (to == DType::BF16) return fmt::format("bf16_to_float((unsigned short){})", a);
  return fmt::format("({}){}", register_type(to), a);
}

}  // namespace

std::string emit_imm(const Imm& imm) {
  if (is_float(imm.dtype)) {
    const std::string text = float_literal(imm.dtype, float_value(imm));
    return text.front() == '-' ? "(" + text + ")" : text;
  }
  if (imm.dtype == DType::Pred) return imm.bits != 0 ? "true" : "false";
  const auto v = std::bit_cast<std::int64_t>(imm.bits);
  switch (imm.dtype) {
    case DType::S64: return v == INT64_MIN ? "(-9223372036854775807ll - 1)" : fmt::format("{}{}ll{}", v < 0 ? "(" : "", v, v < 0 ? ")" : "");
    case DType::U64: return fmt::format("{}ull", imm.bits);
    case DType::U32: return fmt::format("{}u", imm.bits);
    case DType::S32:
      if (v == INT32_MIN) return "(-2147483647 - 1)";
      return v < 0 ? fmt::format("({})", v) : fmt::format("{}", v);
    default: return fmt::format("({}){}", register_type(imm.dtype), v < 0 ? fmt::format("({})", v) : fmt::format("{}", v));
  }
}

std::string emit_scalar(const Scalar& op, const std::vector<std::string>& args) {
  const DType from = op.args.empty() ? op.dtype : dtype_of(op.args[0]);
  switch (op.op) {
    case Opcode::Convert: return convert(op, args[0]);
    case Opcode::BitcastConvert: return bitcast(op, args[0]);
    case Opcode::Compare: return compare(op, args);
    case Opcode::IsFinite:
      if (!is_float(from)) return "true";
      return from == DType::F64 ? fmt::format("fabs({}) < __longlong_as_double(0x7ff0000000000000ll)", args[0])
                                : fmt::format("fabsf({}) < __int_as_float(0x7f800000)", args[0]);
    default: break;
  }
  if (op.dtype == DType::Pred) return pred_op(op, args);
  return is_float(op.dtype) ? float_op(op, args) : integer_op(op, args);
}

}  // namespace seam::codegen
