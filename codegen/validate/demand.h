#pragma once
/// Reference values of chosen elements only. A kernel at real shapes writes tens of millions of elements; a proof samples some, and this
/// computes just what those depend on, by the reference evaluator, from the kernel's inputs.
#include <map>
#include <vector>

#include "graph/evaluate.h"
#include "graph/graph.h"
#include "validate/indices.h"

namespace seam::codegen {

class Demand {
 public:
  /// `inputs`: the arrays behind the group's inputs, by storage op. Everything else is computed.
  Demand(const graph::Graph& graph, const graph::Computation& computation, std::map<Id<graph::Op>, const Array*> inputs)
      : graph_(graph), computation_(computation), inputs_(std::move(inputs)) {}

  /// The same reference with every float sum (reduction by add or multiply, contraction) moved up or down by what rounding may do to it:
  /// a √K of its size, a the unit roundoff it accumulates in, K its terms (Higham 4.2); the signs come from `seed`. How far results move says how
  /// well they are conditioned (Monte Carlo arithmetic, Parker 1997).
  [[nodiscard]] Demand shaken(std::uint64_t seed) const {
    Demand copy = *this;
    copy.shake_ = seed;
    return copy;
  }

  /// Elements of a scatter or dynamic-update-slice that its updates fall on, ascending.
  [[nodiscard]] Result<Indices> targets(Id<graph::Op> update, graph::Rounding rounding) const;
  /// A 1-D value: the elements `wanted` of op, in that order. Unsupported if an op on the way cannot be evaluated.
  [[nodiscard]] Result<graph::Value> values(Id<graph::Op> op, const Indices& wanted, graph::Rounding rounding) const;
  /// About how many elements, of all ops on the way, that evaluates.
  [[nodiscard]] Result<std::int64_t> work(Id<graph::Op> op, const Indices& wanted) const;

 private:
  struct Slot {
    Indices wanted;  ///< sorted, each once
    Indices falls_on;  ///< scatter: per update read, the place in `wanted` that it changes
    std::vector<Indices> reads;  ///< per operand: the element each wanted element reads (reduce, dot: a row of elements each)
    graph::Value value;
  };
  using Slots = std::map<Id<graph::Op>, Slot, std::greater<>>;

  /// Which elements of which ops are needed; the ops, users before producers.
  [[nodiscard]] Result<std::vector<Id<graph::Op>>> propagate(Id<graph::Op> root, const Indices& wanted, graph::Rounding rounding, Slots& slots) const;
  [[nodiscard]] const Array* leaf(Id<graph::Op> op) const;
  [[nodiscard]] Result<std::vector<std::int64_t>> starts(const graph::Op& op, std::size_t first, graph::Rounding rounding) const;
  [[nodiscard]] Result<std::vector<std::int64_t>> integers(Id<graph::Op> op, graph::Rounding rounding) const;
  [[nodiscard]] Result<std::vector<Indices>> reads(const graph::Op& op, const Indices& wanted, graph::Rounding rounding) const;
  [[nodiscard]] Result<graph::Value> compute(Id<graph::Op> id, const Slots& slots, graph::Rounding rounding) const;
  [[nodiscard]] Result<graph::Value> combined(const graph::Op& op, const std::vector<graph::Value>& operands, std::size_t count,
                                              graph::Rounding rounding) const;
  [[nodiscard]] Result<void> read_scatter(const graph::Op& op, Slot& slot, graph::Rounding rounding) const;
  [[nodiscard]] Result<graph::Value> scattered(const graph::Op& op, const Slot& slot, std::vector<graph::Value> operands,
                                               graph::Rounding rounding) const;
  [[nodiscard]] Result<graph::Value> reduced_piecewise(const graph::Op& op, const Slot& slot, const graph::Value& init, graph::Rounding rounding) const;
  [[nodiscard]] Result<graph::Value> whole_rows(const graph::Op& op, const Indices& rows, std::int64_t count, const graph::Value& init, graph::Rounding rounding) const;
  [[nodiscard]] Result<graph::Value> long_row(const graph::Op& op, const Indices& row, const graph::Value& init, graph::Rounding rounding) const;
  void shake(Id<graph::Op> id, const Indices& at, graph::Value& value) const;
  [[nodiscard]] Result<graph::Value> whole(Id<graph::Op> op, graph::Rounding rounding) const;

  const graph::Graph& graph_;
  const graph::Computation& computation_;
  std::map<Id<graph::Op>, const Array*> inputs_;
  std::uint64_t shake_ = 0;  ///< 0: as it is
};

/// The elements `at` of a value, in that order; -1 gives 0.
[[nodiscard]] graph::Value picked(const graph::Value& value, const Indices& at);

}  // namespace seam::codegen
