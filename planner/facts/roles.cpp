#include "facts/roles.h"

#include <algorithm>

#include "schedule/ownership.h"

namespace seam::planner {

using graph::Computation;
using graph::Op;
using graph::OpClass;
using graph::Opcode;

namespace {

void flatten(const Computation& computation, Id<Op> op, std::vector<Id<Op>>& out) {
  const Id<Op> storage = storage_of(computation, op);
  const Op& at = computation.ops[storage];
  if (at.opcode == Opcode::Tuple) {
    for (const Id<Op> operand : at.operands) flatten(computation, operand, out);
    return;
  }
  if (at.shape.dtype == DType::Token && !at.shape.is_tuple) return;
  out.push_back(storage);
}

/// Where a get-tuple-element that storage_of could not follow gets its value from.
Role element_role(const Roles& roles, const Computation& computation, const Op& op, Id<Op>& producer) {
  Id<Op> from = op.operands[0];
  while (computation.ops[from].opcode == Opcode::GetTupleElement ||
         computation.ops[from].opcode == Opcode::OptBarrier ||
         computation.ops[from].opcode == Opcode::AddDependency ||
         computation.ops[from].opcode == Opcode::Domain)
    from = computation.ops[from].operands[0];
  if (roles.is_call(from)) {
    producer = from;
    return Role::Result;
  }
  return roles.role[from] == Role::Reduce ? Role::Map : Role::Memory;
}

/// Everything that reads the value, under whatever name, is that op.
bool only_read_by(const Roles& roles, Id<Op> value, Id<Op> reader) {
  return std::ranges::all_of(roles.users[value], [&](Id<Op> user) { return user == reader || (roles.role[user] == Role::View && only_read_by(roles, user, reader)); });
}

/// Factors that nothing would compute before the product's own kernel: all that they wait for, the product waits for as well.
OnChip factors_on_chip(const Computation& computation, const Roles& roles, const IdVector<Op, int>& level, Id<Op> dot) {
  constexpr std::int64_t kSeveral = 8;
  const Op& op = computation.ops[dot];
  const DotExtents e = dot_extents(computation, op);
  OnChip out;
  for (const auto& [operand, times] : {std::pair{op.operands[0], e.columns}, std::pair{op.operands[1], e.rows}}) {
    const Id<Op> from = roles.storage[operand];
    if (times < kSeveral || roles.role[from] != Role::Map || level[from] != level[dot]) continue;
    out.any = true;
    if (only_read_by(roles, from, dot)) out.bytes += computation.ops[from].shape.byte_size();
  }
  return out;
}

Role role_of(const graph::Graph& graph, const Computation& computation, const Roles& roles, Id<Op> id,
             const PlanOptions& options, const IdVector<Op, int>& level, Id<Op>& producer) {
  const Op& op = computation.ops[id];
  switch (op.opcode) {
    case Opcode::Parameter:
      return Role::Memory;
    case Opcode::Tuple:
    case Opcode::AfterAll:
      return Role::Plumbing;
    case Opcode::While:
    case Opcode::Conditional:
      producer = id;
      return Role::Control;
    default:
      break;
  }
  if (op.shape.is_tuple && graph::op_class(op.opcode) == OpClass::Free) return Role::Plumbing;
  if (roles.storage[id] != id) {
    return folded(computation, id) ? Role::Folded : Role::View;
  }
  if (op.opcode == Opcode::GetTupleElement) return element_role(roles, computation, op, producer);
  if (folded(computation, id)) return Role::Folded;
  if (op.opcode == Opcode::Constant) return Role::Memory;
  const auto called = [&] { return !options.emit_small_dots || !dot_price(computation, roles, level, id, options.device).pays(); };
  if (!can_emit(graph, computation, op) || (op.opcode == Opcode::Dot && called())) {
    producer = id;
    return Role::Library;
  }
  switch (op.opcode) {
    case Opcode::Reduce: return Role::Reduce;
    case Opcode::Dot: return Role::Dot;
    case Opcode::Scatter: return Role::Scatter;
    default: return Role::Map;
  }
}

}  // namespace

DotPrice dot_price(const Computation& computation, const Roles& roles, const IdVector<Op, int>& level, Id<Op> dot, const Device& device) {
  return price_of_dot(computation, computation.ops[dot], factors_on_chip(computation, roles, level, dot), device);
}

bool may_overwrite(const graph::Graph& graph, const Computation& computation, const Roles& roles, Id<Op> buffer) {
  const Op& op = computation.ops[buffer];
  if (roles.role[buffer] == Role::Folded) return false;
  if (roles.role[buffer] != Role::Memory) return true;
  if (op.opcode == Opcode::Constant) return false;
  if (&computation != &graph.entry_computation()) return true;
  return op.opcode == Opcode::Parameter &&
         std::ranges::any_of(graph.donated, [&](const auto& pair) { return pair.second == op.attributes.index; });
}

const std::vector<std::int64_t>& loop_dims(const Computation& computation, const Op& op, bool updates) {
  return updates ? computation.ops[op.operands[update_operand(op)]].shape.dims : dims_of(op);
}

namespace {

/// Readers of a buffer under any of its names.
void readers_of(const Roles& roles, Id<Op> value, std::vector<Id<Op>>& out) {
  for (const Id<Op> user : roles.users[value]) {
    if (roles.role[user] == Role::View)
      readers_of(roles, user, out);
    else
      out.push_back(user);
  }
}

bool is_update(const graph::Graph& graph, const Computation& computation, const Roles& roles, Id<Op> id) {
  const Op& op = computation.ops[id];
  if (op.opcode != Opcode::DynamicUpdateSlice || roles.role[id] != Role::Map || !roles.needed_in_memory[id]) return false;
  for (const Id<Op> user : roles.users[id])
    if (roles.role[user] != Role::Plumbing) return false;
  const Id<Op> base = roles.storage[op.operands[0]];
  if (roles.role[base] != Role::Memory && roles.role[base] != Role::Result) return false;
  if (!may_overwrite(graph, computation, roles, base) || std::ranges::count(roles.returned, base)) return false;
  std::vector<Id<Op>> readers;
  readers_of(roles, base, readers);
  return std::ranges::all_of(readers, [&](Id<Op> reader) { return reader == id; }) &&
         std::ranges::count(op.operands, op.operands[0]) == 1;
}

}  // namespace

std::vector<Id<Op>> flattened(const Computation& computation, Id<Op> op) {
  std::vector<Id<Op>> out;
  flatten(computation, op, out);
  return out;
}

Roles roles_of(const graph::Graph& graph, const Computation& computation, const PlanOptions& options) {
  Roles roles;
  const std::size_t count = computation.ops.size();
  roles.role = IdVector<Op, Role>(count, Role::Plumbing);
  roles.storage = IdVector<Op, Id<Op>>(count);
  roles.producer = IdVector<Op, Id<Op>>(count);
  roles.needed_in_memory = IdVector<Op, bool>(count, false);
  roles.users = computation.users();
  IdVector<Op, int> level(count, 0);  // calls that must have run before
  for (std::size_t i = 0; i < count; ++i) {
    const Id<Op> id(i);
    for (const Id<Op> operand : computation.ops[id].operands) level[id] = std::max(level[id], level[operand] + (roles.is_call(operand) ? 1 : 0));
    roles.storage[id] = storage_of(computation, id);
    Id<Op> producer;
    roles.role[id] = role_of(graph, computation, roles, id, options, level, producer);
    roles.producer[id] = producer;
  }
  roles.returned = flattened(computation, computation.root);
  for (const Id<Op> op : roles.returned) roles.needed_in_memory[op] = true;
  for (std::size_t i = 0; i < count; ++i) {
    const Id<Op> id(i);
    const Op& op = computation.ops[id];
    if (roles.is_call(id)) {
      for (const Id<Op> operand : op.operands)
        for (const Id<Op> value : flattened(computation, operand)) roles.needed_in_memory[value] = true;
    } else if (roles.role[id] == Role::Scatter) {
      roles.needed_in_memory[roles.storage[op.operands[0]]] = true;
    }
  }
  for (std::size_t i = 0; i < count; ++i)
    if (is_update(graph, computation, roles, Id<Op>(i))) roles.role[Id<Op>(i)] = Role::Update;
  return roles;
}

}  // namespace seam::planner
