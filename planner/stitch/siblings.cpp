#include "stitch/siblings.h"

#include <algorithm>
#include <map>

namespace seam::planner::stitch {

using graph::Op;

namespace {

/// More outputs would cost more registers than reading again.
constexpr std::size_t kMostOutputs = 12;

/// A part that may have siblings: what it computes and reads element by element.
struct Sibling {
  std::size_t part = 0;
  std::int64_t elements = 0;
  std::set<Id<Op>> values;
};

bool may_join(const Problem& problem, const DraftPart& part) {
  return part.flat && part.splits == 1 && std::ranges::none_of(part.loops, [&](const DraftLoop& loop) { return loop.kept || problem.roles.updates(loop.op); });
}

Sibling sibling_of(const Problem& problem, const std::vector<DraftPart>& parts, std::size_t at, const std::set<Id<Op>>& reads) {
  Sibling out{at, elements_of(problem.op(parts[at].loops.front().op)), {}};
  const std::vector<Id<Op>> ops = ops_of_part(problem.computation, problem.roles, parts[at], reads);
  // Smaller values (a bias, a mask) are in the caches the second time; of larger ones each may read another piece.
  const auto note = [&](Id<Op> value) {
    if (problem.roles.role[value] != Role::Folded && elements_of(problem.op(value)) == out.elements) out.values.insert(value);
  };
  for (const Id<Op> id : ops) {
    if (problem.roles.role[id] != Role::View) note(id);
    for (const Id<Op> operand : problem.op(id).operands)
      if (!std::ranges::binary_search(ops, operand)) note(problem.roles.storage[operand]);
  }
  return out;
}

bool have_in_common(const Sibling& a, const Sibling& b) {
  return a.elements == b.elements && std::ranges::any_of(a.values, [&](Id<Op> value) { return b.values.contains(value); });
}

/// One element a thread: several outputs keep each busy enough. Not more blocks than a few waves.
std::int64_t blocks_for(const Problem& problem, std::int64_t elements) {
  constexpr std::int64_t kThreads = 256;
  const std::int64_t chunks = (elements + kThreads - 1) / kThreads;
  const std::int64_t most = 32 * problem.options.device.sms;
  const std::int64_t each = std::max<std::int64_t>(1, (chunks + most - 1) / most);
  return std::max<std::int64_t>(1, (chunks + each - 1) / each);
}

}  // namespace

std::vector<DraftPart> siblings_joined(const Problem& problem, std::vector<DraftPart> parts, const std::set<Id<Op>>& reads) {
  std::vector<DraftPart> out;
  std::vector<Sibling> open;  // parts of `out` that others may join
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!may_join(problem, parts[i])) {
      out.push_back(std::move(parts[i]));
      continue;
    }
    Sibling here = sibling_of(problem, parts, i, reads);
    const auto fits = [&](const Sibling& other) { return have_in_common(other, here) && out[other.part].loops.size() + parts[i].loops.size() <= kMostOutputs; };
    const auto found = std::ranges::find_if(open, fits);
    if (found == open.end()) {
      here.part = out.size();
      open.push_back(std::move(here));
      out.push_back(std::move(parts[i]));
      continue;
    }
    DraftPart& joined = out[found->part];
    joined.loops.insert(joined.loops.end(), parts[i].loops.begin(), parts[i].loops.end());
    std::ranges::sort(joined.loops, {}, &DraftLoop::op);
    joined.blocks = blocks_for(problem, here.elements);
    found->values.merge(here.values);
  }
  return out;
}

}  // namespace seam::planner::stitch
