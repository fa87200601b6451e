#include "schedule/dominance.h"

#include <algorithm>
#include <cstdint>

namespace seam::planner {

std::vector<std::size_t> immediate_dominators(const std::vector<std::vector<std::size_t>>& successors, std::size_t root) {
  const std::size_t count = successors.size();
  // Reverse post-order from the root, without recursion.
  std::vector<std::size_t> order, number(count, SIZE_MAX);
  std::vector<std::pair<std::size_t, std::size_t>> stack{{root, 0}};
  std::vector<bool> seen(count, false);
  seen[root] = true;
  while (!stack.empty()) {
    auto& [node, next] = stack.back();
    if (next == successors[node].size()) {
      order.push_back(node);
      stack.pop_back();
      continue;
    }
    const std::size_t to = successors[node][next++];
    if (!seen[to]) {
      seen[to] = true;
      stack.emplace_back(to, 0);
    }
  }
  std::ranges::reverse(order);
  for (std::size_t i = 0; i < order.size(); ++i) number[order[i]] = i;
  std::vector<std::vector<std::size_t>> predecessors(count);
  for (const std::size_t node : order)
    for (const std::size_t to : successors[node]) predecessors[to].push_back(node);

  std::vector<std::size_t> dominator(count, SIZE_MAX);
  dominator[root] = root;
  const auto meet = [&](std::size_t a, std::size_t b) {
    while (a != b) {
      while (number[a] > number[b]) a = dominator[a];
      while (number[b] > number[a]) b = dominator[b];
    }
    return a;
  };
  bool changed = true;
  while (changed) {
    changed = false;
    for (const std::size_t node : order) {
      if (node == root) continue;
      std::size_t best = SIZE_MAX;
      for (const std::size_t from : predecessors[node])
        if (dominator[from] != SIZE_MAX) best = best == SIZE_MAX ? from : meet(best, from);
      if (best != dominator[node]) {
        dominator[node] = best;
        changed = true;
      }
    }
  }
  dominator[root] = SIZE_MAX;
  return dominator;
}

}  // namespace seam::planner
