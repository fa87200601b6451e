#include "policy/xla2018/nodes.h"

#include <algorithm>

namespace seam::planner::xla2018 {

using graph::Op;
using graph::Opcode;

Nodes::Nodes(const stitch::Problem& problem, stitch::Vetoes& vetoes)
    : problem_(problem), vetoes_(vetoes), maker_(problem.computation.ops.size(), kNone), read_by_(problem.computation.ops.size()) {
  const Roles& roles = problem.roles;
  for (std::size_t i = 0; i < problem.computation.ops.size(); ++i) {
    const Id<Op> id(i);
    if (roles.role[id] != Role::Map && !roles.is_anchor(id)) continue;
    const Op& op = problem.op(id);
    // The elements of a variadic reduce come from its one instruction.
    if (op.opcode == Opcode::GetTupleElement) {
      maker_[id] = maker_[op.operands[0]];
      all[maker_[id]].roots.push_back(id);
      take(maker_[id], id);
      continue;
    }
    maker_[id] = all.size();
    Node node;
    if (!op.shape.is_tuple) node.roots.push_back(id);
    all.push_back(std::move(node));
    take(maker_[id], id);
  }
}

void Nodes::take(std::size_t n, Id<Op> taken) {
  Node& node = all[n];
  if (!node.ops.insert(taken).second) return;
  node.inputs.erase(taken);
  std::vector<Id<Op>> behind;  // ops inside whose operands are read as often as they are
  const auto repeats = [&](Id<Op> value) {
    if (node.repeated.insert(value).second && value != taken && node.ops.contains(value)) behind.push_back(value);
  };
  const Opcode opcode = op(taken).opcode;
  const bool repeating = opcode == Opcode::Broadcast || opcode == Opcode::Gather || node.repeated.contains(taken);
  for (const Id<Op> operand : op(taken).operands) {
    const Id<Op> storage = problem_.roles.storage[operand];
    if (repeating) repeats(storage);
    if (problem_.roles.role[storage] == Role::Folded || node.ops.contains(storage)) continue;
    node.inputs.insert(storage);
    read_by_[storage].insert(n);
  }
  while (!behind.empty()) {
    const Id<Op> at = behind.back();
    behind.pop_back();
    for (const Id<Op> operand : op(at).operands) repeats(problem_.roles.storage[operand]);
  }
}

std::vector<std::size_t> Nodes::readers(std::size_t node) const {
  std::set<std::size_t> out;
  for (const Id<Op> root : all[node].roots)
    for (const std::size_t reader : read_by_[root])
      if (reader != node && all[reader].alive && !all[reader].ops.contains(root)) out.insert(reader);
  return {out.begin(), out.end()};
}

bool Nodes::read_by_call(const Node& node) const {
  return std::ranges::any_of(node.roots, [&](Id<Op> root) { return problem_.roles.needed_in_memory[root]; });
}

void Nodes::bury(std::size_t node) {
  if (!all[node].alive || read_by_call(all[node]) || !readers(node).empty()) return;
  all[node].alive = false;
  for (const Id<Op> input : all[node].inputs)
    if (maker_[input] != kNone && all[maker_[input]].alive) bury(maker_[input]);
}

bool Nodes::rooted_in_reduce(const Node& node) const {
  return std::ranges::any_of(node.roots, [&](Id<Op> root) {
    return problem_.roles.role[root] == Role::Reduce || op(root).opcode == Opcode::GetTupleElement;
  });
}

bool Nodes::reaches(std::size_t from, std::size_t to) const {
  std::set<std::size_t> seen{from};
  std::vector<std::size_t> stack{from};
  const Id<Op> last = all[to].roots.empty() ? Id<Op>(SIZE_MAX - 1) : all[to].roots.back();
  std::set<Id<Op>> calls;
  std::vector<Id<Op>> through;
  const auto visit = [&](std::size_t node) {
    if (seen.insert(node).second) stack.push_back(node);
  };
  // Calls pass dependence on too.
  const auto pass_call = [&](const auto& self, Id<Op> value) -> void {
    for (const Id<Op> user : problem_.roles.users[value]) {
      if (user > last || !calls.insert(user).second) continue;
      const Role role = problem_.roles.role[user];
      if (role == Role::View || role == Role::Plumbing || role == Role::Result || problem_.roles.is_call(user)) {
        for (const std::size_t reader : read_by_[user])
          if (all[reader].alive) visit(reader);
        self(self, user);
      }
    }
  };
  while (!stack.empty()) {
    const std::size_t at = stack.back();
    stack.pop_back();
    if (at == to) return true;
    for (const std::size_t reader : readers(at))
      if (all[reader].roots.empty() || *all[reader].ops.begin() <= last) visit(reader);
    for (const Id<Op> root : all[at].roots)
      if (problem_.roles.needed_in_memory[root]) pass_call(pass_call, root);
  }
  return false;
}

bool expensive(const Op& op) {
  switch (op.opcode) {
    case Opcode::Divide: return !is_float(op.shape.dtype);
    case Opcode::Reduce:
    case Opcode::Gather: return true;
    default: return graph::is_expensive(op.opcode);
  }
}

}  // namespace seam::planner::xla2018
