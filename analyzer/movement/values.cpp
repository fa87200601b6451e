/// Whose memory a value is, who reads it, and which values are statistics (analyzer/movement.h).
#include <algorithm>
#include <ranges>
#include <utility>

#include "analyzer/movement.h"

namespace seam::analyzer {

using graph::Computation;
using graph::Op;
using graph::OpClass;
using graph::Opcode;

namespace {

/// The op whose value `op` is under another name; itself if it makes one.
Id<Op> seen_through(const Computation& computation, Id<Op> id) {
  const Op& op = computation.ops[id];
  switch (op.opcode) {
    case Opcode::Reshape:
    case Opcode::Bitcast:
    case Opcode::OptBarrier:
    case Opcode::AddDependency:
    case Opcode::Domain: return op.operands[0];
    case Opcode::GetTupleElement: {
      const Op& tuple = computation.ops[op.operands[0]];
      if (tuple.opcode == Opcode::Tuple) return tuple.operands[static_cast<std::size_t>(op.attributes.index)];
      return id;
    }
    default: return id;
  }
}

/// A reduce over more than one element.
bool reduces(const Computation& computation, const Op& op) {
  if (op.opcode != Opcode::Reduce || op.shape.is_tuple) return false;
  const graph::Shape& in = computation.ops[op.operands[0]].shape;
  return std::ranges::any_of(op.attributes.dimensions, [&](std::int64_t dim) { return in.dims[static_cast<std::size_t>(dim)] > 1; });
}

bool spreads(const Computation& computation, const Op& op) {
  return op.opcode == Opcode::Broadcast && op.shape.elements_count() > computation.ops[op.operands[0]].shape.elements_count();
}

/// As many elements out as in, each from one of each operand.
bool maps(const Computation& computation, const Op& op) {
  const OpClass c = graph::op_class(op.opcode);
  if (op.shape.is_tuple || op.operands.empty() || (c != OpClass::Elementwise && c != OpClass::Broadcast)) return false;
  return !spreads(computation, op);
}

/// Removes from `is` what has an operand or a reader that no statistic has, until nothing changes.
void settle(const Values& values, IdVector<Op, bool>& is) {
  const Computation& computation = *values.computation;
  const auto operands_fit = [&](const Op& op) {
    const auto fits = [&](Id<Op> operand) { return values.folded(operand) || is[values.owner(operand)]; };
    return std::ranges::all_of(op.operands, fits) && !std::ranges::all_of(op.operands, [&](Id<Op> operand) { return values.folded(operand); });
  };
  std::vector<std::pair<Id<Op>, std::set<Id<Op>>>> candidates;
  for (std::size_t i = 0; i < computation.ops.size(); ++i)
    if (is[Id<Op>(i)]) candidates.emplace_back(Id<Op>(i), values.readers(Id<Op>(i)));
  bool changed = true;
  const auto look_at = [&](const auto& candidate) {
    const auto& [id, readers] = candidate;
    if (!is[id]) return;
    const Op& op = computation.ops[id];
    const bool stays = (op.opcode == Opcode::Reduce || operands_fit(op)) && !readers.empty() &&
                       std::ranges::all_of(readers, [&](Id<Op> reader) { return spreads(computation, computation.ops[reader]) || is[reader]; });
    if (!stays) is[id] = false, changed = true;
  };
  // What operands decide travels down, what readers decide travels up.
  while (std::exchange(changed, false)) {
    std::ranges::for_each(candidates, look_at);
    std::ranges::for_each(candidates | std::views::reverse, look_at);
  }
}

}  // namespace

Id<Op> Values::owner(Id<Op> value) const {
  while (true) {
    const Id<Op> next = seen_through(*computation, value);
    if (next == value) return value;
    value = next;
  }
}

bool Values::folded(Id<Op> value) const {
  while (true) {
    value = owner(value);
    const Op& op = computation->ops[value];
    if (op.opcode == Opcode::Iota) return true;
    if (op.opcode == Opcode::Constant) return !op.shape.is_tuple && op.shape.elements_count() == 1;
    if (op.opcode != Opcode::Broadcast) return false;
    value = op.operands[0];
  }
}

std::set<Id<Op>> Values::readers(Id<Op> value) const {
  std::set<Id<Op>> out;
  std::vector<Id<Op>> names{value};
  while (!names.empty()) {
    const Id<Op> name = names.back();
    names.pop_back();
    for (const Id<Op> user : users[name]) {
      const Op& op = computation->ops[user];
      const bool view = op.opcode != Opcode::GetTupleElement && seen_through(*computation, user) == name;
      if (view || (op.opcode == Opcode::GetTupleElement && computation->ops[name].opcode != Opcode::Tuple))
        names.push_back(user);
      else
        out.insert(user);
    }
  }
  return out;
}

Values values_of(const Computation& computation) {
  Values values{&computation, computation.users(), IdVector<Op, bool>(computation.ops.size(), false)};
  for (std::size_t i = 0; i < computation.ops.size(); ++i) {
    const Id<Op> id(i);
    const Op& op = computation.ops[id];
    if (id == computation.root || values.owner(id) != id || values.folded(id)) continue;
    values.is_statistic[id] = reduces(computation, op) || maps(computation, op);
  }
  IdVector<Op, bool> settled = values.is_statistic;
  settle(values, settled);
  values.is_statistic = std::move(settled);
  return values;
}

}  // namespace seam::analyzer
