#pragma once
/// How bytes and flops divide over classes of ops (DESIGN section 12), and how deep the graph is.
#include <map>
#include <vector>

#include "analyzer/op_cost.h"
#include "analyzer/origin.h"

namespace seam::analyzer {

/// One class's share: op by op, loops multiplied by their trips, as if every op were its own kernel.
struct Share {
  Class op_class = Class::Other;
  std::int64_t ops = 0;      ///< static
  std::int64_t runs = 0;     ///< times trips
  double flops = 0;
  std::int64_t words = 0;    ///< read and written
  std::int64_t bytes = 0;
};

/// An op's class in its place: an origin group that reduces and spreads a statistic (a reduce's result, broadcast) is statistical
/// normalization, its element-wise ops included. A sum that only leaves (a bias gradient, a loss) is not.
[[nodiscard]] std::map<Id<graph::Op>, Class> classes_of(const graph::Graph& graph, Id<graph::Computation> computation,
                                                        const std::vector<OriginGroup>& groups);
/// Classes that occur, in the order of the enum.
[[nodiscard]] std::vector<Share> shares_of(const graph::Graph& graph);

struct OriginShare {
  std::string label;
  std::int64_t ops = 0;
  double flops = 0;
  std::int64_t bytes = 0;
};
/// Bytes first.
[[nodiscard]] std::vector<OriginShare> origins_of(const graph::Graph& graph);

/// Work: all flops (and ops). Span: the longest chain of ops that need each other, loops unrolled; parallelism = work / span.
struct WorkSpan {
  double flops = 0, span_flops = 0;
  std::int64_t ops = 0, span_ops = 0;
};
[[nodiscard]] WorkSpan work_span(const graph::Graph& graph);

/// Amdahl's speedup of a program of which share `fusable` is made `speedup` times faster.
[[nodiscard]] double amdahl(double fusable, double speedup);
/// FusionStitching's own predictor of end-to-end speedup, "the paper's formula": 1 + f * (1 - 1 / s). Always below Amdahl's.
[[nodiscard]] double fusion_stitching_predictor(double fusable, double speedup);

}  // namespace seam::analyzer
