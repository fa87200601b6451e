#include <algorithm>
#include <climits>
#include <map>

#include "base/check.h"
#include "draft/draft.h"

namespace seam::planner {

using graph::Computation;
using graph::Op;
using graph::Opcode;

namespace {

/// Who reads each buffer last, in units of the draft's order.
class LastReads {
 public:
  LastReads(const Computation& computation, const Roles& roles, const Draft& draft, const ComputationPlan& plan)
      : computation_(computation), roles_(roles) {
    for (std::size_t at = 0; at < draft.order.size(); ++at) {
      const Unit& unit = draft.order[at];
      if (!unit.call) {
        for (const Id<Op> input : inputs(plan.groups[unit.group])) note(input, at);
        continue;
      }
      for (const Id<Op> operand : computation.ops[unit.op].operands)
        for (const Id<Op> value : flattened(computation, operand)) note(value, at);
    }
    for (const Id<Op> value : roles.returned) note(value, SIZE_MAX);
  }

  /// No unit after `at` reads the buffer, nor does another reader inside unit `at`.
  bool dead_after(Id<Op> buffer, std::size_t at, const FusionGroup& group, Id<Op> updater) const {
    const auto found = last_.find(buffer);
    if (found != last_.end() && found->second > at) return false;
    for (const Part& part : group.parts)
      for (const PlannedOp& planned : part.ops) {
        const std::vector<Id<Op>>& operands = computation_.ops[planned.op].operands;
        for (std::size_t i = 0; i < operands.size(); ++i)
          if (roles_.storage[operands[i]] == buffer && !(planned.op == updater && i == 0)) return false;
      }
    return true;
  }

 private:
  void note(Id<Op> buffer, std::size_t at) {
    std::size_t& last = last_[buffer];
    last = std::max(last, at);
  }
  std::vector<Id<Op>> inputs(const FusionGroup& group) const { return boundary(computation_, group).inputs; }

  const Computation& computation_;
  const Roles& roles_;
  std::map<Id<Op>, std::size_t> last_;
};

class Steps {
 public:
  Steps(const graph::Graph& graph, const Computation& computation, const Roles& roles, const Draft& draft, ComputationPlan& plan)
      : graph_(graph), computation_(computation), roles_(roles), draft_(draft), plan_(plan),
        reads_(computation, roles, draft, plan) {}

  void write() {
    for (std::size_t at = 0; at < draft_.order.size(); ++at) {
      const Unit& unit = draft_.order[at];
      if (unit.call) {
        call(unit);
        continue;
      }
      FusionGroup& group = plan_.groups[unit.group];
      updates(group, at, unit.level);
      plan_.steps.push_back({StepKind::Kernel, unit.group, {}, unit.level});
    }
    const int last = draft_.order.empty() ? 0 : draft_.order.back().level;
    for (const Id<Op> value : roles_.returned)
      if (roles_.role[value] == Role::Folded) materialise(value, last);
  }

 private:
  void materialise(Id<Op> folded_value, int level) {
    if (!filled_.insert(folded_value).second) return;
    plan_.steps.push_back({StepKind::Copy, 0, folded_value, level});
  }

  void call(const Unit& unit) {
    const Op& op = computation_.ops[unit.op];
    for (const Id<Op> operand : op.operands)
      for (const Id<Op> value : flattened(computation_, operand))
        if (roles_.role[value] == Role::Folded) materialise(value, unit.level);
    const StepKind kind = op.opcode == Opcode::While         ? StepKind::While
                          : op.opcode == Opcode::Conditional ? StepKind::Conditional
                                                             : StepKind::Library;
    plan_.steps.push_back({kind, 0, unit.op, unit.level});
  }

  void updates(FusionGroup& group, std::size_t at, int level) {
    for (const Part& part : group.parts)
      for (const PlannedOp& planned : part.ops) {
        if (!planned.output || !roles_.updates(planned.op)) continue;
        const Id<Op> base = roles_.storage[computation_.ops[planned.op].operands[0]];
        group.in_place.emplace_back(planned.op, base);
        const bool dead = roles_.role[planned.op] == Role::Update ||
                          (may_overwrite(graph_, computation_, roles_, base) && reads_.dead_after(base, at, group, planned.op));
        if (!dead) plan_.steps.push_back({StepKind::Copy, 0, planned.op, level});
      }
  }

  const graph::Graph& graph_;
  const Computation& computation_;
  const Roles& roles_;
  const Draft& draft_;
  ComputationPlan& plan_;
  LastReads reads_;
  std::set<Id<Op>> filled_;
};

}  // namespace

void order_steps(const graph::Graph& graph, const Computation& computation, const Roles& roles, const Draft& draft,
                 ComputationPlan& plan) {
  Steps(graph, computation, roles, draft, plan).write();
}

}  // namespace seam::planner
