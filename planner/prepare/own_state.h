#pragma once
/// Loop bodies and branches update their state in place; this makes sure that what they update is theirs.
#include "graph/graph.h"

namespace seam::planner {

/// A `copy` before each while, conditional or end of a body that hands over a buffer for updating in place which somebody else may still
/// look at: one buffer given to several elements of the state (N zero-initialised accumulators made from one broadcast), a constant, an
/// argument that the caller did not donate, a value read later. As ops they are planned like any other: one kernel may fill many of them.
/// XLA does the same in its copy insertion pass. Values do not change.
[[nodiscard]] graph::Graph with_owned_state(const graph::Graph& graph);

}  // namespace seam::planner
