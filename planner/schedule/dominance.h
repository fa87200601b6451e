#pragma once
/// Immediate dominators of a small DAG (Cooper, Harvey, Kennedy: "A Simple, Fast Dominance Algorithm").
#include <cstddef>
#include <vector>

namespace seam::planner {

/// successors[i] = nodes that node i leads to. result[i] = immediate dominator of i as seen from `root`; SIZE_MAX for the root and for
/// nodes it does not reach.
[[nodiscard]] std::vector<std::size_t> immediate_dominators(const std::vector<std::vector<std::size_t>>& successors, std::size_t root);

}  // namespace seam::planner
