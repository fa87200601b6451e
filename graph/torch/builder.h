#pragma once
/// Builds a graph tensor by tensor, as PyTorch's operators speak: numpy broadcasting, dims counted from either end, views that move nothing.
/// A tensor lies where PyTorch would leave it: its dims may stand in another order in memory than by number, so that a permuted tensor is
/// read and written in its own order and nothing is transposed that PyTorch does not transpose.
/// What goes wrong is noted, not thrown: after refuse() every method returns something harmless, and the caller asks refused() once.
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "graph/views.h"
#include "infer/rules.h"

namespace seam::graph::torch {

using Dims = std::vector<std::int64_t>;

struct Tensor {
  Id<Op> value;   ///< its dims in memory order, outermost first
  Dims order;     ///< order[k] = which dim of the tensor dim k of the value is
  Id<Op> base;    ///< what fills the memory: `value` itself, or what it is a view of
  StridedView view;  ///< of base
};

class Builder {
 public:
  explicit Builder(std::string name);

  // --- where ops come from
  void set_origin(std::string prefix, Metadata metadata);  ///< names and metadata of the ops that follow
  void rename(Id<Op> op, const std::string& wanted);
  [[nodiscard]] bool refused() const { return !refusal_.empty(); }
  [[nodiscard]] const std::string& refusal() const { return refusal_; }
  void refuse(std::string why);
  void forget_refusal() { refusal_.clear(); }

  // --- what a tensor is
  [[nodiscard]] Dims dims(const Tensor& tensor) const;
  [[nodiscard]] std::int64_t rank(const Tensor& tensor) const { return static_cast<std::int64_t>(tensor.order.size()); }
  [[nodiscard]] DType dtype(const Tensor& tensor) const { return op(tensor.value).shape.dtype; }
  [[nodiscard]] const Op& op(Id<Op> id) const { return entry_.ops[id]; }
  [[nodiscard]] std::int64_t extent(const Tensor& tensor, std::int64_t dim) const { return dims(tensor)[static_cast<std::size_t>(dim)]; }
  /// -1 is the last; refuses what is outside and returns 0.
  std::int64_t wrapped(std::int64_t dim, std::int64_t rank);

  // --- making them
  Id<Op> add(Opcode opcode, Shape shape, std::vector<Id<Op>> operands, Attributes attributes = {});
  Tensor dense(Id<Op> value) const;                     ///< the tensor that a value in row-major order is
  Tensor ordered(Id<Op> value, Dims order) const;
  Tensor parameter(DType dtype, const Dims& dims, const std::optional<Dims>& strides, const std::string& name);
  /// Whether a parameter's strides leave gaps or repeat elements: its value then holds the elements it shows, not the memory they lie in.
  [[nodiscard]] bool packed(Id<Op> parameter) const { return packed_.contains(parameter); }
  Tensor constant(DType dtype, double value);
  Tensor integer(DType dtype, std::int64_t value);
  Tensor literal(Array array);
  /// A scalar s64: one more entry of the parameter "random_seeds", which comes after all others.
  Tensor seed();
  Tensor filled(DType dtype, const Dims& dims, double value);
  Tensor iota(DType dtype, const Dims& dims, std::int64_t dim);
  Tensor lowest(DType dtype);   ///< where a maximum starts
  Tensor highest(DType dtype);  ///< where a minimum starts

  // --- element by element
  Tensor unary(Opcode opcode, const Tensor& a);
  Tensor binary(Opcode opcode, const Tensor& a, const Tensor& b);  ///< of one type; broadcasts
  Tensor compare(Direction direction, const Tensor& a, const Tensor& b);
  Tensor select(const Tensor& condition, const Tensor& yes, const Tensor& no);
  Tensor converted(const Tensor& a, DType dtype);

  // --- views
  Tensor permuted(const Tensor& a, const Dims& permutation);
  Tensor reshaped(const Tensor& a, const Dims& dims);
  Tensor expanded(const Tensor& a, const Dims& dims);  ///< -1 keeps
  Tensor sliced(const Tensor& a, std::int64_t dim, std::int64_t start, std::int64_t end, std::int64_t step = 1);
  Tensor selected(const Tensor& a, std::int64_t dim, std::int64_t index);
  Tensor unsqueezed(const Tensor& a, std::int64_t dim);
  Tensor squeezed(const Tensor& a, std::int64_t dim);

  // --- the rest
  Tensor contiguous(const Tensor& a);  ///< memory of its own, row-major
  Id<Op> row_major(const Tensor& a);   ///< a value whose dims stand by number
  Tensor in_order(const Tensor& a, const Dims& order);
  Tensor concatenated(const std::vector<Tensor>& parts, std::int64_t dim);
  Tensor padded(const Tensor& a, const std::vector<PadDim>& padding, const Tensor& value);  ///< one per dim
  Tensor reversed(const Tensor& a, const Dims& dims);
  Tensor reduced(Opcode opcode, const Tensor& a, const Dims& dims, const Tensor& start, bool keep);
  Tensor sum(const Tensor& a, const Dims& dims, bool keep);
  /// Batch and contracted dims by number; result: batch, rest of a, rest of b, of the operands' type unless `type` says another.
  Tensor dot(const Tensor& a, const Tensor& b, const DotDims& dims, std::optional<DType> type = std::nullopt);
  Id<Computation> reducer(Opcode opcode, DType dtype);
  /// A computation of scalars, made once per name.
  Id<Computation> function(const std::string& name, const std::function<Computation(const std::string&)>& make);
  /// A library call of unknown meaning; it reads its operands as they lie. For a tuple: its value only (element()).
  Tensor opaque(const std::string& target, const std::string& reason, const std::vector<Tensor>& operands, const Shape& result);
  Id<Op> element(Id<Op> tuple, std::int64_t index);

  /// The ops from number `first` on belong to one operator that is made of several: `scope` goes before the name of each.
  void group(std::size_t first, const std::string& op_name);
  [[nodiscard]] std::size_t ops() const { return entry_.ops.size(); }
  /// An output that stands for parameter number `parameter` afterwards.
  void donate(std::int64_t output, std::int64_t parameter) { graph_.donated.emplace_back(output, parameter); }

  [[nodiscard]] Graph finish(const std::vector<Tensor>& outputs);

 private:
  Tensor aligned(const Tensor& a, const Dims& dims, const Dims& order);  ///< broadcast to dims, in that order
  std::pair<Dims, Dims> common(std::span<const Tensor* const> tensors);  ///< dims and order of what several tensors make
  Tensor elementwise(Opcode opcode, DType dtype, std::vector<Tensor> operands, Attributes attributes = {});

  Graph graph_;
  Computation entry_;
  std::set<Id<Op>> packed_;
  std::map<std::string, Id<Computation>> functions_;
  std::map<std::string, int> suffixes_;
  std::string prefix_;
  Metadata metadata_;
  std::string refusal_;
  Id<Op> seeds_;
  std::int64_t seeds_taken_ = 0;
};

/// A computation of two scalars, its parameters; without a root yet.
[[nodiscard]] Computation of_two_scalars(const std::string& name, DType dtype, const char* first, const char* second);
[[nodiscard]] Dims counted(std::int64_t rank);  ///< 0, 1, … rank-1
[[nodiscard]] std::int64_t product(const Dims& dims);
/// Dims in memory order, outermost first; nullopt where strides leave gaps or repeat elements.
[[nodiscard]] std::optional<Dims> memory_order(const Dims& dims, const Dims& strides);

}  // namespace seam::graph::torch
