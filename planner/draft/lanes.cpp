#include <algorithm>

#include "draft/draft.h"
#include "facts/small_dot.h"
#include "schedule/ownership.h"

namespace seam::planner {

using graph::Op;

int lanes_for(const graph::Computation& computation, const Roles& roles, const DraftPart& part, int threads) {
  // The reduction with the most elements decides for all of the part.
  std::int64_t most = -1;
  int lanes = 1;
  for (const DraftLoop& loop : part.loops) {
    const Role role = roles.role[loop.op];
    if (role != Role::Reduce && role != Role::Dot) continue;
    const Op& op = computation.ops[loop.op];
    const std::vector<std::int64_t>& in = dims_of(computation.ops[op.operands[0]]);
    const std::int64_t walked = product(in);
    if (walked <= most) continue;
    most = walked;
    const std::int64_t rows = std::max<std::int64_t>(1, product(dims_of(op)) / part.blocks);
    const std::int64_t reduced =
        role == Role::Dot ? dot_extents(computation, op).contracted
                          : std::max<std::int64_t>(1, walked / std::max<std::int64_t>(1, product(dims_of(op))));
    const bool minor = role == Role::Dot || in.empty() ||
                       std::ranges::count(op.attributes.dimensions, static_cast<std::int64_t>(in.size()) - 1) > 0;
    if (reduced <= 8 || rows >= 4 * threads)
      lanes = 1;
    else if (!minor || rows >= threads / 32 || reduced < threads)
      lanes = 32;
    else
      lanes = threads;
  }
  return lanes;
}

}  // namespace seam::planner
