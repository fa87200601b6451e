#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "schedule/ownership.h"
#include "verify/check.h"

namespace seam::planner {

using graph::Computation;
using graph::Op;
using graph::Opcode;

std::int64_t shared_limit(const Device& device, std::int64_t cap) {
  const std::int64_t own = std::max<std::int64_t>(0, device.shared_per_block - kReductionScratch);
  return cap > 0 ? std::min(cap, own) : own;
}

namespace {

class PartCheck {
 public:
  PartCheck(const graph::Graph& graph, const Computation& computation, const Roles& roles, const FusionGroup& group, const Part& part)
      : graph_(graph), computation_(computation), roles_(roles), group_(group), part_(part) {
    for (std::size_t i = 0; i < part.ops.size(); ++i) index_[part.ops[i].op] = i;
  }

  Result<void> run(std::int64_t limit) {
    if (part_.ops.empty()) return error("a part without ops");
    for (std::size_t i = 0; i < part_.ops.size(); ++i) {
      if (i > 0 && !(part_.ops[i - 1].op < part_.ops[i].op)) return error(fmt::format("{} stands twice or out of order", name(i)));
      if (const Result<void> r = check_op(i); !r) return r;
    }
    if (part_.lanes != 1 && part_.lanes != 32 && part_.lanes != group_.threads) return error("lanes are 1, 32 or the whole block");
    if (const Result<void> r = check_splits(); !r) return r;
    for (std::size_t i = 0; i < part_.ops.size(); ++i)
      if (looped(part_.ops[i]))
        if (const Result<void> r = check_reads(i); !r) return r;
    return check_shared(limit);
  }

 private:
  [[nodiscard]] static bool looped(const PlannedOp& planned) { return planned.output || planned.placement != Placement::Inline; }
  [[nodiscard]] const std::string& name(std::size_t i) const { return computation_.ops[part_.ops[i].op].name; }
  [[nodiscard]] tl::unexpected<Error> error(const std::string& what) const {
    return fail(Error::Code::BadInput, fmt::format("group {}: {}", group_.name, what));
  }
  [[nodiscard]] bool in_place(Id<Op> op) const {
    return std::ranges::any_of(group_.in_place, [&](const auto& pair) { return pair.first == op; });
  }

  Result<void> check_op(std::size_t i) const {
    const PlannedOp& planned = part_.ops[i];
    const Op& op = computation_.ops[planned.op];
    if (roles_.role[planned.op] == Role::Memory || roles_.role[planned.op] == Role::Result || roles_.role[planned.op] == Role::Plumbing ||
        op.opcode == Opcode::Tuple || op.opcode == Opcode::While || op.opcode == Opcode::Conditional)
      return error(fmt::format("{} is not something a kernel computes", op.name));
    if (const Result<void> emitted = can_emit(graph_, computation_, op); !emitted) return error(emitted.error().message);
    if ((op.opcode == Opcode::Reduce || op.opcode == Opcode::Dot || op.opcode == Opcode::Scatter) && !looped(planned))
      return error(fmt::format("{} ({}) cannot be inlined", op.name, graph::name(op.opcode)));
    if (op.opcode == Opcode::Scatter && !in_place(planned.op)) return error(fmt::format("{} scatters into nothing: no in-place entry", op.name));
    if (planned.output && op.shape.is_tuple) return error(fmt::format("{} yields a tuple: its elements are written, not it", op.name));
    if (!looped(planned)) return {};
    if (planned.placement == Placement::Inline) return error(fmt::format("{} is written but inline", op.name));
    const std::vector<std::int64_t>& dims = loop_dims(computation_, op, in_place(planned.op));
    const Schedule& s = planned.schedule;
    if (s.kind == ScheduleKind::Flat) {
      if (planned.placement != Placement::Output && part_.blocks != 1) return error(fmt::format("{} is kept on chip by a flat schedule", op.name));
      if (s.sword != part_.blocks) return error(fmt::format("{} has {} blocks, its part {}", op.name, s.sword, part_.blocks));
      return {};
    }
    const auto rank = static_cast<std::int64_t>(dims.size());
    if (s.split_dim < 0 || (rank > 0 && s.split_dim >= rank) || (rank == 0 && s.split_dim != 0) || s.sword < 1 ||
        (rank > 0 && dims[static_cast<std::size_t>(s.split_dim)] % s.sword != 0) || (rank == 0 && s.sword != 1))
      return error(fmt::format("{}: split={} sword={} does not divide {}", op.name, s.split_dim, s.sword, graph::print(op.shape)));
    if (blocks_of(dims, s) != part_.blocks)
      return error(fmt::format("{} has {} blocks, its part {}", op.name, blocks_of(dims, s), part_.blocks));
    return {};
  }

  Result<void> check_splits() const {
    if (part_.splits == 1) return {};
    for (const PlannedOp& planned : part_.ops)
      if (looped(planned) && (planned.placement != Placement::Output || computation_.ops[planned.op].opcode != Opcode::Reduce))
        return error(fmt::format("{} cannot be split: only output reduces can", computation_.ops[planned.op].name));
    return {};
  }

  /// Everything that loop `i` reads: inside the part block-local and kept where it must be.
  Result<void> check_reads(std::size_t i) const {
    const PlannedOp& loop = part_.ops[i];
    const Op& root = computation_.ops[loop.op];
    const std::int64_t columns = columns_of(loop_dims(computation_, root, in_place(loop.op)), loop.schedule);
    std::map<std::size_t, std::vector<Ownership>, std::greater<>> wants;
    const auto pass = [&](std::size_t reader, const Ownership& have) -> Result<void> {
      const Op& op = computation_.ops[part_.ops[reader].op];
      for (std::size_t k = 0; k < op.operands.size(); ++k) {
        if (k == 0 && in_place(part_.ops[reader].op)) continue;
        const Id<Op> operand = op.operands[k];
        const auto found = index_.find(operand);
        if (found == index_.end()) {
          if (folded(computation_, operand)) continue;
          if (index_.contains(storage_of(computation_, operand)))
            return error(fmt::format("{} reads {} by another name that the part does not list", op.name, computation_.ops[operand].name));
          continue;
        }
        if (computation_.ops[operand].opcode == Opcode::Scatter || in_place(operand))
          return error(fmt::format("{} reads {}, which this kernel updates", op.name, computation_.ops[operand].name));
        std::vector<Ownership>& list = wants[found->second];
        const Ownership want = in_place(part_.ops[reader].op) ? propagate_update(computation_, op, k, update_operand(op), have)
                                                              : propagate(computation_, op, k, have);
        if (!std::ranges::count(list, want)) list.push_back(want);
      }
      return {};
    };
    // Flat blocks own no divisible chunk: nothing kept may be read.
    const bool divided = loop.schedule.kind != ScheduleKind::Flat;
    const Ownership own{columns, divided ? columns : 1};
    if (const Result<void> r = pass(i, own); !r) return r;
    while (!wants.empty()) {
      const std::size_t at = wants.begin()->first;
      const std::vector<Ownership> list = std::move(wants.begin()->second);
      wants.erase(wants.begin());
      const PlannedOp& planned = part_.ops[at];
      const Op& op = computation_.ops[planned.op];
      const bool must_keep = op.opcode == Opcode::Reduce || op.opcode == Opcode::Dot;
      const bool kept = planned.placement == Placement::Shared || planned.placement == Placement::Warp;
      if (must_keep && !kept) return error(fmt::format("{} is read inside the part but not kept on chip", op.name));
      for (const Ownership& want : list) {
        if (!kept) {
          if (const Result<void> r = pass(at, want); !r) return r;
          continue;
        }
        const bool local = part_.blocks == 1 || (want.columns == columns_of(dims_of(op), planned.schedule) && want.divides > 0 &&
                                                 want.divides % part_.blocks == 0);
        if (!local) return error(fmt::format("{} reads elements of {} that another block owns", root.name, op.name));
      }
    }
    return {};
  }

  Result<void> check_shared(std::int64_t limit) const {
    struct Buffer {
      std::size_t index;
      std::int64_t begin, end;
      Lifetime life;
    };
    std::vector<Buffer> buffers;
    for (std::size_t i = 0; i < part_.ops.size(); ++i) {
      const PlannedOp& planned = part_.ops[i];
      if (planned.placement != Placement::Shared) continue;
      const Op& op = computation_.ops[planned.op];
      const std::int64_t n = product(dims_of(op));
      std::int64_t element = op.shape.is_tuple ? 0 : bytes(op.shape.dtype);
      for (const graph::Shape& e : op.shape.elements) element += bytes(e.dtype);
      if (n % part_.blocks != 0) return error(fmt::format("{} does not divide into {} blocks", op.name, part_.blocks));
      if (planned.shared_bytes != n / part_.blocks * element)
        return error(fmt::format("{} keeps {} bytes, its chunk has {}", op.name, planned.shared_bytes, n / part_.blocks * element));
      if (planned.shared_offset < 0 || planned.shared_offset % 8 != 0 || planned.shared_offset + planned.shared_bytes > part_.shared_bytes)
        return error(fmt::format("{} lies outside the part's shared memory", op.name));
      buffers.push_back({i, planned.shared_offset, planned.shared_offset + planned.shared_bytes, lifetime(computation_, part_, i)});
    }
    for (std::size_t a = 0; a < buffers.size(); ++a)
      for (std::size_t b = a + 1; b < buffers.size(); ++b) {
        if (buffers[a].begin >= buffers[b].end || buffers[b].begin >= buffers[a].end) continue;
        const Lifetime& first = buffers[a].life;
        const bool dead = first.last < buffers[b].index;
        const bool handed = first.last == buffers[b].index && first.same_place && buffers[a].begin == buffers[b].begin &&
                            part_.ops[buffers[a].index].shared_bytes == part_.ops[buffers[b].index].shared_bytes;
        if (!dead && !handed) return error(fmt::format("{} overwrites {}, which is still read", name(buffers[b].index), name(buffers[a].index)));
      }
    if (part_.shared_bytes > limit)
      return error(fmt::format("a part keeps {} bytes of shared memory, a block may have {}", part_.shared_bytes, limit));
    return {};
  }

  const graph::Graph& graph_;
  const Computation& computation_;
  const Roles& roles_;
  const FusionGroup& group_;
  const Part& part_;
  std::map<Id<Op>, std::size_t> index_;
};

}  // namespace

Result<void> check_part(const graph::Graph& graph, const Computation& computation, const Roles& roles, const FusionGroup& group,
                        const Part& part, std::int64_t limit) {
  return PartCheck(graph, computation, roles, group, part).run(limit);
}

}  // namespace seam::planner
