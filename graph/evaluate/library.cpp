#include <fmt/core.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "evaluate/kernel.h"
#include "graph/matmul.h"

namespace seam::graph {
namespace {

using Json = nlohmann::json;

double number(const Json& object, const char* key, double otherwise) {
  return object.is_object() && object.contains(key) && object[key].is_number() ? object[key].get<double>() : otherwise;
}

std::string word(const Json& object, const char* key, std::string otherwise) {
  return object.is_object() && object.contains(key) && object[key].is_string() ? object[key].get<std::string>() : otherwise;
}

/// What a library call returns: its result, and scratch memory that nothing reads.
Value with_scratch(Value result, const Shape& shape) {
  if (!shape.is_tuple) return result;
  Value tuple;
  tuple.shape = shape;
  for (std::size_t i = 1; i < shape.elements.size(); ++i) {
    Value scratch;
    scratch.shape = shape.elements[i];
    scratch.shape.dims = {0};
    scratch.shape.minor_to_major = {0};
    tuple.elements.push_back(std::move(scratch));
    tuple.shape.elements[i] = tuple.elements.back().shape;
  }
  tuple.elements.insert(tuple.elements.begin(), std::move(result));
  return tuple;
}

double activated(Activation activation, double x) {
  switch (activation) {
    case Activation::Relu: return x > 0 || std::isnan(x) ? x : 0;
    case Activation::Gelu: return 0.5 * x * (1 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
    case Activation::Silu: return x / (1 + std::exp(-x));
    case Activation::None: break;
  }
  return x;
}

void add_scaled(Value& sum, const Value& term, double factor) {
  for (std::size_t i = 0; i < sum.numbers.size(); ++i) sum.numbers[i] += factor * term.numbers[i];
  for (std::size_t i = 0; i < sum.imaginary.size(); ++i) sum.imaginary[i] += factor * term.imaginary[i];
}

/// The product with its dims in the order in which the call writes them.
Result<Value> ordered_product(const OpCall& call, const Value& lhs, const Value& rhs, const Matmul& matmul, const Shape& shape) {
  const std::vector<std::int64_t>& order = matmul.result_dimensions;
  if (order.empty()) return dot_product(lhs, rhs, matmul.dims, shape);
  if (std::cmp_not_equal(order.size(), shape.rank())) return call.unsupported("its result_dimensions do not fit its shape");
  Shape product = shape;
  for (std::size_t k = 0; k < order.size(); ++k) product.dims[static_cast<std::size_t>(order[k])] = shape.dims[k];
  SEAM_TRY(const Value made, dot_product(lhs, rhs, matmul.dims, product));
  Value out;
  out.shape = shape;
  const std::vector<std::int64_t> strides = row_major_strides(product.dims);
  std::vector<std::int64_t> at(order.size(), 0);
  const auto count = static_cast<std::size_t>(shape.elements_count());
  for (std::size_t i = 0; i < count; ++i) {
    std::int64_t from = 0;
    for (std::size_t k = 0; k < order.size(); ++k) from += at[k] * strides[static_cast<std::size_t>(order[k])];
    if (!made.numbers.empty()) out.numbers.push_back(made.numbers[static_cast<std::size_t>(from)]);
    if (!made.imaginary.empty()) out.imaginary.push_back(made.imaginary[static_cast<std::size_t>(from)]);
    for (std::size_t k = order.size(); k-- > 0;) {
      if (++at[k] < shape.dims[k]) break;
      at[k] = 0;
    }
  }
  return out;
}

/// alpha × lhs · rhs + beta × third operand, then bias and activation; rounded once at the end.
Result<Value> matrix_product(const OpCall& call) {
  const Shape& shape = call.op.shape.is_tuple && !call.op.shape.elements.empty() ? call.op.shape.elements[0] : call.op.shape;
  if (call.in.size() < 2) return call.unsupported("operands are missing");
  const Value &lhs = call.operand(0), &rhs = call.operand(1);
  const auto matmul = matmul_of(call.op, lhs.shape.rank(), rhs.shape.rank());
  if (!matmul) return call.unsupported(matmul.error());
  if (matmul->alpha_imag != 0) return call.unsupported("its alpha is complex");
  if (storage_of(shape.dtype) == Storage::Integer) return call.unsupported("it multiplies integers");
  SEAM_TRY(Value out, ordered_product(call, lhs, rhs, *matmul, shape));
  for (double& x : out.numbers) x *= matmul->alpha;
  for (double& x : out.imaginary) x *= matmul->alpha;
  std::size_t next = 2;
  if (matmul->beta != 0) {
    if (call.in.size() <= next || call.operand(next).numbers.size() != out.numbers.size()) {
      return call.unsupported("beta is set without a third operand of the result's size");
    }
    add_scaled(out, call.operand(next++), matmul->beta);
  }
  if (matmul->bias) {
    if (call.in.size() <= next) return call.unsupported("its epilogue needs a bias operand");
    const std::vector<double>& bias = call.operand(next++).numbers;
    const std::vector<std::int64_t>& order = matmul->result_dimensions;
    if (!order.empty() && std::cmp_not_equal(order.back(), order.size() - 1)) return call.unsupported("its bias runs along a dimension that is not the last");
    if (bias.empty() ? !out.numbers.empty() : out.numbers.size() % bias.size() != 0) return call.unsupported("its bias does not fit the columns");
    for (std::size_t i = 0; i < out.numbers.size(); ++i) out.numbers[i] += bias[i % bias.size()];
  }
  if (call.in.size() != next) return call.unsupported("it has operands that nothing explains");
  for (double& x : out.numbers) x = activated(matmul->activation, x);
  round_all(out, call.rounding);
  return with_scratch(std::move(out), call.op.shape);
}

Result<Value> convolution(const OpCall& call, std::string_view kind) {
  const Shape& shape = call.op.shape.is_tuple && !call.op.shape.elements.empty() ? call.op.shape.elements[0] : call.op.shape;
  const Json whole = Json::parse(backend_config_text(call.attributes()), nullptr, false);
  const Json config = whole.is_object() ? whole.value("cudnn_conv_backend_config", whole) : Json::object();
  const ConvolutionPart sought = kind == "BackwardInput"    ? ConvolutionPart::Input
                                 : kind == "BackwardFilter" ? ConvolutionPart::Kernel
                                                            : ConvolutionPart::Output;
  const bool fused = kind == "BiasActivationForward";
  if (!fused && kind != "Forward" && sought == ConvolutionPart::Output) return call.unsupported("this cuDNN call is not known");
  if (call.in.size() < (fused ? 3U : 2U)) return call.unsupported("operands are missing");
  SEAM_TRY(Value out, convolved(call.operand(0), call.operand(1), call.attributes(), shape, sought));
  const double scale = number(config, "conv_result_scale", 1);
  for (double& x : out.numbers) x *= scale;
  if (fused) {
    const double side = number(config, "side_input_scale", 0);
    if (call.in.size() > 3 && side != 0) {
      if (call.operand(3).numbers.size() != out.numbers.size()) return call.unsupported("its side input does not fit");
      add_scaled(out, call.operand(3), side);
    }
    const auto feature = static_cast<std::size_t>(call.attributes().conv.out_feature);
    const std::vector<double>& bias = call.operand(2).numbers;
    if (std::cmp_not_equal(bias.size(), shape.dims[feature])) return call.unsupported("its bias does not fit the features");
    const auto stride = static_cast<std::size_t>(row_major_strides(shape.dims)[feature]);
    for (std::size_t i = 0; i < out.numbers.size(); ++i) out.numbers[i] += bias[i / stride % bias.size()];
    const std::string mode = word(config, "activation_mode", "kNone");
    if (mode != "kNone" && mode != "kRelu") return call.unsupported(fmt::format("activation {} is unknown", mode));
    for (double& x : out.numbers) x = activated(mode == "kRelu" ? Activation::Relu : Activation::None, x);
  } else if (call.in.size() != 2) {
    return call.unsupported("it has operands that nothing explains");
  }
  round_all(out, call.rounding);
  return with_scratch(std::move(out), call.op.shape);
}

}  // namespace

Dims library_contraction(const Op& op) {
  if (!is_matmul(op)) return {};
  constexpr std::int64_t kAnyRank = 64;
  const auto matmul = matmul_of(op, kAnyRank, kAnyRank);
  return matmul ? matmul->dims.lhs_contract : Dims{};
}

KernelResult evaluate_library(const OpCall& call) {
  if (call.op.opcode != Opcode::CustomCall) return std::nullopt;
  constexpr std::string_view kConv = "__cudnn$conv";
  const std::string_view target = call.attributes().custom_call_target;
  if (is_matmul(call.op)) {
    SEAM_TRY(Value value, matrix_product(call));
    return std::optional<Value>(std::move(value));
  }
  if (target.starts_with(kConv)) {
    SEAM_TRY(Value value, convolution(call, target.substr(kConv.size())));
    return std::optional<Value>(std::move(value));
  }
  return std::nullopt;
}

}  // namespace seam::graph
