#include <algorithm>

#include "draft/draft.h"

namespace seam::planner {

void place_shared(const graph::Computation&, Part& part) {
  std::int64_t at = 0;
  for (PlannedOp& planned : part.ops) {
    if (planned.placement != Placement::Shared) continue;
    planned.shared_offset = at;
    at += (planned.shared_bytes + 15) / 16 * 16;
  }
  part.shared_bytes = at;
}

}  // namespace seam::planner
