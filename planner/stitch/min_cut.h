#pragma once
/// Minimum cut between a source and a sink (Dinic): which values to read from memory and which to compute again.
#include <cstdint>
#include <vector>

namespace seam::planner::stitch {

class MinCut {
 public:
  static constexpr std::int64_t kInfinite = INT64_MAX / 4;

  explicit MinCut(std::size_t nodes) : first_(nodes, -1) {}
  void edge(std::size_t from, std::size_t to, std::int64_t capacity);
  /// Nodes on the source's side of the minimum cut that lies nearest to the sink.
  [[nodiscard]] std::vector<bool> source_side(std::size_t source, std::size_t sink);

 private:
  struct Edge {
    std::size_t to;
    std::int64_t left;
    int next;
  };
  bool layer(std::size_t source, std::size_t sink);
  std::int64_t push(std::size_t source, std::size_t sink);

  std::vector<int> first_;
  std::vector<Edge> edges_;
  std::vector<int> depth_, at_;
};

}  // namespace seam::planner::stitch
