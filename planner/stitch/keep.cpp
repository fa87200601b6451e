#include "stitch/keep.h"

#include <algorithm>
#include <map>

#include "facts/small_dot.h"
#include "schedule/ownership.h"

namespace seam::planner::stitch {

using graph::Op;
using graph::OpClass;
using graph::Opcode;

std::vector<int> spans(const graph::Computation& computation, const std::vector<Id<Op>>& ops) {
  std::map<Id<Op>, std::size_t> index;
  for (std::size_t i = 0; i < ops.size(); ++i) index[ops[i]] = i;
  std::vector<int> out(ops.size(), 0);
  for (std::size_t i = ops.size(); i-- > 0;)
    for (const Id<Op> operand : computation.ops[ops[i]].operands)
      if (const auto found = index.find(operand); found != index.end()) out[found->second] = std::max(out[found->second], out[i] + 1);
  return out;
}

namespace {

/// In shrink order: the first to be given up first.
enum class Want : std::uint8_t { Cheap, Expensive, FeedsDot };

struct Candidate {
  Id<Op> op;
  Want want = Want::Cheap;
  int span = 0;
  std::int64_t columns = 1, bytes = 0;
};

/// What one inline op of the part is read for.
struct Reads {
  std::vector<Ownership> wants;
  bool through_broadcast = false;
};

class Keeper {
 public:
  Keeper(const Problem& problem, DraftPart& part, const std::set<Id<Op>>& reads) : problem_(problem), part_(part) {
    ops_ = ops_of_part(problem.computation, problem.roles, part, reads);
    for (const DraftLoop& loop : part.loops) loops_[loop.op] = &loop;
    collect();
  }

  std::vector<Candidate> candidates() {
    const std::vector<int> span = spans(problem_.computation, ops_);
    std::vector<Candidate> out;
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      const Id<Op> id = ops_[i];
      const Op& op = problem_.op(id);
      if (loops_.contains(id) || problem_.roles.role[id] != Role::Map || op.shape.is_tuple || op.opcode == Opcode::GetTupleElement) continue;
      // Shape-only ops and widening of what memory holds are inlined: keeping them saves nothing. What is put together from pieces or looked up is no such op
      // for a product that reads it many times.
      const bool pieces = op.opcode == Opcode::Concatenate || op.opcode == Opcode::Gather || op.opcode == Opcode::Pad;
      const bool plain = graph::op_class(op.opcode) == OpClass::Elementwise && op.opcode != Opcode::Convert;
      if (!plain && !pieces) continue;
      const auto found = reads_.find(id);
      if (found == reads_.end() || found->second.wants.empty()) continue;
      // Every reader wants it in the same blocks.
      const Ownership& own = found->second.wants[0];
      const bool local = std::ranges::all_of(found->second.wants, [&](const Ownership& want) {
        return part_.blocks == 1 || (want.columns == own.columns && want.divides % part_.blocks == 0);
      });
      if (!local || !schedule_for(dims_of(op), own.columns, part_.blocks)) continue;
      Candidate c{id, Want::Cheap, span[i], own.columns, 0};
      const bool expensive = graph::is_expensive(op.opcode);
      const bool several = users_inside(id) > 1;
      if ((expensive && feeds_dot(id)) || feeds_dot_often(id))
        c.want = Want::FeedsDot;
      else if (pieces)
        continue;
      else if (expensive && (several || found->second.through_broadcast))
        c.want = Want::Expensive;
      else if (!several || expensive || in_pieces(id))
        continue;
      c.bytes = (elements_of(op) / part_.blocks * bytes_of_element(op) + 15) / 16 * 16;
      out.push_back(c);
    }
    return out;
  }

 private:
  /// Walks from every loop to the kept values it reads and notes what inline ops are asked for on the way.
  void collect() {
    for (auto it = loops_.rbegin(); it != loops_.rend(); ++it) {
      std::map<Id<Op>, std::pair<std::vector<Ownership>, bool>, std::greater<>> wants;
      const auto pass = [&](Id<Op> reader, const Ownership& have, bool broadcast) {
        const Op& op = problem_.op(reader);
        const bool updates = problem_.roles.updates(reader);
        for (std::size_t k = 0; k < op.operands.size(); ++k) {
          const Id<Op> operand = op.operands[k];
          if (!std::ranges::binary_search(ops_, operand) || (updates && k == 0)) continue;
          const Ownership want = updates ? propagate_update(problem_.computation, op, k, update_operand(op), have)
                                         : propagate(problem_.computation, op, k, have);
          auto& [list, through] = wants[operand];
          if (!std::ranges::count(list, want)) list.push_back(want);
          through = through || broadcast || (op.opcode == Opcode::Broadcast && elements_of(op) >= 8 * elements_of(problem_.op(operand)));
        }
      };
      pass(it->first, {it->second->columns, it->second->columns}, false);
      while (!wants.empty()) {
        const Id<Op> at = wants.begin()->first;
        const auto [list, through] = std::move(wants.begin()->second);
        wants.erase(wants.begin());
        const auto loop = loops_.find(at);
        if (loop != loops_.end() && loop->second->kept) continue;
        Reads& reads = reads_[at];
        reads.through_broadcast = reads.through_broadcast || through;
        for (const Ownership& want : list) {
          if (!std::ranges::count(reads.wants, want)) reads.wants.push_back(want);
          pass(at, want, through);
        }
      }
    }
  }

  /// Ops of the part that read it, through whatever names.
  std::size_t users_inside(Id<Op> id) const {
    std::size_t count = 0;
    for (const Id<Op> user : problem_.roles.users[id]) {
      if (!std::ranges::binary_search(ops_, user)) continue;
      count += problem_.roles.role[user] == Role::View ? users_inside(user) : 1;
    }
    return count;
  }

  /// All that is read of it here are slices: each element is computed for its own slice, and those that no slice takes not at all.
  bool in_pieces(Id<Op> id) const {
    return std::ranges::all_of(problem_.roles.users[id], [&](Id<Op> user) {
      return !std::ranges::binary_search(ops_, user) || problem_.op(user).opcode == Opcode::Slice;
    });
  }

  /// Leads to a dot through ops that only change the shape.
  bool feeds_dot(Id<Op> id) const {
    for (const Id<Op> user : problem_.roles.users[id]) {
      if (!std::ranges::binary_search(ops_, user)) continue;
      const Op& op = problem_.op(user);
      if (op.opcode == Opcode::Dot) return true;
      const bool shape_only = op.opcode == Opcode::Reshape || op.opcode == Opcode::Bitcast || op.opcode == Opcode::Broadcast || op.opcode == Opcode::Transpose || op.opcode == Opcode::Convert;
      if (shape_only && feeds_dot(user)) return true;
    }
    return false;
  }

  /// A product reads it directly, each element several times.
  bool feeds_dot_often(Id<Op> id) const {
    constexpr std::int64_t kSeveral = 8;
    return std::ranges::any_of(problem_.roles.users[id], [&](Id<Op> user) {
      const Op& op = problem_.op(user);
      if (!std::ranges::binary_search(ops_, user)) return false;
      if (problem_.roles.role[user] == Role::View) return feeds_dot_often(user);
      if (op.opcode != Opcode::Dot || problem_.roles.role[user] != Role::Dot) return false;
      const DotExtents e = dot_extents(problem_.computation, op);
      return (op.operands[0] == id && e.columns >= kSeveral) || (op.operands[1] == id && e.rows >= kSeveral);
    });
  }

  const Problem& problem_;
  DraftPart& part_;
  std::vector<Id<Op>> ops_;
  std::map<Id<Op>, const DraftLoop*> loops_;
  std::map<Id<Op>, Reads> reads_;
};

/// Shared memory of the part if `extra` were kept too: sharing by dominance included.
std::int64_t shared_with(const Problem& problem, const DraftPart& part, const std::set<Id<Op>>& reads, const std::vector<Candidate>& extra) {
  DraftPart with = part;
  for (const Candidate& c : extra) with.loops.push_back({c.op, c.columns, true, false});
  std::ranges::sort(with.loops, {}, &DraftLoop::op);
  Part placed;
  placed.blocks = part.blocks;
  std::map<Id<Op>, const DraftLoop*> loops;
  for (const DraftLoop& loop : with.loops) loops[loop.op] = &loop;
  for (const Id<Op> op : ops_of_part(problem.computation, problem.roles, with, reads)) {
    PlannedOp planned;
    planned.op = op;
    if (const auto found = loops.find(op); found != loops.end()) {
      planned.placement = found->second->kept ? Placement::Shared : Placement::Output;
      planned.output = found->second->output;
      if (found->second->kept) planned.shared_bytes = elements_of(problem.op(op)) / part.blocks * bytes_of_element(problem.op(op));
    }
    placed.ops.push_back(planned);
  }
  place_shared(problem.computation, placed);
  return placed.shared_bytes;
}

}  // namespace

void keep_wanted(const Problem& problem, DraftPart& part, const std::set<Id<Op>>& reads, std::int64_t limit) {
  std::vector<Candidate> wanted = Keeper(problem, part, reads).candidates();
  // Given up first: cheap before expensive before what feeds a dot; among equals the nearest to the root.
  std::ranges::sort(wanted, [](const Candidate& a, const Candidate& b) {
    if (a.want != b.want) return a.want > b.want;
    if (a.span != b.span) return a.span > b.span;
    return a.op < b.op;
  });
  // What a product reads again and again is worth occupancy.
  const auto limit_of = [&](const Candidate& last) { return last.want == Want::FeedsDot ? problem.shared_limit() : limit; };
  while (!wanted.empty() && shared_with(problem, part, reads, wanted) > limit_of(wanted.back())) wanted.pop_back();
  for (const Candidate& c : wanted) part.loops.push_back({c.op, c.columns, true, false});
  std::ranges::sort(part.loops, {}, &DraftLoop::op);
}

}  // namespace seam::planner::stitch
