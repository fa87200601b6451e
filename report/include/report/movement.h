#pragma once
/// Data movement of a module and of its plan, as `seam analyze --movement` prints it: words and bytes per operator, per class and per launch, and
/// what launches read again of what others just wrote. The accounting is analyzer/movement.h's; every figure is `modelled`.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/movement.h"
#include "graph/graph.h"
#include "planner/planner.h"
#include "report/document.h"

namespace seam::report {

/// One step of a plan that moves memory.
struct PlanLaunch {
  planner::StepKind kind = planner::StepKind::Kernel;
  analyzer::LaunchTraffic launch;
  std::optional<std::int64_t> planned_bytes;  ///< of one run, as the plan estimates them; none for library calls
  [[nodiscard]] analyzer::Movement movement() const { return launch.traffic.sum().times(launch.runs); }
};
/// In the order they run, callees before callers. `graph` is the one that was planned (planner::prepared).
[[nodiscard]] std::vector<PlanLaunch> launches_of(const graph::Graph& graph, const planner::Plan& plan);

/// A plan's movement in all.
struct PlanMovement {
  std::string policy;
  std::int64_t kernels = 0, library_calls = 0, copies = 0;  ///< times trips
  std::vector<PlanLaunch> launches;
  std::vector<analyzer::Reread> rereads;
  analyzer::Movement sum;
  [[nodiscard]] std::int64_t bytes_reread() const;
};
[[nodiscard]] PlanMovement movement_of(const graph::Graph& graph, const planner::Plan& plan);

struct MovementReport {
  std::string module, device;
  std::string layouts;                        ///< planner::Layouts of both plans
  analyzer::Granularity granularity = analyzer::Granularity::Paper46;
  std::vector<analyzer::Operator> operators;  ///< in the order of the module
  PlanMovement none, plan;                    ///< one kernel per op, and what was chosen
};
/// Plans twice: as asked and by policy `none`. Errors: the planner's.
[[nodiscard]] Result<MovementReport> movement_report(const graph::Graph& module, analyzer::Granularity granularity, const planner::PlanOptions& options);

/// `most` rows of operators and of values; 0: all.
[[nodiscard]] Document movement_document(const MovementReport& report, std::size_t most);
/// The object "movement" of seam.analyze/1.
[[nodiscard]] std::string movement_json(const MovementReport& report);

/// The name of the rule that this report goes by where something must be saved for later ops: nothing is assumed.
inline constexpr const char* kSavedAsWritten = "as-written";

}  // namespace seam::report
