#pragma once
/// Phases: the kernels of a computation, in order. Each phase is one kernel; between phases library calls run. The floor is
/// one phase per level that must hold work; a value that crosses blocks costs a further phase only if no later level, where its
/// reader may wait, has work anyway.
#include <climits>
#include <map>
#include <vector>

#include "stitch/component.h"

namespace seam::planner::stitch {

struct Phase {
  int level = 0;
  std::vector<Component> components;
  std::vector<Id<graph::Op>> calls;   ///< library calls and loops that run after it
};

/// The order of things, and when each value can be had.
class Timeline : public PhaseView {
 public:
  static constexpr int kNever = INT_MAX;

  explicit Timeline(const Problem& problem);

  std::vector<Id<graph::Op>> first_calls;  ///< before any kernel
  std::vector<Phase> phases;

  /// The first phase in which the value can be computed or read; kNever while something it needs is not placed.
  [[nodiscard]] int early(Id<graph::Op> op);
  [[nodiscard]] int done(Id<graph::Op> target) const { return done_[target]; }
  void place(Id<graph::Op> target, int phase) { done_[target] = phase; }
  void call_ran(Id<graph::Op> call, int readable_from) { ready_[call] = readable_from; }
  [[nodiscard]] bool ran(Id<graph::Op> call) const { return ready_[call] != kNever; }

  /// PhaseView of phase `now`.
  void look_at(int phase) { now_ = phase; }
  /// Forgets what was unknown: call it when targets placed since then may have changed that (they are visited in order, so once
  /// per pass over the targets is enough).
  void next_pass() { ++pass_; }
  [[nodiscard]] bool inside(Id<graph::Op> op) const override;
  [[nodiscard]] bool kept_here(Id<graph::Op> op) const override;

  /// Loops of phase `now` that `target` reads through ops of this phase.
  [[nodiscard]] std::vector<Id<graph::Op>> reads_on_chip(Id<graph::Op> target);
  /// The component of the phase that holds a loop; npos if none.
  [[nodiscard]] std::size_t component_of(Id<graph::Op> loop) const;

 private:
  const Problem& problem_;
  IdVector<graph::Op, int> early_;
  IdVector<graph::Op, int> unknown_at_;
  IdVector<graph::Op, int> done_;
  IdVector<graph::Op, int> ready_;
  int now_ = 0;
  int pass_ = 0;
};

/// Assigns every target to a phase. What could not join is in `vetoes`.
[[nodiscard]] Timeline assign_phases(const Problem& problem, Vetoes& vetoes);

/// Puts `loop` into phase `now` of the timeline, merging the components it reads from. false, and a veto, if that cannot be or does not
/// pay (`must` = there is no later phase to wait for: a launch is saved).
bool join(const Problem& problem, Timeline& timeline, int phase, Id<graph::Op> loop, bool must, Vetoes& vetoes);

}  // namespace seam::planner::stitch
