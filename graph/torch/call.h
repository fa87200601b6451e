#pragma once
/// One call of an operator with its arguments resolved, and the table of operators whose meaning is known. The meaning is that of ATen's
/// schemas (aten/src/ATen/native/native_functions.yaml): argument names and defaults are theirs; an operator is found by its name, its
/// overload and the trailing '_' of its in-place form left aside.
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "torch/builder.h"
#include "graph/torch_program.h"

namespace seam::graph::torch {

/// What a name stands for, or a literal.
struct Value {
  enum class Kind : std::uint8_t { None, Bool, Int, Float, Text, Tensor, List, Slice, Ellipsis };
  Kind kind = Kind::None;
  std::int64_t integer = 0;  ///< Int, Bool
  double number = 0;         ///< Float
  std::string text;
  Tensor tensor;
  std::vector<Value> items;  ///< List; Slice: start, end, step

  Value() = default;
  Value(Tensor t) : kind(Kind::Tensor), tensor(std::move(t)) {}  // NOLINT(google-explicit-constructor): operators return tensors
  static Value of(std::int64_t i);
  static Value list(std::vector<Value> items);
  [[nodiscard]] bool is_tensor() const { return kind == Kind::Tensor; }
  [[nodiscard]] bool is_number() const { return kind == Kind::Bool || kind == Kind::Int || kind == Kind::Float; }
  [[nodiscard]] double as_number() const { return kind == Kind::Float ? number : static_cast<double>(integer); }
};

class Call {
 public:
  Builder& b;
  std::string name;      ///< "add"
  std::string overload;  ///< "Tensor"; empty at torch level
  std::vector<Value> arguments;
  std::vector<std::pair<std::string, Value>> keywords;
  std::optional<TensorType> type;  ///< what the text says of the result

  // Arguments by position and schema name. Wrong kinds are refused, and something harmless is returned.
  [[nodiscard]] const Value& value(std::size_t position, std::string_view keyword) const;
  [[nodiscard]] bool has(std::size_t position, std::string_view keyword) const { return value(position, keyword).kind != Value::Kind::None; }
  Tensor tensor(std::size_t position, std::string_view keyword = "");
  std::vector<Tensor> tensors(std::size_t position, std::string_view keyword = "");
  double number(std::size_t position, std::string_view keyword, double otherwise);
  std::int64_t integer(std::size_t position, std::string_view keyword, std::int64_t otherwise);
  bool flag(std::size_t position, std::string_view keyword, bool otherwise);
  std::string text(std::size_t position, std::string_view keyword);
  /// Sizes: a list, one number, or (`view(2, 3)`) all that follows.
  Dims ints(std::size_t position, std::string_view keyword, const Dims& otherwise = {});
  /// Dims counted from the front; none given: all of `rank`.
  Dims dims_or_all(std::size_t position, std::string_view keyword, std::int64_t rank);
  /// A dtype argument, or `otherwise`.
  DType dtype(std::size_t position, std::string_view keyword, DType otherwise);

  // PyTorch's type promotion (torch.result_type).
  DType promoted(std::span<const Value* const> values);
  /// The value as a tensor of that type; numbers become scalars.
  Tensor as(const Value& value, DType dtype);
  /// Integers count as f32 where an operator yields fractions.
  static DType fractional(DType dtype);
  /// What 16-bit floats are computed in: f32, rounded once at the end, as PyTorch's kernels do.
  static DType computing(DType dtype);
  Tensor wide(const Tensor& tensor) { return b.converted(tensor, computing(b.dtype(tensor))); }
};

using Lowering = Value (*)(Call& call);
struct Operator {
  std::string_view name;
  Lowering lowering;
};
// One file per family.
[[nodiscard]] std::span<const Operator> pointwise_operators();
[[nodiscard]] std::span<const Operator> activation_operators();
[[nodiscard]] std::span<const Operator> reduction_operators();
[[nodiscard]] std::span<const Operator> view_operators();
[[nodiscard]] std::span<const Operator> strided_operators();
[[nodiscard]] std::span<const Operator> creation_operators();
[[nodiscard]] std::span<const Operator> movement_operators();
[[nodiscard]] std::span<const Operator> matmul_operators();
[[nodiscard]] std::span<const Operator> normalization_operators();
[[nodiscard]] std::span<const Operator> random_operators();
[[nodiscard]] std::span<const Operator> loss_operators();
[[nodiscard]] std::span<const Operator> indexing_operators();
[[nodiscard]] std::span<const Operator> window_operators();
[[nodiscard]] std::span<const Operator> list_operators();

/// nullptr: no known meaning.
[[nodiscard]] Lowering lowering_of(std::string_view name);

// Shared between families.
Tensor sum_of(Builder& b, const Tensor& a, const Dims& dims, bool keep);  ///< in f32 for 16-bit floats; the result has a's type
Tensor mean_of(Builder& b, const Tensor& a, const Dims& dims, bool keep);
Tensor max_of(Builder& b, const Tensor& a, const Dims& dims, bool keep);
Tensor scaled(Builder& b, const Tensor& a, double factor);
Tensor shifted(Builder& b, const Tensor& a, double summand);
Tensor logistic(Builder& b, const Tensor& a);
[[nodiscard]] std::int64_t elements_over(Builder& b, const Tensor& a, const Dims& dims);

}  // namespace seam::graph::torch
