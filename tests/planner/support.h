#pragma once
/// Modules, plans and short ways into them for the planner's tests.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/device.h"
#include "graph/graph.h"
#include "planner/pipeline.h"
#include "planner/planner.h"

namespace seam::planner::test {

[[nodiscard]] std::string slurp(const std::filesystem::path& file);
/// Parsed; throws with the error's text, which fails the test.
[[nodiscard]] graph::Graph module(std::string_view text);
/// The modules of tests/data/xla, sorted by name.
[[nodiscard]] std::vector<std::filesystem::path> xla_modules();
/// Small ones only: what property tests run over.
[[nodiscard]] std::vector<std::filesystem::path> small_modules();

[[nodiscard]] PlanOptions options_for(std::string policy, std::int64_t shared_cap = 0);

struct Case {
  graph::Graph graph;  ///< prepared
  Plan plan;
};
/// Prepared and planned; throws on errors.
[[nodiscard]] Case planned(const graph::Graph& graph, const PlanOptions& options);
[[nodiscard]] Case planned(std::string_view text, const PlanOptions& options);

/// The planned op of that name; throws if no part has it.
[[nodiscard]] const PlannedOp& planned_op(const Case& c, std::string_view name);
[[nodiscard]] bool has_veto(const Plan& plan, VetoCode code);
/// What verify says; empty if the plan is legal.
[[nodiscard]] std::string complaint(const Case& c);

}  // namespace seam::planner::test
