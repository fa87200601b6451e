/// The pipeline of 2018, to a fixed point, and the draft that its fusions make.
#include <algorithm>
#include <set>

#include "base/check.h"
#include "policy/policy.h"
#include "policy/xla2018/nodes.h"
#include "schedule/single.h"

namespace seam::planner {

using graph::Op;
using xla2018::Node;
using xla2018::Nodes;

namespace {

/// Nodes and calls in an order in which everything is written before it is read: smallest first op first among those ready.
class Order {
 public:
  explicit Order(const Nodes& nodes) : nodes_(nodes), roles_(nodes.problem().roles), written_(nodes.problem().computation.ops.size(), false) {}

  std::vector<Unit> run() {
    const graph::Computation& computation = nodes_.problem().computation;
    for (std::size_t i = 0; i < computation.ops.size(); ++i) {
      const Id<Op> id(i);
      if (roles_.is_call(id)) call(id);
    }
    for (std::size_t n = 0; n < nodes_.all.size(); ++n)
      if (nodes_.all[n].alive && !nodes_.all[n].roots.empty()) node(n);
    return std::move(units_);
  }

 private:
  void need(Id<Op> value) {
    const Role role = roles_.role[value];
    if (role == Role::Result) return call(roles_.producer[value]);
    if (roles_.is_call(value)) return call(value);
    if (const std::size_t n = nodes_.maker(value); n != Nodes::kNone) node(n);
  }

  void call(Id<Op> id) {
    if (written_[id]) return;
    written_[id] = true;
    for (const Id<Op> operand : nodes_.op(id).operands)
      for (const Id<Op> value : flattened(nodes_.problem().computation, operand)) need(value);
    units_.push_back({true, 0, id, nodes_.problem().asap[id]});
  }

  void node(std::size_t n) {
    if (!placed_.insert(n).second) return;
    for (const Id<Op> input : nodes_.all[n].inputs) need(input);
    units_.push_back({false, n, {}, 0});
  }

  const Nodes& nodes_;
  const Roles& roles_;
  IdVector<Op, bool> written_;
  std::set<std::size_t> placed_;
  std::vector<Unit> units_;
};

}  // namespace

Draft draft_xla2018(const stitch::Problem& problem, stitch::Vetoes& vetoes) {
  Nodes nodes(problem, vetoes);
  constexpr int kMostRounds = 16;
  for (int round = 0; round < kMostRounds; ++round) {
    bool changed = xla2018::instruction_fusion(nodes, false);
    changed = xla2018::instruction_fusion(nodes, true) || changed;
    changed = xla2018::fusion_merger(nodes) || changed;
    changed = xla2018::multi_output_fusion(nodes) || changed;
    if (!changed) break;
  }
  Draft draft;
  for (Unit unit : Order(nodes).run()) {
    if (!unit.call) {
      const Node& node = nodes.all[unit.group];
      DraftGroup group;
      for (const Id<Op> input : node.inputs) {
        group.reads.insert(input);
        group.level = std::max(group.level, problem.asap[input] + (problem.roles.is_call(input) ? 1 : 0));
      }
      std::set<Id<Op>> done;
      for (const Id<Op> root : node.roots) {
        const Op& op = problem.op(root);
        const Id<Op> head = op.opcode == graph::Opcode::GetTupleElement ? op.operands[0] : root;
        if (done.insert(head).second) group.parts.push_back(single_op_part(problem.computation, problem.roles, head, problem.options.device));
      }
      unit.group = draft.groups.size();
      unit.level = group.level;
      draft.groups.push_back(std::move(group));
    }
    draft.order.push_back(unit);
  }
  return draft;
}

}  // namespace seam::planner
