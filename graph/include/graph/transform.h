#pragma once
/// Graph → Graph: what planning wants simplified first.
#include <optional>

#include "graph/graph.h"

namespace seam::graph {

/// Calls (`call`) inlined everywhere; fusions too if asked. Names stay unique ("callee.op").
[[nodiscard]] Graph inline_calls(const Graph& graph, bool fusions_too);
/// Ops that reach no root (and have no side effect) and computations that nobody calls removed.
[[nodiscard]] Graph without_dead_code(const Graph& graph);
/// Equal pure ops merged (same opcode, operands, attributes, shape).
[[nodiscard]] Graph without_duplicates(const Graph& graph);
/// Every value row-major: before optimization a layout in the text is a wish of the frontend, not a fact of memory, and no value depends on
/// it. Unchanged where one does (a bitcast between other layouts, as in optimized modules).
[[nodiscard]] Graph with_row_major_values(const Graph& graph);
/// Trips of a `while`, from backend_config known_trip_count or from the induction variable: init constant, step constant,
/// compare with a constant (or a loop-invariant constant). nullopt if it depends on data.
[[nodiscard]] std::optional<std::int64_t> trip_count(const Graph& graph, const Computation& computation, const Op& while_op);
/// The while replaced by `trips` copies of its body (only where the trip count is known and <= limit).
[[nodiscard]] Result<Graph> unrolled(const Graph& graph, std::int64_t limit);

}  // namespace seam::graph
