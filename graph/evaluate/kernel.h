#pragma once
/// What the evaluator's kernels share: one call of one op on values, and how values lie in memory. Values are row-major
/// whatever their layout says; only bitcast looks at layouts.
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "graph/evaluate.h"

namespace seam::graph {

using Operands = std::span<const Value* const>;

/// One op on the values of its operands. Shapes are those of `op.shape` and of the values.
struct OpCall {
  const Graph& graph;
  const Op& op;
  Operands in;
  Rounding rounding;

  [[nodiscard]] const Value& operand(std::size_t i) const { return *in[i]; }
  [[nodiscard]] const Attributes& attributes() const { return op.attributes; }
  [[nodiscard]] tl::unexpected<Error> error(std::string message) const;
  [[nodiscard]] tl::unexpected<Error> unsupported(std::string why) const;
};

using Dims = std::vector<std::int64_t>;

enum class Storage : std::uint8_t { Real, Integer, Complex };
[[nodiscard]] Storage storage_of(DType dtype);
/// Elements of row-major strides; empty for scalars.
[[nodiscard]] Dims row_major_strides(const Dims& dims);
/// An array of zeros.
[[nodiscard]] Value zeros(const Shape& shape);
/// Each number rounded to the value's type, if `rounding` says so.
void round_all(Value& value, Rounding rounding);
/// The elements as doubles, integers too.
[[nodiscard]] std::vector<double> as_numbers(const Value& value);
/// Integer of `dtype` with the bits of `value` (wraps around).
[[nodiscard]] std::int64_t wrapped(DType dtype, std::int64_t value);
/// Element `i` of an integer array as a non-negative or negative index.
[[nodiscard]] inline std::int64_t index_at(const Value& value, std::int64_t i) {
  return value.integers[static_cast<std::size_t>(i)];
}

/// Walks a box of `dims` in row-major order; position() is base + Σ index × stride.
class Walk {
 public:
  Walk(const Dims& dims, Dims strides, std::int64_t base = 0);
  [[nodiscard]] bool done() const { return done_; }
  [[nodiscard]] std::int64_t position() const { return position_; }
  [[nodiscard]] const Dims& index() const { return index_; }
  void next();

 private:
  const Dims& dims_;
  Dims strides_;
  Dims index_;
  std::int64_t position_;
  bool done_;
};

/// Calls `visit(a, b)` with the positions of two strided views of the same box, in row-major order.
template <class Visit>
void walk_pair(const Dims& dims, const Dims& strides_a, std::int64_t a, const Dims& strides_b, std::int64_t b,
               Visit&& visit) {
  const std::size_t rank = dims.size();
  for (const std::int64_t dim : dims) {
    if (dim == 0) return;
  }
  if (rank == 0) {
    visit(a, b);
    return;
  }
  const std::int64_t inner = dims[rank - 1], step_a = strides_a[rank - 1], step_b = strides_b[rank - 1];
  Dims index(rank, 0);
  for (;;) {
    std::int64_t pa = a, pb = b;
    for (std::int64_t i = 0; i < inner; ++i, pa += step_a, pb += step_b) visit(pa, pb);
    std::size_t d = rank - 1;
    for (; d-- > 0;) {
      a += strides_a[d];
      b += strides_b[d];
      if (++index[d] < dims[d]) break;
      a -= strides_a[d] * dims[d];
      b -= strides_b[d] * dims[d];
      index[d] = 0;
    }
    if (d == static_cast<std::size_t>(-1)) return;
  }
}

/// Calls `move(to, from)` for each buffer of an array that is in use.
template <class Copy>
void each_buffer(Value& to, const Value& from, Copy&& copy) {
  if (!from.numbers.empty() || !to.numbers.empty()) copy(to.numbers, from.numbers);
  if (!from.integers.empty() || !to.integers.empty()) copy(to.integers, from.integers);
  if (!from.imaginary.empty() || !to.imaginary.empty()) copy(to.imaginary, from.imaginary);
}

// The kernels, by family; each returns nullopt for an opcode that is not of its family.
using KernelResult = Result<std::optional<Value>>;
[[nodiscard]] KernelResult evaluate_elementwise(const OpCall& call);
[[nodiscard]] KernelResult evaluate_movement(const OpCall& call);
[[nodiscard]] KernelResult evaluate_indexed(const OpCall& call);     ///< gather, scatter
[[nodiscard]] KernelResult evaluate_reduction(const OpCall& call);   ///< reduce
[[nodiscard]] KernelResult evaluate_window(const OpCall& call);      ///< reduce-window, select-and-scatter
[[nodiscard]] KernelResult evaluate_contraction(const OpCall& call); ///< dot, convolution
[[nodiscard]] KernelResult evaluate_sort(const OpCall& call);        ///< sort, topk
[[nodiscard]] KernelResult evaluate_library(const OpCall& call);     ///< custom calls that are known

/// Dimensions of the first operand that a library's matrix product sums over; empty for anything else.
[[nodiscard]] Dims library_contraction(const Op& op);

/// The parts of a contraction that library calls use too.
[[nodiscard]] Result<Value> dot_product(const Value& lhs, const Value& rhs, const DotDims& dims, const Shape& shape);
enum class ConvolutionPart : std::uint8_t { Output, Input, Kernel };
/// Cross-correlation as the window and labels say, or one of its gradients, before rounding. Operands: (input, kernel) for
/// the output, (output, kernel) for the input, (input, output) for the kernel.
[[nodiscard]] Result<Value> convolved(const Value& first, const Value& second, const Attributes& attributes,
                                      const Shape& shape, ConvolutionPart sought);

}  // namespace seam::graph
