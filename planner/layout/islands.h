#pragma once
/// Values whose dims can only be renumbered together: element-wise ops, transposes and pieces of one value tie what they read to what they make. A choice of
/// layouts is one order per island.
#include <vector>

#include "graph/graph.h"
#include "graph/orders.h"

namespace seam::planner::layout {

inline constexpr std::size_t kNone = SIZE_MAX;

struct Island {
  Id<graph::Op> reference;         ///< its dims are the island's dims
  std::vector<Id<graph::Op>> ops;
};
struct Islands {
  IdVector<graph::Op, std::size_t> of;                  ///< kNone: row-major, whatever is chosen
  IdVector<graph::Op, std::vector<std::int64_t>> dims;  ///< dim d of the op is dim dims[d] of its island
  std::vector<Island> islands;

  /// What an island's order is to one of its ops, and back.
  [[nodiscard]] graph::Order of_op(Id<graph::Op> op, const graph::Order& island) const;
  [[nodiscard]] graph::Order of_island(Id<graph::Op> op, const graph::Order& own) const;
};
[[nodiscard]] Islands islands_of(const graph::Computation& computation);

}  // namespace seam::planner::layout
