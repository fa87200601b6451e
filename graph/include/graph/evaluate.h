#pragma once
/// The reference evaluator: the meaning of each op, in code. Two modes: Wide computes floats in double and ints
/// exactly, whatever the op's dtype says (values are still rounded when written out as an Array); Rounded rounds each op's
/// result to its own dtype (what a kernel that computes op by op produces, reductions aside).
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/npy.h"
#include "graph/graph.h"

namespace seam::graph {

enum class Rounding : std::uint8_t { Wide, Rounded };

/// A value during evaluation: array in double / int64 / complex, or a tuple.
struct Value {
  Shape shape;
  std::vector<double> numbers;         ///< float and pred arrays, row-major
  std::vector<std::int64_t> integers;  ///< integer arrays, row-major (u64 as its bits)
  std::vector<double> imaginary;       ///< complex arrays: imaginary parts, numbers = real parts
  std::vector<Value> elements;         ///< tuples
};

[[nodiscard]] Result<Value> to_value(const Array& array, const Shape& shape);
/// Rounded to the shape's dtype. Not for tuples.
[[nodiscard]] Array to_array(const Value& value);

struct EvaluateOptions {
  Rounding rounding = Rounding::Wide;
  /// Called after each op of the entry computation; return false to cancel (Error::Cancelled).
  std::function<bool(const Op&)> progress;
  /// Not 0: every float result is moved up or down by what rounding may do to it, signs from this seed. How far the root's elements move says how
  /// well the arithmetic determines them (Monte Carlo arithmetic, Parker 1997).
  std::uint64_t shake = 0;
};

/// Inputs by parameter number → the root's value. Unsupported ops are refused by name and place before anything runs.
[[nodiscard]] Result<Value> evaluate(const Graph& graph, std::span<const Value> inputs, const EvaluateOptions& options = {});
/// One op on given operand values (calls evaluate called computations). What the whole-program runner uses for library calls. Shapes are
/// those of `op.shape` and of the values, never of `computation`'s ops: proofs evaluate ops on other sizes than the graph states.
[[nodiscard]] Result<Value> evaluate_op(const Graph& graph, const Computation& computation, const Op& op,
                                        std::span<const Value* const> operands, Rounding rounding);

}  // namespace seam::graph
