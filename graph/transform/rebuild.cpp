#include "transform/rebuild.h"

#include <fmt/core.h>

#include <algorithm>

namespace seam::graph {

Rebuild::Rebuild(const Computation& original) {
  computation_.name = original.name;
  computation_.execution_thread = original.execution_thread;
}

std::string Rebuild::free_name(std::string wanted) {
  if (names_.insert(wanted).second) return wanted;
  int& suffix = next_suffix_[wanted];
  std::string candidate;
  do {
    candidate = fmt::format("{}.{}", wanted, ++suffix);
  } while (!names_.insert(candidate).second);
  return candidate;
}

Id<Op> Rebuild::add(Op op, const IdMap& map) {
  op.name = free_name(std::move(op.name));
  for (Id<Op>& operand : op.operands) operand = map[operand];
  std::vector<Id<Op>>& before = op.attributes.control_predecessors;
  for (Id<Op>& predecessor : before) predecessor = map[predecessor];
  std::erase_if(before, [](Id<Op> id) { return !id.valid(); });
  return computation_.ops.push_back(std::move(op));
}

Id<Op> Rebuild::append(Op op) {
  op.name = free_name(std::move(op.name));
  return computation_.ops.push_back(std::move(op));
}

std::optional<Id<Op>> Rebuild::forwarded(const Op& op, const IdMap& map) const {
  if (op.opcode != Opcode::GetTupleElement) return std::nullopt;
  const Op& source = computation_.ops[map[op.operands[0]]];
  if (source.opcode != Opcode::Tuple) return std::nullopt;
  return source.operands[static_cast<std::size_t>(op.attributes.index)];
}

Id<Op> Rebuild::add_body(const Computation& callee, const std::vector<Id<Op>>& arguments,
                         const std::string& prefix, const Metadata& fallback) {
  IdMap map(callee.ops.size());
  for (std::size_t i = 0; i < callee.ops.size(); ++i) {
    const Id<Op> old(i);
    const Op& op = callee.ops[old];
    if (op.opcode == Opcode::Parameter) {
      map[old] = arguments[static_cast<std::size_t>(op.attributes.index)];
      continue;
    }
    if (const auto element = forwarded(op, map)) {
      map[old] = *element;
      continue;
    }
    Op copy = op;
    copy.name = fmt::format("{}.{}", prefix, op.name);
    if (copy.metadata == Metadata{}) {
      copy.metadata = fallback;
    } else if (const std::string& caller = fallback.op_name; !caller.empty() && !copy.metadata.op_name.starts_with(caller.substr(0, caller.find('/')))) {
      // JAX names the ops of a function relative to its calls: "select_n" of "jit(f)/dropout/jit(_where)".
      copy.metadata.op_name = copy.metadata.op_name.empty() ? caller : caller + '/' + copy.metadata.op_name;
    }
    map[old] = add(std::move(copy), map);
  }
  return map[callee.root];
}

Computation Rebuild::finish(Id<Op> root) {
  computation_.root = root;
  for (std::size_t i = 0; i < computation_.ops.size(); ++i) {
    const Op& op = computation_.ops[Id<Op>(i)];
    if (op.opcode != Opcode::Parameter) continue;
    const auto number = static_cast<std::size_t>(op.attributes.index);
    if (computation_.parameters.size() <= number) computation_.parameters.resize(number + 1);
    computation_.parameters[number] = Id<Op>(i);
  }
  return std::move(computation_);
}

SideEffects::SideEffects(const Graph& graph) : computations_(graph.computations.size(), false) {
  // Callees stand before callers.
  for (std::size_t c = 0; c < graph.computations.size(); ++c) {
    const IdVector<Op, Op>& ops = graph.computations[Id<Computation>(c)].ops;
    computations_[Id<Computation>(c)] = std::any_of(ops.begin(), ops.end(), [&](const Op& op) { return of(op); });
  }
}

bool SideEffects::of(const Op& op) const {
  switch (op.opcode) {
    case Opcode::PartitionId:
    case Opcode::ReplicaId: return false;
    case Opcode::Rng:
    case Opcode::RngGetAndUpdateState: return true;
    default: break;
  }
  if (op_class(op.opcode) == OpClass::Communication) return true;
  for (const auto& [key, value] : op.attributes.others) {
    if (key == "custom_call_has_side_effect" && value == "true") return true;
  }
  if (op_class(op.opcode) != OpClass::Control) return false;
  return std::ranges::any_of(op.attributes.calls, [&](Id<Computation> callee) { return computations_[callee]; });
}

}  // namespace seam::graph
