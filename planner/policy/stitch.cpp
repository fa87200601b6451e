#include <algorithm>

#include "policy/policy.h"
#include "stitch/absorb.h"
#include "stitch/cut.h"
#include "stitch/keep.h"
#include "stitch/pack.h"
#include "stitch/phases.h"
#include "stitch/roofs.h"
#include "stitch/siblings.h"

namespace seam::planner {

using graph::Op;
using stitch::Component;

namespace {

DraftPart part_of(const stitch::Problem& problem, const Component& component, const stitch::Traffic& traffic) {
  DraftPart part;
  part.blocks = component.blocks;
  part.splits = component.splits;
  part.flat = component.kept.empty() && std::ranges::none_of(component.loops, [&](Id<Op> loop) {
    return problem.roles.role[loop] == Role::Reduce || problem.roles.role[loop] == Role::Dot;
  });
  for (const Id<Op> loop : component.loops) {
    const bool kept = std::ranges::binary_search(component.kept, loop);
    const bool output = traffic.written.contains(loop);
    if (kept || output) part.loops.push_back({loop, component.columns.at(loop), kept, output});
  }
  return part;
}

/// Element-wise values are kept up to the paper's cap, or what was asked for: more would cost occupancy that recomputing does not.
std::int64_t wanted_limit(const stitch::Problem& problem) {
  constexpr std::int64_t kPaperCap = 20 * 1024;
  return std::min(problem.shared_limit(), kPaperCap);
}

}  // namespace

Draft draft_stitch(const stitch::Problem& problem, stitch::Vetoes& vetoes) {
  stitch::explain_roofs(problem, vetoes);
  stitch::Timeline timeline = stitch::assign_phases(problem, vetoes);
  const stitch::Traffic traffic = stitch::choose_traffic(problem, timeline, vetoes);
  Draft draft;
  const auto calls = [&](const std::vector<Id<Op>>& list, int level) {
    for (const Id<Op> call : list) draft.order.push_back({true, 0, call, level});
  };
  calls(timeline.first_calls, 0);
  for (std::size_t p = 0; p < timeline.phases.size(); ++p) {
    const stitch::Phase& phase = timeline.phases[p];
    DraftGroup group;
    group.level = phase.level;
    group.reads = traffic.reads[p];
    for (const Component& component : phase.components) {
      DraftPart part = part_of(problem, component, traffic);
      if (part.loops.empty()) continue;
      if (!part.flat && !component.kept.empty()) stitch::keep_wanted(problem, part, group.reads, wanted_limit(problem));
      group.parts.push_back(std::move(part));
    }
    group.parts = stitch::outputs_absorbed(problem, stitch::siblings_joined(problem, std::move(group.parts), group.reads), group.reads);
    for (DraftGroup& one : stitch::packed(problem, std::move(group), vetoes)) {
      draft.order.push_back({false, draft.groups.size(), {}, phase.level});
      draft.groups.push_back(std::move(one));
    }
    calls(phase.calls, phase.level);
  }
  return draft;
}

}  // namespace seam::planner
