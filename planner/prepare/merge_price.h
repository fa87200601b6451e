#pragma once
/// What a computation costs with and without a merge, by the one time model.
#include <cstdint>
#include <span>
#include <vector>

#include "graph/graph.h"
#include "planner/planner.h"
#include "policy/policy.h"
#include "prepare/merge.h"
#include "stitch/problem.h"

namespace seam::planner {

/// One run of a computation as planned; loops and branches inside it are left out, being the same on both sides.
struct Price {
  std::int64_t launches = 0;  ///< kernels, library calls and copies
  double us = 0;              ///< modelled, mid, in a CUDA graph
};
[[nodiscard]] Price price_of(const graph::Graph& graph, Id<graph::Computation> id, const PlanOptions& options, const Policy& policy);

/// Without planning anything: microseconds of the products apart, and of what one product takes with the bytes that merging moves, as if these needed no
/// launch of their own. What does not pay here is not tried.
struct Guess {
  double apart_us = 0, merged_us = 0;
  [[nodiscard]] bool pays() const { return merged_us < apart_us; }
};
/// One per merge; what several of them put together they pay for in equal shares.
[[nodiscard]] std::vector<Guess> guesses(const stitch::Problem& problem, std::span<const Merge> merges);

}  // namespace seam::planner
