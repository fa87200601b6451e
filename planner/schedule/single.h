#pragma once
/// The schedule of a loop that stands alone: nothing kept on chip, so only coalescing and parallelism matter.
#include "draft/draft.h"

namespace seam::planner {

/// Blocks and splits of one output loop over memory.
struct Division {
  bool flat = true;
  std::int64_t blocks = 1;
  std::int64_t splits = 1;
};
[[nodiscard]] Division divide_alone(const graph::Computation& computation, const Roles& roles, Id<graph::Op> loop, const Device& device);

/// A part of one op that reads memory and writes memory; a variadic reduce with its elements.
[[nodiscard]] DraftPart single_op_part(const graph::Computation& computation, const Roles& roles, Id<graph::Op> op, const Device& device);

}  // namespace seam::planner
