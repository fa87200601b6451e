#pragma once
/// The combiner of a reduce: how partial results start, meet, and become the result. One-op combiners (add, max, …) have a neutral
/// element and take the init value once at the end; sums and products of f16 and bf16 are kept in f32. Any other
/// combiner starts every partial result with init, which HLO allows.
#include <optional>
#include <span>
#include <vector>

#include "lower/builder.h"
#include "lower/elements.h"

namespace seam::codegen {

class Combiner {
 public:
  [[nodiscard]] static Result<Combiner> of(const graph::Graph& graph, const graph::Computation& computation, const graph::Op& reduce);

  [[nodiscard]] std::size_t components() const { return types_.size(); }
  [[nodiscard]] DType accumulator_type(std::size_t component) const;
  /// `inits` are the reduce's init values.
  [[nodiscard]] std::vector<Expr> start(std::span<const Expr> inits) const;
  /// An element of the operand as an accumulator.
  [[nodiscard]] Expr lifted(std::size_t component, const Expr& value) const;
  [[nodiscard]] Result<std::vector<Expr>> combine(Builder& builder, std::span<const Expr> a, std::span<const Expr> b) const;
  /// Accumulators → results in the reduce's own types.
  [[nodiscard]] Result<std::vector<Expr>> finish(Builder& builder, std::span<const Expr> accumulators, std::span<const Expr> inits) const;

 private:
  const graph::Graph* graph_ = nullptr;
  Id<graph::Computation> to_apply_;
  std::optional<graph::Opcode> simple_;
  std::vector<DType> types_;
};

/// variables = combine(variables, values): values in accumulator types.
[[nodiscard]] Result<void> accumulate_into(Builder& builder, const Combiner& combiner, std::span<const Expr> variables,
                                           std::span<const Expr> values);

}  // namespace seam::codegen
