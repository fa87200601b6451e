#include <algorithm>
#include <set>

#include "stitch/phases.h"

namespace seam::planner::stitch {

using graph::Op;

Timeline::Timeline(const Problem& problem)
    : problem_(problem),
      early_(problem.computation.ops.size(), -1),
      unknown_at_(problem.computation.ops.size(), -1),
      done_(problem.computation.ops.size(), -1),
      ready_(problem.computation.ops.size(), kNever) {}

int Timeline::early(Id<Op> op) {
  const Roles& roles = problem_.roles;
  std::vector<Id<Op>> stack{op};
  const auto known = [&](Id<Op> id) { return early_[id] >= 0 || unknown_at_[id] == pass_; };
  const auto settle = [&](Id<Op> id, int when) {
    if (when == kNever)
      unknown_at_[id] = pass_;
    else
      early_[id] = when;
  };
  while (!stack.empty()) {
    const Id<Op> at = stack.back();
    if (known(at)) {
      stack.pop_back();
      continue;
    }
    switch (roles.role[at]) {
      case Role::Memory:
      case Role::Folded:
        settle(at, 0);
        break;
      case Role::Result:
      case Role::Library:
      case Role::Control:
        settle(at, ready_[roles.producer[at]]);
        break;
      case Role::Reduce:
      case Role::Dot:
      case Role::Pivot:
      case Role::Scatter:
      case Role::Update:
        settle(at, done_[at] < 0 ? kNever : done_[at] + (roles.updates(at) ? 1 : 0));
        break;
      case Role::Plumbing:
      case Role::View:
      case Role::Map: {
        int when = 0;
        bool all = true;
        for (const Id<Op> operand : problem_.op(at).operands) {
          if (!known(operand)) {
            stack.push_back(operand);
            all = false;
          } else {
            when = std::max(when, early_[operand] >= 0 ? early_[operand] : kNever);
          }
        }
        if (all) settle(at, when);
        break;
      }
    }
    if (known(at)) stack.pop_back();
  }
  return early_[op] >= 0 ? early_[op] : kNever;
}

bool Timeline::inside(Id<Op> op) const {
  // Only the phase's own ops can depend on its loops; whoever asks has called early() on the reader.
  return problem_.roles.is_inline(op) && early_[op] == now_;
}

bool Timeline::kept_here(Id<Op> op) const {
  return done_[op] == now_ && problem_.roles.keeps(op);
}

std::vector<Id<Op>> Timeline::reads_on_chip(Id<Op> target) {
  std::set<Id<Op>> seen;
  std::vector<Id<Op>> found, stack(problem_.op(target).operands);
  while (!stack.empty()) {
    const Id<Op> at = stack.back();
    stack.pop_back();
    if (!seen.insert(at).second) continue;
    static_cast<void>(early(at));  // inside() looks at what is known
    if (kept_here(at))
      found.push_back(at);
    else if (inside(at))
      stack.insert(stack.end(), problem_.op(at).operands.begin(), problem_.op(at).operands.end());
  }
  std::ranges::sort(found);
  return found;
}

std::size_t Timeline::component_of(Id<Op> loop) const {
  const std::vector<Component>& components = phases[static_cast<std::size_t>(now_)].components;
  for (std::size_t i = 0; i < components.size(); ++i)
    if (std::ranges::binary_search(components[i].loops, loop)) return i;
  return std::string::npos;
}

}  // namespace seam::planner::stitch
