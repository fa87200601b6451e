#include "graph/transform.h"
#include "planner/pipeline.h"
#include "report/movement.h"

namespace seam::report {
namespace {

Result<PlanMovement> planned(const graph::Graph& module, const planner::PlanOptions& options) {
  SEAM_TRY(const planner::Planning planning, planner::plan_module(module, options));
  return movement_of(planning.graph, planning.plan);
}

}  // namespace

Result<MovementReport> movement_report(const graph::Graph& module, analyzer::Granularity granularity, const planner::PlanOptions& options) {
  MovementReport out;
  out.module = module.name;
  out.device = options.device.name;
  out.layouts = planner::name(options.layouts);
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
