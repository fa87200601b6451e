#pragma once
/// A policy turns one computation into a draft: which loops share a kernel. Named policies re-implement other people's rules
/// for comparison; `stitch` is ours.
#include <string_view>

#include "base/result.h"
#include "draft/draft.h"
#include "stitch/problem.h"

namespace seam::planner {

struct Policy {
  std::string_view name;  ///< as typed: --policy
  std::string_view what;  ///< one sentence
  Draft (*draft)(const stitch::Problem& problem, stitch::Vetoes& vetoes);
  bool small_dots;        ///< whether its rules know contractions inside kernels
  bool epilogues;         ///< whether its rules know what a library call can take over
  bool layouts;           ///< whether its rules choose them
  bool pivots;            ///< whether values read at many places are looped over
  bool merges;            ///< whether its rules know products that become one
  bool row_sums;          ///< whether its rules cut sums over everything into rows first
};
[[nodiscard]] std::span<const Policy> policies();
[[nodiscard]] const Policy* policy_named(std::string_view name);

/// One computation as the policy plans it, floors in bytes and trips aside; `graph` prepared as far as the caller wants it.
[[nodiscard]] ComputationPlan plan_by(const Policy& policy, const graph::Graph& graph, Id<graph::Computation> id, const PlanOptions& options, stitch::Vetoes& vetoes);

[[nodiscard]] Draft draft_none(const stitch::Problem& problem, stitch::Vetoes& vetoes);
[[nodiscard]] Draft draft_xla2018(const stitch::Problem& problem, stitch::Vetoes& vetoes);
[[nodiscard]] Draft draft_stitch(const stitch::Problem& problem, stitch::Vetoes& vetoes);

}  // namespace seam::planner
