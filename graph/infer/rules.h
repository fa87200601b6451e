#pragma once
/// Shape rules, one function per family of ops. Every rule checks its attributes before it uses them, for they come from a
/// text: out-of-range dimensions, wrong counts and overflows are errors at the op.
#include <span>

#include "graph/graph.h"

namespace seam::graph {

/// One op among its module, with the lookups that every rule needs.
struct InferenceSite {
  const Graph& graph;
  const Computation& computation;
  const Op& op;

  [[nodiscard]] const Shape& operand(std::size_t i) const { return computation.ops[op.operands[i]].shape; }
  [[nodiscard]] std::size_t operand_count() const { return op.operands.size(); }
  [[nodiscard]] const Attributes& attributes() const { return op.attributes; }
  /// Root shape of the i-th called computation.
  [[nodiscard]] const Shape& callee_result(std::size_t i) const;
  [[nodiscard]] tl::unexpected<Error> error(std::string message) const;
  /// The text states this op's shape; nothing to infer.
  [[nodiscard]] tl::unexpected<Error> stated() const;
  [[nodiscard]] Result<void> needs_operands(std::size_t at_least) const;
  /// Arrays only, from operand `from` on.
  [[nodiscard]] Result<void> needs_arrays(std::size_t from = 0) const;
  /// Each entry in [0, rank), no entry twice.
  [[nodiscard]] Result<void> check_dims(std::span<const std::int64_t> dims, std::int64_t rank,
                                        std::string_view what) const;
};

[[nodiscard]] Shape array_shape(DType dtype, std::vector<std::int64_t> dims);
[[nodiscard]] Shape tuple_shape(std::vector<Shape> elements);

// Each returns nullopt if the opcode is not of its family.
[[nodiscard]] Result<std::optional<Shape>> infer_elementwise(const InferenceSite& site);
[[nodiscard]] Result<std::optional<Shape>> infer_layout(const InferenceSite& site);
[[nodiscard]] Result<std::optional<Shape>> infer_gather(const InferenceSite& site);
[[nodiscard]] Result<std::optional<Shape>> infer_contraction(const InferenceSite& site);
[[nodiscard]] Result<std::optional<Shape>> infer_reduction(const InferenceSite& site);
[[nodiscard]] Result<std::optional<Shape>> infer_control(const InferenceSite& site);
/// Checks of ops whose shape the text states (broadcast, reshape, iota, convert, …).
[[nodiscard]] Result<void> check_stated(const InferenceSite& site);

/// Positions a window takes along a dimension of `size`; nullopt on overflow or nonsense.
[[nodiscard]] std::optional<std::int64_t> window_positions(std::int64_t size, const WindowDim& window);

}  // namespace seam::graph

/// SEAM_NEED(site.needs_operands(2)): passes an error on, from a function that returns any Result.
#define SEAM_NEED(check) \
  if (auto seam_need = (check); !seam_need) return tl::unexpected(std::move(seam_need).error())
