#include "stitch/cut.h"

#include <algorithm>
#include <map>
#include <span>

#include "base/check.h"
#include "stitch/at_hand.h"
#include "stitch/min_cut.h"

namespace seam::planner::stitch {

using graph::Op;
using graph::Opcode;

namespace {

/// Instructions in bytes: what the device could have moved meanwhile.
constexpr double kBytesPerSpecial = 2.0;
constexpr double kBytesPerPlain = 0.05;
/// How far back beyond its own ops a kernel looks for something cheaper to read.
constexpr std::size_t kMostRecomputed = 400;

class PhaseCut {
 public:
  PhaseCut(const Problem& problem, Timeline& timeline, AtHand& at_hand, int phase, const Traffic& traffic)
      : problem_(problem), timeline_(timeline), at_hand_(at_hand), phase_(phase), traffic_(traffic) {
    for (const Component& component : timeline.phases[static_cast<std::size_t>(phase)].components)
      loops_.insert(loops_.end(), component.loops.begin(), component.loops.end());
    std::ranges::sort(loops_);
    find_updated();
    collect({});
    count_evaluations();
    count_touched();
  }

  /// Values to read, given that `banned` cannot be written by their phases.
  std::set<Id<Op>> solve(const std::set<Id<Op>>& banned) {
    // Where looking further back ended at a value that cannot be written, it must go on.
    if (std::ranges::any_of(banned, [&](Id<Op> op) { return stopped_.contains(op); })) {
      region_.clear();
      sliced_.clear();
      evaluations_.clear();
      stopped_.clear();
      collect(banned);
      count_evaluations();
      count_touched();
    }
    const std::size_t source = 2 * region_.size(), sink = source + 1;
    // Readers before what they read: what surely must be computed here is one with the sink, so that a long kernel is not a long way for the flow.
    std::vector<std::size_t> node(source);
    for (std::size_t k = 0; k < source; ++k) node[k] = k;
    const auto needed = [&](Id<Op> value) {
      if (const auto found = region_.find(value); found != region_.end()) node[2 * found->second + 1] = sink;
    };
    for (const Id<Op> loop : loops_)
      for (const Id<Op> operand : read_by(loop)) needed(operand);
    MinCut cut(sink + 1);
    std::vector<std::pair<std::size_t, std::size_t>> reads;  // (operand, the reader's entry)
    for (auto it = region_.rbegin(); it != region_.rend(); ++it) {
      const auto& [op, index] = *it;
      const std::size_t in = 2 * index, out = in + 1;
      const std::int64_t to_read = read_cost(op, banned);
      if (is_leaf(op)) {
        cut.edge(in, node[out], to_read);
        cut.edge(source, in, MinCut::kInfinite);
        continue;
      }
      if (node[out] == sink && to_read >= MinCut::kInfinite) {
        node[in] = sink;
        for (const Id<Op> operand : problem_.op(op).operands) needed(operand);
        continue;
      }
      cut.edge(in, node[out], to_read);
      cut.edge(source, in, recompute_cost(op));
      for (const Id<Op> operand : problem_.op(op).operands)
        if (const auto found = region_.find(operand); found != region_.end()) reads.emplace_back(found->second, in);
    }
    for (const auto& [operand, in] : reads) cut.edge(node[2 * operand + 1], in, MinCut::kInfinite);
    const std::vector<bool> side = cut.source_side(source, sink);
    std::set<Id<Op>> read;
    for (const auto& [op, index] : region_) {
      if (!side[node[2 * index]] || side[node[2 * index + 1]]) continue;
      // A slice of something in memory reads that.
      if (const Id<Op> from = sliced_from(op); from.valid())
        read.insert(from);
      else
        read.insert(problem_.roles.storage[op]);
    }
    return read;
  }

  /// Must be read: in memory, or computed by an earlier kernel in a way that cannot be repeated here.
  bool is_leaf(Id<Op> op) const {
    switch (problem_.roles.role[op]) {
      case Role::Memory:
      case Role::Result:
      case Role::Library:
      case Role::Control:
      case Role::Reduce:
      case Role::Dot:
      case Role::Pivot:
      case Role::Scatter:
      case Role::Update:
        return true;
      default:
        return stopped_.contains(op) || sliced_from(op).valid();
    }
  }

 private:
  /// Operands of a loop; the buffer that an update writes into is not read.
  std::span<const Id<Op>> read_by(Id<Op> loop) const { return std::span(problem_.op(loop).operands).subspan(problem_.roles.updates(loop) ? 1 : 0); }

  /// Buffers that this kernel or an earlier one updates in place, if nobody reads them from then on.
  void find_updated() {
    for (const Id<Op> target : problem_.targets) {
      if (!problem_.roles.updates(target) || timeline_.done(target) < 0 || timeline_.done(target) > phase_) continue;
      const Id<Op> base = problem_.roles.storage[problem_.op(target).operands[0]];
      if (may_overwrite(problem_.graph, problem_.computation, problem_.roles, base)) updated_.insert(base);
    }
  }

  bool computed_here(Id<Op> op) { return problem_.roles.is_inline(op) && timeline_.early(op) == phase_; }

  void collect(const std::set<Id<Op>>& banned) {
    timeline_.look_at(phase_);
    std::vector<Id<Op>> queue;
    std::set<Id<Op>> seen;
    std::size_t beyond = 0;
    const auto visit = [&](Id<Op> op) {
      if (problem_.roles.role[op] == Role::Folded || timeline_.kept_here(op) || !seen.insert(op).second) return;
      queue.push_back(op);
    };
    for (const Id<Op> loop : loops_)
      for (const Id<Op> operand : read_by(loop)) visit(operand);
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const Id<Op> op = queue[i];
      if (!problem_.roles.is_inline(op)) continue;
      if (!computed_here(op) && ++beyond > kMostRecomputed && problem_.roles.role[op] == Role::Map &&
          read_cost(op, banned) < MinCut::kInfinite) {
        stopped_.insert(op);
        continue;
      }
      for (const Id<Op> operand : problem_.op(op).operands) visit(operand);
    }
    std::ranges::sort(queue);
    for (const Id<Op> op : queue) region_.emplace(op, region_.size());
    // Leaves that are only sliced cost what is taken.
    std::set<Id<Op>> whole;
    const auto note = [&](Id<Op> reader) {
      for (std::size_t i = 0; i < problem_.op(reader).operands.size(); ++i)
        if (!takes_part(reader) || i > 0) whole.insert(problem_.roles.storage[problem_.op(reader).operands[i]]);
    };
    for (const Id<Op> loop : loops_) note(loop);
    for (const Id<Op> op : queue)
      if (problem_.roles.role[op] == Role::Map) note(op);
    for (const Id<Op> op : queue) {
      if (!takes_part(op) || stopped_.contains(op)) continue;
      const Id<Op> from = problem_.roles.storage[problem_.op(op).operands[0]];
      const Role role = problem_.roles.role[from];
      if ((role == Role::Memory || role == Role::Result || role == Role::Library) && !whole.contains(from))
        sliced_.emplace(op, from);
    }
  }

  bool takes_part(Id<Op> op) const {
    const Opcode opcode = problem_.op(op).opcode;
    return opcode == Opcode::Slice;
  }

  Id<Op> sliced_from(Id<Op> op) const {
    const auto found = sliced_.find(op);
    return found == sliced_.end() ? Id<Op>{} : found->second;
  }

  /// How often an op would be evaluated: what its readers ask for, not less than once per element.
  void count_evaluations() {
    const auto ask = [&](Id<Op> reader, double times) {
      const Op& op = problem_.op(reader);
      for (const Id<Op> operand : op.operands) {
        double wanted = times;
        if (op.opcode == Opcode::Concatenate || op.opcode == Opcode::Pad || op.opcode == Opcode::DynamicUpdateSlice)
          wanted = std::min(times, static_cast<double>(elements_of(problem_.op(operand))));
        double& have = evaluations_[operand];
        have = std::max(have, wanted);
      }
    };
    for (const Id<Op> loop : loops_) {
      const Op& op = problem_.op(loop);
      const bool reduces = problem_.roles.role[loop] == Role::Reduce;
      ask(loop, static_cast<double>(elements_of(reduces ? problem_.op(op.operands[0]) : op)));
    }
    for (auto it = region_.rbegin(); it != region_.rend(); ++it) {
      double& times = evaluations_[it->first];
      if (problem_.roles.is_inline(it->first)) ask(it->first, times);
    }
  }

  /// Elements of each value that anybody here may look at: where a slice stands on the way, no more than it takes.
  void count_touched() {
    touched_.clear();
    const auto look = [&](Id<Op> reader, std::int64_t elements) {
      const Op& op = problem_.op(reader);
      for (const Id<Op> operand : op.operands) {
        const std::int64_t all = elements_of(problem_.op(operand));
        const bool element_for_element = op.opcode == Opcode::Slice || op.opcode == Opcode::Reshape || op.opcode == Opcode::Transpose || op.opcode == Opcode::Reverse ||
                                         op.opcode == Opcode::Copy || graph::op_class(op.opcode) == graph::OpClass::Elementwise;
        std::int64_t& have = touched_[operand];
        have = std::min(all, have + (element_for_element ? elements : all));
      }
    };
    for (const Id<Op> loop : loops_) look(loop, elements_of(problem_.op(loop)));
    for (auto it = region_.rbegin(); it != region_.rend(); ++it)
      if (problem_.roles.is_inline(it->first)) look(it->first, touched_[it->first]);
  }

  /// Bytes of the value that are read here.
  std::int64_t touched_bytes(Id<Op> op) const {
    const auto found = touched_.find(op);
    const std::int64_t all = elements_of(problem_.op(op));
    return (found == touched_.end() ? all : std::min(all, found->second)) * bytes_of_element(problem_.op(op));
  }

  std::int64_t read_cost(Id<Op> op, const std::set<Id<Op>>& banned) {
    const Role role = problem_.roles.role[op];
    if (role == Role::View) return MinCut::kInfinite;
    const Op& at = problem_.op(op);
    const std::int64_t size = elements_of(at) * bytes_of_element(at);
    if (sliced_from(op).valid()) return size + 1;
    if (at.shape.is_tuple) return MinCut::kInfinite;
    switch (role) {
      case Role::Memory:
      case Role::Result:
      case Role::Library:
      case Role::Control:
      case Role::Scatter:
      case Role::Update:
        // Who reads what is updated in place by then makes a copy of it necessary.
        return touched_bytes(op) + 1 + (updated_.contains(problem_.roles.storage[op]) ? 2 * size : 0);
      case Role::Reduce:
      case Role::Dot:
      case Role::Pivot:
        return touched_bytes(op) + 1 + (traffic_.written.contains(op) ? 0 : size);
      default:
        break;
    }
    if (timeline_.early(op) >= phase_) return MinCut::kInfinite;
    if (traffic_.written.contains(op)) return timeline_.done(op) < phase_ ? touched_bytes(op) + 1 : MinCut::kInfinite;
    if (banned.contains(op)) return MinCut::kInfinite;
    const std::optional<std::int64_t> extra = at_hand_.extra_bytes(timeline_.early(op), op);
    return extra ? size + touched_bytes(op) + 16 + *extra : MinCut::kInfinite;
  }

  std::int64_t recompute_cost(Id<Op> op) {
    const Op& at = problem_.op(op);
    if (problem_.roles.role[op] == Role::View) return 0;
    if (graph::is_expensive(at.opcode))
      return static_cast<std::int64_t>(evaluations_[op] * kBytesPerSpecial) + 1;
    return static_cast<std::int64_t>(static_cast<double>(elements_of(at)) * kBytesPerPlain) + 1;
  }

  const Problem& problem_;
  Timeline& timeline_;
  AtHand& at_hand_;
  int phase_;
  const Traffic& traffic_;
  std::vector<Id<Op>> loops_;
  std::map<Id<Op>, std::size_t> region_;
  std::map<Id<Op>, Id<Op>> sliced_;
  std::map<Id<Op>, double> evaluations_;
  std::map<Id<Op>, std::int64_t> touched_;
  std::set<Id<Op>> stopped_;
  std::set<Id<Op>> updated_;
};

/// Written by the phase that computes it: an output of that kernel from now on. false if no schedule allows it there.
bool write_early(const Problem& problem, Timeline& timeline, AtHand& at_hand, Id<Op> value, Traffic& traffic, Vetoes& vetoes) {
  if (traffic.written.contains(value)) return true;
  if (timeline.done(value) < 0) {
    const int phase = timeline.early(value);
    if (!join(problem, timeline, phase, value, false, vetoes)) return false;
    at_hand.joined(phase, value);
  }
  traffic.written.insert(value);
  return true;
}

}  // namespace

Traffic choose_traffic(const Problem& problem, Timeline& timeline, Vetoes& vetoes) {
  Traffic traffic;
  traffic.reads.resize(timeline.phases.size());
  for (std::size_t i = 0; i < problem.computation.ops.size(); ++i) {
    const Id<Op> id(i);
    if (problem.roles.needed_in_memory[id] && timeline.done(id) >= 0) traffic.written.insert(id);
    if (problem.roles.updates(id)) traffic.written.insert(id);
  }
  AtHand at_hand(problem, timeline);
  for (std::size_t p = timeline.phases.size(); p-- > 0;) {
    PhaseCut cut(problem, timeline, at_hand, static_cast<int>(p), traffic);
    std::set<Id<Op>> banned;
    while (true) {
      const std::set<Id<Op>> reads = cut.solve(banned);
      bool legal = true;
      for (const Id<Op> value : reads) {
        const Role role = problem.roles.role[value];
        if (role == Role::Memory || role == Role::Result || problem.roles.is_call(value)) continue;
        if (problem.roles.is_anchor(value)) {
          traffic.written.insert(value);
        } else if (!write_early(problem, timeline, at_hand, value, traffic, vetoes)) {
          banned.insert(value);
          legal = false;
        }
      }
      if (!legal) continue;
      traffic.reads[p] = reads;
      break;
    }
  }
  return traffic;
}

}  // namespace seam::planner::stitch
