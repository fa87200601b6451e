#pragma once
/// A called computation of scalars (reducer, comparator, combiner) as a short list of element-wise steps: run once per
/// element without allocation.
#include <span>
#include <vector>

#include "evaluate/scalar.h"
#include "graph/evaluate.h"

namespace seam::graph {

class ScalarFunction {
 public:
  /// Unsupported if the computation does something else than element-wise work on scalars.
  static Result<ScalarFunction> compile(const Graph& graph, Id<Computation> id, Rounding rounding);

  [[nodiscard]] std::size_t results() const { return results_.size(); }
  /// `arguments` by parameter number; results by tuple element.
  void run(std::span<const Scalar> arguments, std::span<Scalar> results);

  /// Add, maximum, … of its two parameters and nothing else: then reductions need no calls.
  [[nodiscard]] std::optional<Opcode> plain_binary() const { return plain_binary_; }
  /// Returns its last parameter (scatter that overwrites).
  [[nodiscard]] bool returns_second() const { return returns_second_; }

 private:
  struct Step {
    const Op* op = nullptr;
    DType from{};
    std::size_t operands[3] = {0, 0, 0};
    std::size_t to = 0;
  };
  Result<std::vector<std::size_t>> add(const Graph& graph, const Computation& computation,
                                       const std::vector<std::vector<std::size_t>>& arguments, int depth);

  std::vector<Scalar> slots_;  ///< parameters first, constants filled in
  std::size_t parameters_ = 0;
  std::vector<Step> steps_;
  std::vector<std::size_t> results_;
  Rounding rounding_ = Rounding::Wide;
  std::optional<Opcode> plain_binary_;
  bool returns_second_ = false;
};

/// One element of a value.
[[nodiscard]] Scalar element_of(const Value& value, std::size_t i);
void set_element(Value& value, std::size_t i, const Scalar& x);

}  // namespace seam::graph
