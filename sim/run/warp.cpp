#include <algorithm>

#include <fmt/format.h>

#include "ops/isa.h"
#include "run/scheduler.h"

namespace seam::sim {
namespace {

/// Backward jumps after which other ready lanes of the warp get a turn: a lane may spin on what another lane will do.
constexpr std::uint32_t kPatience = 10'000;
/// Instructions a warp runs before its block looks at the limit and at other warps.
constexpr std::uint64_t kTurn = 1 << 20;

void resume(Warp& warp, std::size_t group) {
  warp.pc = warp.groups[group].pc;
  warp.active = warp.groups[group].lanes;
  warp.groups.erase(warp.groups.begin() + static_cast<std::ptrdiff_t>(group));
  warp.find_nearest();
}

std::size_t lowest_ready(const Warp& warp) {
  std::size_t best = SIZE_MAX;
  for (std::size_t i = 0; i < warp.groups.size(); ++i) {
    if (warp.groups[i].state != Group::State::Ready) continue;
    if (best == SIZE_MAX || warp.groups[i].pc < warp.groups[best].pc) best = i;
  }
  return best;
}

/// Lanes that came to one warp-sync instruction at different times go on together.
bool merge_waiting(Warp& warp) {
  auto& groups = warp.groups;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].state != Group::State::WarpSync) continue;
    for (std::size_t k = i + 1; k < groups.size(); ++k) {
      if (groups[k].state != Group::State::WarpSync || groups[k].pc != groups[i].pc) continue;
      groups[i].lanes |= groups[k].lanes;
      groups[i].state = Group::State::Ready;
      groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(k));
      return true;
    }
  }
  return false;
}

/// Finds lanes to run. False: all are finished or at a barrier.
bool next_group(Warp& warp) {
  while (true) {
    if (const std::size_t ready = lowest_ready(warp); ready != SIZE_MAX) {
      resume(warp, ready);
      return true;
    }
    if (merge_waiting(warp)) continue;
    const auto stuck = std::ranges::find(warp.groups, Group::State::WarpSync, &Group::state);
    if (stuck == warp.groups.end()) return false;
    warp.pc = stuck->pc + 1;
    warp.execution->fault(warp, "deadlock", first_lane(stuck->lanes),
                          "lanes named by a warp-level instruction never come to it");
    return false;
  }
}

/// Lanes that wait at this very instruction join.
void join_here(Warp& warp) {
  for (std::size_t i = 0; i < warp.groups.size();) {
    if (warp.groups[i].state == Group::State::Ready && warp.groups[i].pc == warp.pc) {
      warp.active |= warp.groups[i].lanes;
      warp.groups.erase(warp.groups.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
  warp.find_nearest();
}

void park(Warp& warp) {
  warp.groups.push_back({warp.pc, warp.active, Group::State::Ready});
  warp.active = 0;
}

template <bool kProfile>
SEAM_SIM_INLINE Progress run_body(Warp& warp) {
  const Instruction* code = warp.program->code.data();
  Execution& execution = *warp.execution;
  std::uint64_t instructions = 0;
  std::uint64_t thread_instructions = 0;
  std::uint32_t patience = kPatience;
  const std::uint64_t left = execution.instruction_limit - execution.instructions;
  const std::uint64_t turn = std::min(kTurn, left);
  Progress progress = Progress::Blocked;
  while (true) {
    if (warp.active == 0) {
      if (!next_group(warp)) break;
    }
    if (warp.pc >= warp.nearest) {
      if (warp.pc == warp.nearest) {
        join_here(warp);
      }
      if (warp.pc > warp.nearest) {
        park(warp);
        continue;
      }
    }
    const std::uint32_t at = warp.pc;
    const Instruction& instruction = code[at];
    std::uint32_t lanes = warp.active;
    warp.pc = at + 1;
    ++instructions;
    if constexpr (kProfile) ++execution.executed[at].warp;
    if (instruction.guard != kNoRow) {
      const std::uint32_t bits = predicate_bits(warp, instruction.guard);
      lanes &= instruction.guard_negated ? ~bits : bits;
      if (lanes == 0 && !instruction.control) continue;
    }
    thread_instructions += lane_count(lanes);
    if constexpr (kProfile) execution.executed[at].threads += lane_count(lanes);
    instruction.run(warp, instruction, lanes);
    if (warp.stop != Stop::No) {
      if (warp.stop == Stop::Yield) progress = Progress::Yielded;
      warp.stop = Stop::No;
      break;
    }
    if (warp.pc <= at) {
      if (warp.nearest != UINT32_MAX && --patience == 0) {
        // Let the others go first this once: they stand behind, so the order by pc would starve them.
        patience = kPatience;
        const Group mine{warp.pc, warp.active, Group::State::Ready};
        warp.active = 0;
        const std::size_t other = lowest_ready(warp);
        if (other != SIZE_MAX) {
          resume(warp, other);
          warp.groups.push_back(mine);
          // `nearest` stays that of the groups ahead; ours, behind us, is found again when these block.
        }
      }
      if (instructions > turn) {
        progress = Progress::Yielded;  // the caller looks at the limit and comes back
        break;
      }
    }
  }
  execution.instructions += instructions;
  execution.counters.warp_instructions += instructions;
  execution.counters.instructions += thread_instructions;
  if (execution.instructions > execution.instruction_limit && !execution.faulted) {
    warp.pc = std::max(warp.pc, 1U);
    execution.fault(warp, "timeout", 0, "the launch ran more instructions than allowed");
    warp.stop = Stop::No;
  }
  return progress;
}

Progress run_narrow(Warp& warp) { return run_body<false>(warp); }
SEAM_SIM_WIDE Progress run_wide(Warp& warp) { return run_body<false>(warp); }
Progress run_profiled(Warp& warp) { return run_body<true>(warp); }

}  // namespace

void Warp::find_nearest() {
  nearest = UINT32_MAX;
  for (const Group& group : groups) {
    if (group.state == Group::State::Ready) nearest = std::min(nearest, group.pc);
  }
}

Progress run_warp(Warp& warp) {
  if (!warp.execution->executed.empty()) return run_profiled(warp);
  return warp.program->wide ? run_wide(warp) : run_narrow(warp);
}

}  // namespace seam::sim
