#include "graph/matmul.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "read/cursor.h"

namespace seam::graph {
namespace {

using Json = nlohmann::json;

/// `key` of an object as a number; int64 fields are strings in XLA's JSON.
double number(const Json& object, const char* key, double otherwise) {
  if (!object.contains(key)) return otherwise;
  const Json& field = object[key];
  if (field.is_number()) return field.get<double>();
  if (field.is_string()) return std::strtod(field.get<std::string>().c_str(), nullptr);
  return otherwise;
}

std::optional<std::vector<std::int64_t>> dims(const Json& object, const char* key, std::int64_t rank) {
  std::vector<std::int64_t> result;
  if (!object.contains(key)) return result;
  if (!object[key].is_array()) return std::nullopt;
  for (const Json& entry : object[key]) {
    const std::int64_t dim = entry.is_string() ? std::strtoll(entry.get<std::string>().c_str(), nullptr, 10)
                             : entry.is_number_integer() ? entry.get<std::int64_t>() : -1;
    if (dim < 0 || dim >= rank) return std::nullopt;
    result.push_back(dim);
  }
  return result;
}

constexpr std::array<std::pair<Activation, std::string_view>, 4> kActivations = {
    {{Activation::None, "DEFAULT"}, {Activation::Relu, "RELU"}, {Activation::Gelu, "GELU"}, {Activation::Silu, "SILU"}}};

/// "BIAS_RELU" into its parts.
bool read_epilogue(std::string_view text, Matmul& out) {
  if (text.starts_with("BIAS")) {
    out.bias = true;
    text.remove_prefix(text.starts_with("BIAS_") ? 5 : 4);
  }
  if (text.empty()) return true;
  const auto* found = std::ranges::find(kActivations, text, &std::pair<Activation, std::string_view>::second);
  if (found == kActivations.end()) return false;
  out.activation = found->first;
  return true;
}

Json strings(const std::vector<std::int64_t>& numbers) {
  Json out = Json::array();
  for (const std::int64_t n : numbers) out.push_back(std::to_string(n));
  return out;
}

}  // namespace

std::string Matmul::epilogue() const {
  const std::string_view name = std::ranges::find(kActivations, activation, &std::pair<Activation, std::string_view>::first)->second;
  if (!bias) return std::string(name);
  return activation == Activation::None ? "BIAS" : fmt::format("BIAS_{}", name);
}

bool is_matmul(const Op& op) {
  return op.opcode == Opcode::CustomCall && (op.attributes.custom_call_target == kMatmulTarget || op.attributes.custom_call_target == "__cublas$gemm");
}

std::string backend_config_text(const Attributes& attributes) {
  if (!attributes.backend_config.starts_with('"')) return attributes.backend_config;
  const Source source(attributes.backend_config, "");
  return Cursor(source).quoted("").value_or("");
}

tl::expected<Matmul, std::string> matmul_of(const Op& op, std::int64_t lhs_rank, std::int64_t rhs_rank) {
  const Json whole = Json::parse(backend_config_text(op.attributes), nullptr, false);
  const Json& config = whole.is_object() && whole.contains("gemm_backend_config") ? whole["gemm_backend_config"] : whole;
  if (!config.is_object()) return tl::unexpected(std::string("its backend_config does not say what to compute"));
  Json numbers = config.value("dot_dimension_numbers", Json::object());
  if (!numbers.is_object()) numbers = Json::object();
  auto lhs_batch = dims(numbers, "lhs_batch_dimensions", lhs_rank), rhs_batch = dims(numbers, "rhs_batch_dimensions", rhs_rank);
  auto lhs_contract = dims(numbers, "lhs_contracting_dimensions", lhs_rank), rhs_contract = dims(numbers, "rhs_contracting_dimensions", rhs_rank);
  if (!lhs_batch || !rhs_batch || !lhs_contract || !rhs_contract) return tl::unexpected(std::string("its dimension numbers do not fit"));
  Matmul out;
  out.dims = {*std::move(lhs_batch), *std::move(lhs_contract), *std::move(rhs_batch), *std::move(rhs_contract)};
  out.alpha = number(config, "alpha_real", 1);
  out.alpha_imag = number(config, "alpha_imag", 0);
  out.beta = number(config, "beta", 0);
  if (config.contains("precision_config") && config["precision_config"].is_object()) {
    const Json operand = config["precision_config"].value("operand_precision", Json::array());
    for (const Json& one : operand.is_array() ? operand : Json::array())
      if (one.is_string()) out.precision.push_back(one.get<std::string>());
  }
  auto result = dims(config, "result_dimensions", std::numeric_limits<std::int64_t>::max());
  if (!result) return tl::unexpected(std::string("its result_dimensions do not fit"));
  std::vector<std::int64_t> sorted = *result;
  std::ranges::sort(sorted);
  for (std::size_t i = 0; i < sorted.size(); ++i)
    if (std::cmp_not_equal(sorted[i], i)) return tl::unexpected(std::string("its result_dimensions are no permutation"));
  out.result_dimensions = *std::move(result);
  const Json stated = config.value("epilogue", Json("DEFAULT"));
  const std::string epilogue = stated.is_string() ? stated.get<std::string>() : "DEFAULT";
  if (!read_epilogue(epilogue, out)) return tl::unexpected(fmt::format("epilogue {} is unknown", epilogue));
  return out;
}

std::string print_backend_config(const Matmul& matmul) {
  // Keys in the order in which XLA prints them.
  nlohmann::ordered_json config;
  config["alpha_real"] = matmul.alpha;
  config["beta"] = matmul.beta;
  config["dot_dimension_numbers"] = {{"lhs_contracting_dimensions", strings(matmul.dims.lhs_contract)},
                                     {"rhs_contracting_dimensions", strings(matmul.dims.rhs_contract)},
                                     {"lhs_batch_dimensions", strings(matmul.dims.lhs_batch)},
                                     {"rhs_batch_dimensions", strings(matmul.dims.rhs_batch)}};
  config["alpha_imag"] = matmul.alpha_imag;
  config["precision_config"] = {{"operand_precision", matmul.precision}};
  config["epilogue"] = matmul.epilogue();
  if (!matmul.result_dimensions.empty()) config["result_dimensions"] = strings(matmul.result_dimensions);
  nlohmann::ordered_json whole;
  whole["gemm_backend_config"] = std::move(config);
  return whole.dump();
}

}  // namespace seam::graph
