#pragma once
/// Planning as named passes (base/passes.h): what `seam passes` lists and `seam plan --dump-after=NAME` shows.
/// prepared() and make_plan() run the same passes.
#include <span>
#include <string>

#include "base/passes.h"
#include "planner/planner.h"

namespace seam::planner {

/// What travels through the passes: first only a graph, then a plan for it as well.
struct Planning {
  graph::Graph graph;
  PlanOptions options;
  Plan plan;             ///< empty until the grouping pass
  bool planned = false;
  std::vector<EarlyVeto> refused = {};  ///< before grouping, which makes vetoes of them
  friend bool operator==(const Planning& a, const Planning& b) {
    return a.planned == b.planned && a.graph == b.graph && a.plan == b.plan;
  }
};

[[nodiscard]] std::span<const Pass<Planning>> pipeline();
/// .graph text while there is no plan, .plan text after.
[[nodiscard]] std::string print(const Planning& planning);
[[nodiscard]] Result<void> verify(const Planning& planning);
/// All passes, none verified on its own: the graph that the plan speaks of, and the options with what was found for them (orders).
[[nodiscard]] Result<Planning> plan_module(const graph::Graph& module, const PlanOptions& options);
[[nodiscard]] Result<PassRun<Planning>> run_pipeline(const graph::Graph& graph, const PlanOptions& options, const PassOptions& passes = {});

/// A policy by name and what it does, for --policy and its help.
struct PolicyInfo {
  std::string_view name, what;
  bool layouts = false;  ///< whether its rules choose them
};
[[nodiscard]] std::vector<PolicyInfo> policy_list();

/// Why two ops are not one kernel (or that they are), in sentences; `b` empty: everything decided about `a`. NotFound if there is no such op.
[[nodiscard]] Result<std::string> explain(const Plan& plan, const graph::Graph& graph, std::string_view a, std::string_view b);
/// Every refusal, one line each, grouped by code.
[[nodiscard]] std::string explain_all(const Plan& plan, const graph::Graph& graph);
/// Graphviz: a cluster per kernel, library calls as boxes, bytes on edges between them.
[[nodiscard]] std::string print_plan_dot(const Plan& plan, const graph::Graph& graph);

}  // namespace seam::planner
