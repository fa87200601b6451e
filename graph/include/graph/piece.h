#pragma once
/// A piece of a module as a module of its own.
#include <string>
#include <vector>

#include "graph/graph.h"
#include "graph/orders.h"

namespace seam::graph {

/// The ops, in the order of the computation, and what they read that costs nothing to repeat (constants, iota, broadcasts of constants). Everything else
/// that they read is a parameter of the same name; what others read of them, or the root returns, is the result: a tuple in op order.
[[nodiscard]] Graph piece_of(const Graph& graph, const Computation& computation, const std::vector<Id<Op>>& ops, std::string name);

/// The module with parameters and results that lie in other orders: a parameter has its dims in the order in which it lies and is transposed into the one that
/// the module knows, a result the other way. Both lists may be shorter than there are parameters and results; empty orders change nothing.
[[nodiscard]] Graph with_border(const Graph& graph, const std::vector<Order>& parameters, const std::vector<Order>& results);

}  // namespace seam::graph
