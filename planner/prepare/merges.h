#pragma once
/// Products that stay library calls and can be one call become one ("algebraic fusion" of Data Movement Is All You Need, section IV-D: Q/K/V).
#include <string_view>
#include <vector>

#include "graph/graph.h"
#include "planner/planner.h"
#include "planner/veto.h"

namespace seam::planner {

/// The frontend attribute of a merged product that keeps the names of what it stands for.
inline constexpr std::string_view kMergedProducts = "merged_products";

struct MergedProducts {
  graph::Graph graph;
  std::vector<EarlyVeto> refused;  ///< what was lawful or close to it, and why it is not
};

/// Products that share a factor are stacked (x·A, x·B → x·[A B]); sums of products become one product of longer factors (a·A + b·B → [a b]·[A; B]).
/// What is lawful: prepare/merge_candidates.h. What is done: what makes the planned computation faster by the time model, replayed in a CUDA graph, without more
/// launches: both are planned to the end, library epilogues included, and their kernels, calls and copies are priced. A factor put together from pieces that
/// do not lie one behind the other is a kernel that reads and writes them in every run; a slice that a library call or the caller needs is another; a slice
/// that kernels read is nothing.
///
/// Products in different computations (a loop's and what is outside) never meet. Only sums change values: in the order of their terms.
[[nodiscard]] MergedProducts with_merged_products(const graph::Graph& graph, const PlanOptions& options);

}  // namespace seam::planner
