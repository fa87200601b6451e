#pragma once
/// Writes merges into a computation.
#include <optional>
#include <span>
#include <vector>

#include "graph/graph.h"
#include "prepare/merge.h"

namespace seam::planner {

/// Pieces that lie one behind the other in a value that exists: putting them together along a dim takes no copy.
struct Whole {
  Id<graph::Op> value;
  std::int64_t dim = 0, start = 0, limit = 0;  ///< the slice of `value` that they make up
};
[[nodiscard]] std::optional<Whole> whole_of(const graph::Computation& computation, std::span<const Id<graph::Op>> parts, std::int64_t dim);

/// The computation with these merges, or nothing where together they would wait for each other. Products and adds that are replaced are gone; what else
/// nobody reads any more is not. A stacked product leaves slices under the names of the products it stands for.
[[nodiscard]] std::optional<graph::Computation> merged(const graph::Computation& from, std::span<const Merge> merges);

}  // namespace seam::planner
