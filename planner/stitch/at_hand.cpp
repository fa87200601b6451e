#include "stitch/at_hand.h"

namespace seam::planner::stitch {

using graph::Op;

namespace {
constexpr std::size_t kMostLooked = 48;
}

AtHand::AtHand(const Problem& problem, Timeline& timeline) : problem_(problem), timeline_(timeline), there_(timeline.phases.size()) {
  for (std::size_t p = 0; p < timeline.phases.size(); ++p)
    for (const Component& component : timeline.phases[p].components)
      for (const Id<Op> loop : component.loops) joined(static_cast<int>(p), loop);
}

void AtHand::joined(int phase, Id<Op> loop) {
  there_[static_cast<std::size_t>(phase)].insert(loop);
  spread(phase, loop);
}

/// Operands are read or computed; those that only this phase can compute pull in theirs.
void AtHand::spread(int phase, Id<Op> from) {
  std::set<Id<Op>>& there = there_[static_cast<std::size_t>(phase)];
  std::vector<Id<Op>> stack{from};
  while (!stack.empty()) {
    const Id<Op> at = stack.back();
    stack.pop_back();
    for (const Id<Op> operand : problem_.op(at).operands) {
      if (!there.insert(operand).second) continue;
      const bool view = problem_.roles.role[operand] == Role::View;
      if (view || (problem_.roles.is_inline(operand) && timeline_.early(operand) == phase)) stack.push_back(operand);
    }
  }
}

std::optional<std::int64_t> AtHand::extra_bytes(int phase, Id<Op> value) {
  const std::set<Id<Op>>& there = there_[static_cast<std::size_t>(phase)];
  std::set<Id<Op>> seen;
  std::vector<Id<Op>> stack{value};
  std::int64_t bytes = 0;
  while (!stack.empty()) {
    const Id<Op> at = stack.back();
    stack.pop_back();
    if (there.contains(at) || problem_.roles.role[at] == Role::Folded || !seen.insert(at).second) continue;
    if (seen.size() > kMostLooked) return std::nullopt;
    if (!problem_.roles.is_inline(at)) {
      bytes += elements_of(problem_.op(at)) * bytes_of_element(problem_.op(at));
      continue;
    }
    stack.insert(stack.end(), problem_.op(at).operands.begin(), problem_.op(at).operands.end());
  }
  return bytes;
}

}  // namespace seam::planner::stitch
