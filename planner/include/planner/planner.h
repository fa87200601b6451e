#pragma once
/// The planner's front door: Graph → Plan.
#include <string>
#include <string_view>
#include <vector>

#include "base/device.h"
#include "graph/graph.h"
#include "planner/plan.h"

namespace seam::planner {

struct PlanOptions {
  std::string policy = "stitch";         ///< stitch | none | xla2018
  Device device{};
  std::int64_t shared_cap = 0;           ///< bytes per block; 0 = the device's own limit without opt-in; the paper's is 20480
  std::int64_t footprint_cap = 0;        ///< bytes a packed kernel may touch; 0 = no cap
  bool unroll_loops = false;
  bool emit_small_dots = true;           ///< small batched dots inside groups
};

/// What is planned: calls inlined, dead code and duplicates removed, loops unrolled if asked. Plans speak of the
/// ops of this graph, so everything after (codegen, run, report) must use it too.
[[nodiscard]] Result<graph::Graph> prepared(const graph::Graph& graph, const PlanOptions& options);
/// `graph` must be what prepared() returned. Deterministic: same input, same bytes of .plan.
[[nodiscard]] Result<Plan> make_plan(const graph::Graph& graph, const PlanOptions& options);

[[nodiscard]] std::string print_plan(const Plan& plan, const graph::Graph& graph);
[[nodiscard]] Result<Plan> parse_plan(std::string_view text, std::string_view file, const graph::Graph& graph);
/// Legality of a whole plan, whoever wrote it: every op computed before it is read, groups acyclic, placements and
/// schedules block-local, shared memory within limits, in-place targets dead.
[[nodiscard]] Result<void> verify(const Plan& plan, const graph::Graph& graph, const Device& device);

/// An op that reads no memory of its own accord: folded into whatever uses it (constants, iota, scalar broadcasts) or no work at all
/// (DESIGN section 12, "Free ops").
[[nodiscard]] bool is_free(const graph::Computation& computation, const graph::Op& op);
/// Whether codegen can lower the op inside a kernel; the reason if not.
[[nodiscard]] Result<void> can_emit(const graph::Graph& graph, const graph::Computation& computation, const graph::Op& op);

}  // namespace seam::planner
