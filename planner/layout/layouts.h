#pragma once
#include "planner/planner.h"

namespace seam::planner::layout {

/// The graph with its values in these orders, and with copies where the library cannot read an operand of a product, or write its result, as it lies.
/// BadInput: a name that the graph does not have, an order that does not fit its dims, a value whose dims cannot be renumbered.
[[nodiscard]] Result<graph::Graph> with_orders(const graph::Graph& graph, const PlanOptions& options, const LayoutOrders& orders);

}  // namespace seam::planner::layout
