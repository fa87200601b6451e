#pragma once
#include "planner/planner.h"

namespace seam::planner::layout {

/// The graph with its values in these orders, and with copies where the library cannot read an operand of a product, or write its result, as it lies.
/// Names that the graph does not have, and orders that do not fit, change nothing.
[[nodiscard]] graph::Graph with_orders(const graph::Graph& graph, const PlanOptions& options, const LayoutOrders& orders);

}  // namespace seam::planner::layout
