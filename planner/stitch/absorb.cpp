#include "stitch/absorb.h"

#include <algorithm>

namespace seam::planner::stitch {

using graph::Op;

namespace {

/// Part of its own, made of plain outputs.
bool may_go(const Problem& problem, const DraftPart& part) {
  return part.flat && part.splits == 1 && std::ranges::none_of(part.loops, [&](const DraftLoop& loop) { return loop.kept || problem.roles.updates(loop.op) || problem.roles.role[loop.op] != Role::Map; });
}

/// The loop of `rows` whose blocks own the same elements: of the same dims, and computed from the output element by element.
const DraftLoop* beside(const Problem& problem, const DraftPart& rows, Id<Op> output, const std::set<Id<Op>>& reads) {
  for (const DraftLoop& loop : rows.loops) {
    if (problem.roles.role[loop.op] != Role::Map || problem.op(loop.op).shape.dims != problem.op(output).shape.dims || !(output < loop.op)) continue;
    // Down from the loop through element-wise ops of its own dims only.
    std::vector<Id<Op>> stack(problem.op(loop.op).operands);
    std::set<Id<Op>> seen;
    while (!stack.empty()) {
      const Id<Op> at = stack.back();
      stack.pop_back();
      if (at == output) return &loop;
      if (at < output || !seen.insert(at).second || reads.contains(at) || problem.roles.role[at] != Role::Map || problem.op(at).shape.dims != problem.op(output).shape.dims ||
          graph::op_class(problem.op(at).opcode) != graph::OpClass::Elementwise) {
        continue;
      }
      if (std::ranges::any_of(rows.loops, [&](const DraftLoop& other) { return other.op == at; })) continue;
      stack.insert(stack.end(), problem.op(at).operands.begin(), problem.op(at).operands.end());
    }
  }
  return nullptr;
}

bool is_costly(const Problem& problem, const DraftPart& part, const std::set<Id<Op>>& reads) {
  return std::ranges::any_of(ops_of_part(problem.computation, problem.roles, part, reads), [&](Id<Op> op) { return graph::is_expensive(problem.op(op).opcode); });
}

}  // namespace

std::vector<DraftPart> outputs_absorbed(const Problem& problem, std::vector<DraftPart> parts, const std::set<Id<Op>>& reads) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!may_go(problem, parts[i]) || !is_costly(problem, parts[i], reads)) continue;
    std::erase_if(parts[i].loops, [&](const DraftLoop& loop) {
      for (DraftPart& rows : parts) {
        if (rows.flat || rows.splits != 1 || &rows == &parts[i]) continue;
        const DraftLoop* with = beside(problem, rows, loop.op, reads);
        if (with == nullptr) continue;
        if (const auto has = std::ranges::find(rows.loops, loop.op, &DraftLoop::op); has != rows.loops.end()) {
          has->output = true;  // kept there already, for the rows' own use
        } else {
          rows.loops.push_back({loop.op, with->columns, false, true});
          std::ranges::sort(rows.loops, {}, &DraftLoop::op);
        }
        return true;
      }
      return false;
    });
  }
  std::erase_if(parts, [](const DraftPart& part) { return part.loops.empty(); });
  return parts;
}

}  // namespace seam::planner::stitch
