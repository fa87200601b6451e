#pragma once
/// Matrix products as library calls, the way XLA writes them after optimization: custom-call "__cublas$lt$matmul" (or "__cublas$gemm") with a
/// backend_config that says what is computed: activation(alpha · lhs·rhs + beta · C + bias), rounded once at the end. Operands: lhs, rhs, then C
/// where beta is not 0, then the bias, a vector along the result's last dimension. Result: an array, or a tuple of it and scratch memory.
/// Ours on top of XLA's form, which says it by the result's layout: `result_dimensions`, the order in which the result is written.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"

namespace seam::graph {

inline constexpr std::string_view kMatmulTarget = "__cublas$lt$matmul";

enum class Activation : std::uint8_t { None, Relu, Gelu, Silu };  ///< Gelu: the tanh form

struct Matmul {
  DotDims dims;
  double alpha = 1, alpha_imag = 0, beta = 0;
  bool bias = false;
  Activation activation = Activation::None;
  /// Dim k of the result is dim result_dimensions[k] of the product (batch, free of lhs, free of rhs); empty = as they come. C is in the result's order.
  std::vector<std::int64_t> result_dimensions;
  std::vector<std::string> precision;  ///< operand_precision, "DEFAULT" … "HIGHEST"
  friend bool operator==(const Matmul&, const Matmul&) = default;

  [[nodiscard]] std::string epilogue() const;  ///< "DEFAULT", "BIAS", "RELU", "BIAS_RELU" …
};

[[nodiscard]] bool is_matmul(const Op& op);
/// What a matmul's backend_config says; the message of the error says what is wrong with it, in words that follow "because".
[[nodiscard]] tl::expected<Matmul, std::string> matmul_of(const Op& op, std::int64_t lhs_rank, std::int64_t rhs_rank);
/// A backend_config that reads back equal.
[[nodiscard]] std::string print_backend_config(const Matmul& matmul);

/// backend_config of any custom call as JSON text: braces as they are, an older dump's quoted string unquoted.
[[nodiscard]] std::string backend_config_text(const Attributes& attributes);

}  // namespace seam::graph
