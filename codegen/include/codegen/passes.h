#pragma once
/// Kernel → Kernel: what makes the lowered kernel shorter and better to read. Every pass keeps what the kernel computes.
#include <array>
#include <vector>

#include "base/passes.h"
#include "codegen/kernel.h"
#include "planner/plan.h"

namespace seam::codegen {

[[nodiscard]] Result<Kernel> drop_unread_shared(const Kernel& kernel);
[[nodiscard]] Result<Kernel> drop_dead_names(const Kernel& kernel);
[[nodiscard]] Result<Kernel> unroll_single_trips(const Kernel& kernel);
[[nodiscard]] Result<Kernel> share_indices(const Kernel& kernel);

inline constexpr std::array kPasses = {
    // Before drop_dead_names, because what was stored may then be needed by nobody.
    Pass<Kernel>{"drop-unread-shared", "removes shared-memory values that only the thread that computes them reads", drop_unread_shared},
    Pass<Kernel>{"drop-dead-names", "removes values that nothing uses", drop_dead_names},
    // Before share-indices, because an index that is a constant now is no common subexpression.
    Pass<Kernel>{"unroll-single-trips", "turns loops of at most one trip into a guard or plain statements", unroll_single_trips},
    Pass<Kernel>{"share-indices", "names index divisions and remainders that are used more than once", share_indices},
};

/// lower() with the pass options of the command line, and what each pass did.
struct Lowered {
  Kernel kernel;
  std::vector<PassRecord> log;
};
[[nodiscard]] Result<Lowered> lower_with(const graph::Graph& graph, const graph::Computation& computation, const planner::FusionGroup& group,
                                         const PassOptions& options);
/// As lowered, before any pass; not verified.
[[nodiscard]] Result<Kernel> lower_unsimplified(const graph::Graph& graph, const graph::Computation& computation,
                                                const planner::FusionGroup& group);

}  // namespace seam::codegen
