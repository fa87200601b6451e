#include <algorithm>
#include <map>

#include "schedule/ownership.h"
#include "verify/check.h"

namespace seam::planner {

using graph::Op;

Lifetime lifetime(const graph::Computation& computation, const Part& part, std::size_t index) {
  const Id<Op> value = part.ops[index].op;
  Lifetime life{index, index, false};
  // carries[op]: how an inline op of the current stretch reads `value`: not at all, at its own element, or elsewhere.
  enum class Reads : std::uint8_t { No, Same, Other };
  std::map<Id<Op>, Reads> carries;
  for (std::size_t i = index + 1; i < part.ops.size(); ++i) {
    const PlannedOp& planned = part.ops[i];
    const Op& op = computation.ops[planned.op];
    Reads reads = Reads::No;
    for (std::size_t k = 0; k < op.operands.size(); ++k) {
      Reads through = Reads::No;
      if (op.operands[k] == value)
        through = Reads::Same;
      else if (const auto found = carries.find(op.operands[k]); found != carries.end())
        through = found->second;
      if (through == Reads::No) continue;
      // An update that is computed where it is read asks for elements one by one: which, is known only when it runs.
      if (!dim_map(computation, op, k).linear || op.opcode == graph::Opcode::DynamicUpdateSlice) through = Reads::Other;
      reads = std::max(reads, through);
    }
    if (reads == Reads::No) continue;
    if (planned.placement == Placement::Inline) {
      carries[planned.op] = reads;
      continue;
    }
    life.last = i;
    life.same_place = reads == Reads::Same;
    // Readers of an output recompute it: it carries on.
    if (planned.placement == Placement::Output) carries[planned.op] = reads;
  }
  return life;
}

}  // namespace seam::planner
