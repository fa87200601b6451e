#include "schedule/single.h"

#include <algorithm>

#include "schedule/ownership.h"

namespace seam::planner {

using graph::Op;

namespace {
constexpr std::int64_t kElementsPerFlatBlock = 1024;  ///< four per thread
constexpr std::int64_t kElementsPerSplit = 4096;      ///< less per block is not worth a second stage
constexpr std::int64_t kMostSplits = 512;

/// The largest divisor of n that is at most `most`.
std::int64_t divisor_up_to(std::int64_t n, std::int64_t most) {
  std::int64_t best = 1;
  for (const std::int64_t d : divisors(n))
    if (d <= most) best = d;
  return best;
}
}  // namespace

Division divide_alone(const graph::Computation& computation, const Roles& roles, Id<Op> loop, const Device& device) {
  const Op& op = computation.ops[loop];
  const std::int64_t out = product(dims_of(op));
  const Role role = roles.role[loop];
  if (role != Role::Reduce && role != Role::Dot) {
    const std::int64_t walked = product(loop_dims(computation, op, roles.updates(loop)));
    return {true, std::clamp<std::int64_t>((walked + kElementsPerFlatBlock - 1) / kElementsPerFlatBlock, 1, 32 * device.sms), 1};
  }
  const std::vector<std::int64_t>& in = dims_of(computation.ops[op.operands[0]]);
  const std::int64_t walked = std::max<std::int64_t>(1, product(in));
  const std::int64_t reduced = std::max<std::int64_t>(1, walked / std::max<std::int64_t>(1, out));
  const bool minor = role == Role::Dot || in.empty() ||
                     std::ranges::count(op.attributes.dimensions, static_cast<std::int64_t>(in.size()) - 1) > 0;
  // Rows a block may take: a warp per row while rows are short, a block per row else; columns side by side for coalescing.
  const std::int64_t per_block = !minor ? 32 : reduced <= 8 ? 256 : reduced >= 2048 ? 1 : 8;
  std::int64_t blocks = divisor_up_to(out, std::max<std::int64_t>(1, out / per_block));
  while (blocks > 1 && !schedule_for(dims_of(op), out, blocks)) {
    const std::vector<std::int64_t> all = divisors(out);
    blocks = *std::prev(std::ranges::lower_bound(all, blocks));
  }
  const std::int64_t wanted = 2 * device.sms;
  std::int64_t splits = 1;
  if (role == Role::Reduce && !op.shape.is_tuple)
    splits = std::clamp<std::int64_t>(std::min({wanted / blocks, reduced / 8, walked / (blocks * kElementsPerSplit)}), 1, kMostSplits);
  return {false, blocks, splits};
}

DraftPart single_op_part(const graph::Computation& computation, const Roles& roles, Id<Op> op, const Device& device) {
  const Division division = divide_alone(computation, roles, op, device);
  DraftPart part{{}, division.flat, division.blocks, division.splits};
  const std::int64_t columns = product(loop_dims(computation, computation.ops[op], roles.updates(op)));
  if (!computation.ops[op].shape.is_tuple) {
    part.loops.push_back({op, columns, false, true});
    return part;
  }
  part.loops.push_back({op, columns, true, false});
  for (const Id<Op> element : roles.users[op])
    if (computation.ops[element].opcode == graph::Opcode::GetTupleElement) part.loops.push_back({element, columns, false, true});
  return part;
}

}  // namespace seam::planner
