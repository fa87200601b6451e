#pragma once
/// Graph → Graph: what planning wants simplified first.
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace seam::graph {

/// `wanted`, or `wanted_1`, `wanted_2` … if that is taken; taken from then on.
[[nodiscard]] std::string free_name(std::set<std::string>& taken, const std::string& wanted);

/// Calls (`call`) inlined everywhere; fusions too if asked. Names stay unique ("callee.op").
[[nodiscard]] Graph inline_calls(const Graph& graph, bool fusions_too);
/// Ops that reach no root (and have no side effect) and computations that nobody calls removed.
[[nodiscard]] Graph without_dead_code(const Graph& graph);
/// Equal pure ops merged (same opcode, operands, attributes, shape).
[[nodiscard]] Graph without_duplicates(const Graph& graph);
/// Every value row-major: before optimization a layout in the text is a wish of the frontend, not a fact of memory, and no value depends on
/// it, but for bitcasts between other layouts (optimized modules have them): they become the transposes and reshapes that they are. Unchanged
/// where one changes the type.
[[nodiscard]] Graph with_row_major_values(const Graph& graph);
/// Trips of a `while`, from backend_config known_trip_count or from the induction variable: init constant, step constant,
/// compare with a constant (or a loop-invariant constant). nullopt if it depends on data.
[[nodiscard]] std::optional<std::int64_t> trip_count(const Graph& graph, const Computation& computation, const Op& while_op);
/// One size of a dimension and what it becomes.
struct NewExtent {
  std::int64_t from = 0, to = 0;
};
/// The module at another size: every dimension of `from` elements has `to`, all changes at once (8 -> 512 beside 512 -> 8 is a swap). Extents
/// are all that tells dimensions apart, so the module must use `from` for nothing else: what shows that it does is refused (a slice of a
/// part, constants with values, ops whose attributes hold extents, shapes that no longer fit: graph::verify). Values of constants stay
/// (1 / 1024 of a mean is not recomputed). Errors: BadInput (nothing has that extent, to < 1, two changes of one extent), Unsupported with
/// the op's place.
[[nodiscard]] Result<Graph> with_extents(const Graph& graph, const std::vector<NewExtent>& changes);
/// The while replaced by `trips` copies of its body (only where the trip count is known and <= limit).
[[nodiscard]] Result<Graph> unrolled(const Graph& graph, std::int64_t limit);

}  // namespace seam::graph
