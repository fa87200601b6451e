#include "stitch/min_cut.h"

#include <algorithm>

namespace seam::planner::stitch {

void MinCut::edge(std::size_t from, std::size_t to, std::int64_t capacity) {
  edges_.push_back({to, capacity, first_[from]});
  first_[from] = static_cast<int>(edges_.size()) - 1;
  edges_.push_back({from, 0, first_[to]});
  first_[to] = static_cast<int>(edges_.size()) - 1;
}

bool MinCut::layer(std::size_t source, std::size_t sink) {
  depth_.assign(first_.size(), -1);
  std::vector<std::size_t> queue{source};
  depth_[source] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i)
    for (int e = first_[queue[i]]; e >= 0; e = edges_[static_cast<std::size_t>(e)].next) {
      const Edge& edge = edges_[static_cast<std::size_t>(e)];
      if (edge.left <= 0 || depth_[edge.to] >= 0) continue;
      depth_[edge.to] = depth_[queue[i]] + 1;
      queue.push_back(edge.to);
    }
  return depth_[sink] >= 0;
}

/// One augmenting path in the layered graph, found without recursion (chains of ops can be long).
std::int64_t MinCut::push(std::size_t source, std::size_t sink) {
  std::vector<int> path;
  std::size_t node = source;
  while (true) {
    if (node == sink) {
      std::int64_t flow = kInfinite;
      for (const int e : path) flow = std::min(flow, edges_[static_cast<std::size_t>(e)].left);
      for (const int e : path) {
        edges_[static_cast<std::size_t>(e)].left -= flow;
        edges_[static_cast<std::size_t>(e ^ 1)].left += flow;
      }
      return flow;
    }
    int& at = at_[node];
    while (at >= 0) {
      const Edge& edge = edges_[static_cast<std::size_t>(at)];
      if (edge.left > 0 && depth_[edge.to] == depth_[node] + 1) break;
      at = edge.next;
    }
    if (at >= 0) {
      path.push_back(at);
      node = edges_[static_cast<std::size_t>(at)].to;
      continue;
    }
    if (path.empty()) return 0;
    depth_[node] = -1;
    node = edges_[static_cast<std::size_t>(path.back() ^ 1)].to;
    path.pop_back();
  }
}

std::vector<bool> MinCut::source_side(std::size_t source, std::size_t sink) {
  while (layer(source, sink)) {
    at_ = first_;
    while (push(source, sink) > 0) {
    }
  }
  // Nearest the sink: everything that cannot reach it any more counts as the source's.
  std::vector<bool> reaches(first_.size(), false);
  std::vector<std::size_t> queue{sink};
  reaches[sink] = true;
  for (std::size_t i = 0; i < queue.size(); ++i)
    for (int e = first_[queue[i]]; e >= 0; e = edges_[static_cast<std::size_t>(e)].next) {
      const std::size_t from = edges_[static_cast<std::size_t>(e)].to;
      if (!reaches[from] && edges_[static_cast<std::size_t>(e ^ 1)].left > 0) {
        reaches[from] = true;
        queue.push_back(from);
      }
    }
  std::vector<bool> source_of(first_.size());
  for (std::size_t i = 0; i < reaches.size(); ++i) source_of[i] = !reaches[i];
  return source_of;
}

}  // namespace seam::planner::stitch
