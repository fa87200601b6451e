#include "stitch/pack.h"

#include <algorithm>

namespace seam::planner::stitch {

using graph::Op;

namespace {

/// Kernel parameters are 4 KiB before CUDA 12.1; pointers of 8 bytes, some left for workspaces.
constexpr std::size_t kMostParameters = 480;

struct Footprint {
  std::set<Id<Op>> values;  ///< read or written
  std::int64_t bytes = 0;
};

void add(const Problem& problem, Footprint& to, Id<Op> value) {
  if (!to.values.insert(value).second) return;
  to.bytes += elements_of(problem.op(value)) * bytes_of_element(problem.op(value));
}

Footprint footprint(const Problem& problem, const DraftPart& part, const std::set<Id<Op>>& reads) {
  Footprint out;
  const std::vector<Id<Op>> ops = ops_of_part(problem.computation, problem.roles, part, reads);
  for (const DraftLoop& loop : part.loops)
    if (loop.output) add(problem, out, loop.op);
  for (const Id<Op> id : ops)
    for (const Id<Op> operand : problem.op(id).operands) {
      const Id<Op> storage = problem.roles.storage[operand];
      if (problem.roles.role[storage] != Role::Folded && !std::ranges::binary_search(ops, operand)) add(problem, out, storage);
    }
  return out;
}

}  // namespace

std::vector<DraftGroup> packed(const Problem& problem, DraftGroup phase, Vetoes& vetoes) {
  std::vector<DraftGroup> out;
  Footprint open;
  for (DraftPart& part : phase.parts) {
    const Footprint own = footprint(problem, part, phase.reads);
    Footprint together = open;
    for (const Id<Op> value : own.values) add(problem, together, value);
    const bool too_wide = together.values.size() > kMostParameters;
    const bool too_big = problem.options.footprint_cap > 0 && together.bytes > problem.options.footprint_cap;
    if (out.empty() || too_wide || too_big) {
      if (!out.empty()) {
        const Id<Op> before = out.back().parts.back().loops.back().op, here = part.loops.back().op;
        if (too_big)
          vetoes.add(VetoCode::Footprint, before, here, {{"needs", static_cast<double>(together.bytes)}, {"has", static_cast<double>(problem.options.footprint_cap)}});
        else
          vetoes.add(VetoCode::Parameters, before, here, {{"needs", static_cast<double>(together.values.size())}, {"has", static_cast<double>(kMostParameters)}});
      }
      out.push_back({phase.level, {}, phase.reads});
      together = own;
    }
    out.back().parts.push_back(std::move(part));
    open = std::move(together);
  }
  return out;
}

}  // namespace seam::planner::stitch
