#pragma once
/// The two floors printed beside each plan (DESIGN section 12).
#include "planner/plan.h"
#include "stitch/problem.h"

namespace seam::planner {

/// Levels between this plan's library calls that must hold a kernel, one run of the computation: as few as slack allows. Loops are in their
/// own computation's floor: with library calls inside, the work after the last of them and before the first of the next trip is one level;
/// without, the loop counts once, where it stands.
[[nodiscard]] std::int64_t roof_floor(const stitch::Problem& problem);
/// Whether the computation, or a loop inside it, calls the library.
[[nodiscard]] bool calls_library(const graph::Graph& graph, Id<graph::Computation> computation, const PlanOptions& options);

/// Bytes if each level of this plan were one kernel: every value read there but produced before it, and every value produced there and
/// read after it or returned, once.
[[nodiscard]] std::int64_t byte_floor(const graph::Computation& computation, const ComputationPlan& plan);

}  // namespace seam::planner
