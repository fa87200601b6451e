#include "stitch/phases.h"

#include <algorithm>
#include <set>

#include "analyzer/time_model.h"
#include "base/check.h"

namespace seam::planner::stitch {

using graph::Op;

bool join(const Problem& problem, Timeline& timeline, int phase, Id<Op> loop, bool must, Vetoes& vetoes) {
  timeline.look_at(phase);
  std::vector<Component>& components = timeline.phases[static_cast<std::size_t>(phase)].components;
  const std::vector<Id<Op>> reads = timeline.reads_on_chip(loop);
  std::set<std::size_t> joined;
  std::vector<Id<Op>> loops{loop};
  double apart = 0;
  for (const Id<Op> read : reads) {
    const std::size_t at = timeline.component_of(read);
    SEAM_CHECK(at != std::string::npos, "a kept value without its component");
    if (!joined.insert(at).second) continue;
    loops.insert(loops.end(), components[at].loops.begin(), components[at].loops.end());
    apart = std::max(apart, components[at].time_us);
  }
  timeline.place(loop, phase);
  Component merged = solve(problem, timeline, loops);
  if (!reads.empty()) {
    const Component alone = solve(problem, timeline, {loop});
    const double gap = must ? analyzer::launch_gap_us(analyzer::Launching::GraphReplay).mid : 0.0;
    const double separate = apart + alone.time_us + gap;
    // Memory holds the elements of a reduce of several values, never the tuple: who takes one out shares its kernel whatever that costs.
    const bool bound = std::ranges::any_of(reads, [&](Id<Op> read) { return problem.op(read).shape.is_tuple; });
    if (!merged.fits || (merged.time_us > separate * 1.02 && !bound)) {
      const VetoCode code = !merged.fits       ? VetoCode::SharedMemory
                            : merged.conflict || merged.divides == 1 ? VetoCode::NoSchedule
                                                                      : VetoCode::Parallelism;
      std::map<std::string, double> numbers;
      if (code == VetoCode::SharedMemory) {
        numbers = {{"needs", static_cast<double>(shared_bytes(problem, merged, merged.divides))},
                   {"has", static_cast<double>(problem.shared_limit())}};
      } else {
        numbers = {{"blocks", static_cast<double>(merged.blocks)},
                   {"fused_us", merged.time_us},
                   {"separate_us", separate}};
      }
      vetoes.add(code, reads.back(), loop, std::move(numbers));
      timeline.place(loop, -1);
      return false;
    }
  }
  std::vector<Component> left;
  for (std::size_t i = 0; i < components.size(); ++i)
    if (!joined.contains(i)) left.push_back(std::move(components[i]));
  left.push_back(std::move(merged));
  components = std::move(left);
  return true;
}

namespace {

class Assignment {
 public:
  Assignment(const Problem& problem, Vetoes& vetoes)
      : problem_(problem), vetoes_(vetoes), timeline_(problem), critical_(levels(), false) {
    for (std::size_t i = 0; i < problem.computation.ops.size(); ++i)
      if (problem.roles.is_call(Id<Op>(i))) open_calls_.push_back(Id<Op>(i));
    open_ = problem.targets;
    for (const Id<Op> target : open_)
      if (problem.asap[target] == problem.alap[target]) critical_[level_of(problem.alap[target])] = true;
  }

  Timeline run() {
    run_calls(0);
    for (int level = 0; level <= problem_.last_level; ++level) {
      while (forced(level)) one_phase(level);
      run_calls(static_cast<int>(timeline_.phases.size()));
    }
    SEAM_CHECK(open_.empty() && open_calls_.empty(), "something was never placed");
    return std::move(timeline_);
  }

 private:
  [[nodiscard]] std::size_t levels() const { return level_of(problem_.last_level) + 1; }
  static std::size_t level_of(int level) { return static_cast<std::size_t>(level); }

  /// Whether anything must be computed at this level.
  bool forced(int level) const {
    return std::ranges::any_of(open_, [&](Id<Op> t) { return problem_.alap[t] <= level; });
  }

  bool ready(Id<Op> target, int phase) {
    const std::vector<Id<Op>>& operands = problem_.op(target).operands;
    if (!std::ranges::all_of(operands, [&](Id<Op> o) { return timeline_.early(o) <= phase; })) return false;
    if (problem_.roles.role[target] != Role::Scatter) return true;
    // The buffer that a scatter updates was filled by an earlier kernel.
    const Id<Op> base = problem_.roles.storage[operands[0]];
    return !std::ranges::binary_search(problem_.targets, base) ||
           (timeline_.done(base) >= 0 && timeline_.done(base) < phase);
  }

  /// Some later level up to the target's last will hold a kernel anyway.
  bool can_wait(Id<Op> target, int level) const {
    for (int later = level + 1; later <= problem_.alap[target]; ++later)
      if (critical_[level_of(later)]) return true;
    return false;
  }

  /// A value that is not needed yet is computed early only where that saves bytes: reduces, whose big inputs are at hand, and
  /// values that would otherwise drag this phase's inner values through memory.
  bool worth_now(Id<Op> target, int phase, int level) {
    if (problem_.roles.keeps(target))
      return !can_wait(target, level) || !reads_new_output(target, phase);
    if (problem_.roles.updates(target)) return false;
    timeline_.look_at(phase);
    return !timeline_.reads_on_chip(target).empty();
  }

  /// Reads, through inline ops, a value that this phase writes to memory: better read it in the next.
  bool reads_new_output(Id<Op> target, int phase) {
    std::set<Id<Op>> seen;
    std::vector<Id<Op>> stack(problem_.op(target).operands);
    while (!stack.empty()) {
      const Id<Op> at = stack.back();
      stack.pop_back();
      if (!seen.insert(at).second || !problem_.roles.is_inline(at) || timeline_.early(at) != phase) continue;
      if (timeline_.done(at) == phase) return true;
      stack.insert(stack.end(), problem_.op(at).operands.begin(), problem_.op(at).operands.end());
    }
    return false;
  }

  /// The target reads something that was refused here and something that is kept here: it cannot be in this kernel without waiting
  /// for itself.
  void give_up(Id<Op> target, const std::set<Id<Op>>& refused, int phase) {
    constexpr std::size_t kMostLooked = 64;
    std::set<Id<Op>> seen;
    std::vector<Id<Op>> stack(problem_.op(target).operands);
    Id<Op> waits_for, kept;
    while (!stack.empty() && seen.size() < kMostLooked) {
      const Id<Op> at = stack.back();
      stack.pop_back();
      if (!seen.insert(at).second) continue;
      if (refused.contains(at)) waits_for = at;
      if (timeline_.done(at) == phase) kept = at;
      if (problem_.roles.is_inline(at)) stack.insert(stack.end(), problem_.op(at).operands.begin(), problem_.op(at).operands.end());
    }
    if (waits_for.valid() && kept.valid()) vetoes_.add(VetoCode::GiveUp, kept, target, {{"level", static_cast<double>(problem_.asap[target])}});
  }

  void one_phase(int level) {
    const int phase = static_cast<int>(timeline_.phases.size());
    timeline_.phases.push_back({level, {}, {}});
    timeline_.look_at(phase);
    const std::size_t before = open_.size();
    std::set<Id<Op>> refused;
    for (const bool must : {true, false}) {
      timeline_.next_pass();
      std::vector<Id<Op>> left;
      for (const Id<Op> target : open_) {
        const bool is_forced = problem_.alap[target] <= level;
        const bool tried = is_forced == must && problem_.asap[target] <= level && ready(target, phase) &&
                           (is_forced || worth_now(target, phase, level));
        if (tried && join(problem_, timeline_, phase, target, is_forced, vetoes_)) continue;
        if (tried)
          refused.insert(target);
        else if (is_forced == must && !refused.empty())
          give_up(target, refused, phase);
        left.push_back(target);
      }
      open_ = std::move(left);
    }
    SEAM_CHECK(open_.size() < before, "a phase in which nothing could be placed");
    run_calls(phase + 1);
  }

  bool in_memory(Id<Op> value, int phase) {
    const Role role = problem_.roles.role[value];
    if (role == Role::Folded || role == Role::Memory) return true;
    if (role == Role::Result || problem_.roles.is_call(value))
      return timeline_.ran(problem_.roles.producer[value]);
    return timeline_.done(value) >= 0 && timeline_.done(value) < phase;
  }

  void run_calls(int phase) {
    timeline_.look_at(phase);
    bool progress = true;
    while (progress) {
      progress = false;
      std::vector<Id<Op>> left;
      for (const Id<Op> call : open_calls_) {
        bool all = true;
        for (const Id<Op> operand : problem_.op(call).operands)
          for (const Id<Op> value : flattened(problem_.computation, operand)) all = all && in_memory(value, phase);
        if (!all) {
          left.push_back(call);
          continue;
        }
        timeline_.call_ran(call, phase);
        (phase == 0 ? timeline_.first_calls : timeline_.phases.back().calls).push_back(call);
        progress = true;
      }
      open_calls_ = std::move(left);
    }
  }

  const Problem& problem_;
  Vetoes& vetoes_;
  Timeline timeline_;
  std::vector<bool> critical_;
  std::vector<Id<Op>> open_, open_calls_;
};

}  // namespace

Timeline assign_phases(const Problem& problem, Vetoes& vetoes) { return Assignment(problem, vetoes).run(); }

}  // namespace seam::planner::stitch
