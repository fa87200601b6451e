#include <algorithm>

#include "policy/xla2018/nodes.h"

namespace seam::planner::xla2018 {

using graph::Op;
using graph::OpClass;
using graph::Opcode;

namespace {

bool fusible(const Op& op) {
  switch (op.opcode) {
    case Opcode::Broadcast:
    case Opcode::Concatenate:
    case Opcode::DynamicSlice:
    case Opcode::DynamicUpdateSlice:
    case Opcode::Gather:
    case Opcode::Iota:
    case Opcode::Pad:
    case Opcode::Reduce:
    case Opcode::Reshape:
    case Opcode::Scatter:
    case Opcode::Slice:
    case Opcode::Transpose:
    case Opcode::GetTupleElement:
      return true;
    default:
      return graph::op_class(op.opcode) == OpClass::Elementwise;
  }
}

/// Operands as large as the output that are more than a repeated scalar: an op with at most one of them moves no more bytes when
/// it is computed twice.
bool at_most_unary(const Nodes& nodes, const Op& op) {
  std::size_t large = 0;
  for (const Id<Op> operand : op.operands) {
    if (nodes.problem().roles.role[operand] == Role::Folded || nodes.op(operand).opcode == Opcode::Broadcast) continue;
    if (nodes.op(operand).shape.rank() >= op.shape.rank()) ++large;
  }
  return large <= 1;
}

/// Everything but duplication: may `producer` be pulled into `consumer` at all?
VetoCode refusal(const Nodes& nodes, const Node& consumer, const Node& producer, bool& refused) {
  refused = true;
  if (producer.is_fusion() || producer.roots.size() != 1) return VetoCode::FusionRule;
  const Op& op = nodes.op(producer.roots[0]);
  if (op.opcode == Opcode::Reduce || op.opcode == Opcode::Scatter || op.shape.is_tuple) return VetoCode::FusionRule;
  if (!fusible(op)) return VetoCode::FusionRule;
  for (const Id<Op> root : consumer.roots)
    if (!fusible(nodes.op(root))) return VetoCode::FusionRule;
  if (expensive(op) && consumer.repeated.contains(producer.roots[0])) return VetoCode::FusionRule;
  // The buffer that an update overwrites is not computed inside it.
  for (const Id<Op> root : consumer.roots)
    if (nodes.problem().roles.updates(root) && nodes.problem().roles.storage[nodes.op(root).operands[0]] == producer.roots[0])
      return VetoCode::InPlace;
  refused = false;
  return VetoCode::FusionRule;
}

bool duplicable(const Nodes& nodes, std::size_t producer) {
  const Node& node = nodes.all[producer];
  const Op& op = nodes.op(node.roots[0]);
  const bool widening = op.opcode == Opcode::Convert && bytes(op.shape.dtype) > bytes(nodes.op(op.operands[0]).shape.dtype);
  if (widening) return true;
  if (expensive(op)) return false;
  if (at_most_unary(nodes, op)) return true;
  // More input than output: only if every reader takes it, so that the value itself disappears.
  if (nodes.read_by_call(node)) return false;
  return std::ranges::all_of(nodes.readers(producer), [&](std::size_t reader) {
    bool refused = false;
    static_cast<void>(refusal(nodes, nodes.all[reader], node, refused));
    return !refused;
  });
}

}  // namespace

bool instruction_fusion(Nodes& nodes, bool may_duplicate) {
  bool changed = false;
  for (std::size_t c = nodes.all.size(); c-- > 0;) {
    if (!nodes.all[c].alive || nodes.all[c].roots.empty()) continue;
    bool again = true;
    while (again) {
      again = false;
      const std::vector<Id<Op>> inputs(nodes.all[c].inputs.rbegin(), nodes.all[c].inputs.rend());
      for (const Id<Op> input : inputs) {
        const std::size_t p = nodes.maker(input);
        if (p == Nodes::kNone || p == c || !nodes.all[p].alive) continue;
        const Id<Op> root = nodes.all[c].roots.front();
        bool refused = false;
        const VetoCode code = refusal(nodes, nodes.all[c], nodes.all[p], refused);
        const bool shared = nodes.read_by_call(nodes.all[p]) || nodes.readers(p).size() > 1;
        if (refused || (shared && (!may_duplicate || !duplicable(nodes, p)))) {
          if (may_duplicate) nodes.refuse(code, input, root);
          continue;
        }
        const std::size_t parameters = inputs.size() + nodes.all[p].inputs.size() + nodes.all[c].roots.size();
        if (parameters > kMostParameters) {
          nodes.refuse(VetoCode::Parameters, input, root, {{"needs", static_cast<double>(parameters)}, {"has", static_cast<double>(kMostParameters)}});
          continue;
        }
        nodes.take(c, input);
        nodes.bury(p);
        changed = again = true;
        break;
      }
    }
  }
  return changed;
}

}  // namespace seam::planner::xla2018
