#include "graph/transform.h"
#include "report/movement.h"

namespace seam::report {
namespace {

Result<PlanMovement> planned(const graph::Graph& module, const planner::PlanOptions& options) {
  SEAM_TRY(const graph::Graph graph, planner::prepared(module, options));
  SEAM_TRY(const planner::Plan plan, planner::make_plan(graph, options));
  return movement_of(graph, plan);
}

}  // namespace

Result<MovementReport> movement_report(const graph::Graph& module, analyzer::Granularity granularity, const planner::PlanOptions& options) {
  MovementReport out;
  out.module = module.name;
  out.device = options.device.name;
  out.granularity = granularity;
  // Of the module as it is: what the planner simplifies away is movement that somebody asked for.
  out.operators = analyzer::operators_of(graph::inline_calls(module, true), granularity);
  SEAM_TRY(out.plan, planned(module, options));
  planner::PlanOptions alone = options;
  alone.policy = "none";
  SEAM_TRY(out.none, planned(module, alone));
  return out;
}

}  // namespace seam::report
