#pragma once
/// In which order the dims of values lie in memory, and a graph rewritten so that every value is row-major in its order: what XLA calls layout
/// assignment and layout normalization. Values keep their meaning; only the numbering of dims changes.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace seam::graph {

/// order[k] = the dim that stands at place k in memory, major first: {0, 1, 2} is row-major, HLO's minor-to-major read from the end. Empty = row-major.
using Order = std::vector<std::int64_t>;
/// One per op of a computation. Of ops that keep their dims (may_reorder() is false) none may be asked.
using Orders = IdVector<Op, Order>;

[[nodiscard]] Order row_major_order(std::int64_t rank);
[[nodiscard]] bool is_row_major(const Order& order);
/// The order in which the dims of a value stand that is transposed by `dimensions` (result dim i = operand dim dimensions[i]) and stays where it is.
[[nodiscard]] Order order_of_transposed(const Order& operand, const std::vector<std::int64_t>& dimensions);
/// "{2,0,1}"; as HLO prints a layout: minor to major.
[[nodiscard]] std::string print_order(const Order& order);
[[nodiscard]] std::optional<Order> parse_order(std::string_view text);  ///< nothing if it is no permutation

/// Whether the op can compute its value with the dims in another order: not parameters and roots of computations, calls, sorts and others whose
/// dims mean something.
[[nodiscard]] bool may_reorder(const Op& op);
/// Each use of a value that costs nothing to repeat (iota, broadcasts of one element or of a smaller value) gets a copy of its own, so that uses in
/// different orders do not tie each other. without_duplicates() merges what is equal in the end.
[[nodiscard]] Graph with_own_broadcasts(const Graph& graph);
/// The computation with every value in its order: dims renumbered, `transpose`s where a user wants another order than the value has. Parameters, results of
/// the root and operands of ops that may not be reordered keep theirs. Transposes that an order makes needless become reshapes of the same shape.
/// `products`: the orders that a dot's operands and result are handed over in, where its own rule (operands as they lie, result as it comes) will not do.
struct DotOrders {
  Order lhs, rhs, result;
};
[[nodiscard]] Computation reordered(const Computation& computation, const Orders& orders, const std::map<Id<Op>, DotOrders>& products = {});
/// The order of a reshape's result whose operand lies in `order`, without moving anything; nothing if dims that it merges or splits would be torn apart.
[[nodiscard]] std::optional<Order> order_of_reshaped(const std::vector<std::int64_t>& operand, const std::vector<std::int64_t>& result, const Order& order);

}  // namespace seam::graph
