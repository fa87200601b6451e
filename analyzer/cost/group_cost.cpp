#include "analyzer/group_cost.h"

#include <algorithm>
#include <map>
#include <set>

namespace seam::analyzer {

using graph::Computation;
using graph::Op;
using graph::OpClass;
using graph::Opcode;

namespace {

/// The value behind a view.
Id<Op> seen_through(const Computation& computation, Id<Op> op) {
  while (computation.ops[op].opcode == Opcode::Reshape || computation.ops[op].opcode == Opcode::Bitcast ||
         computation.ops[op].opcode == Opcode::OptBarrier)
    op = computation.ops[op].operands[0];
  return op;
}

std::int64_t words(const graph::Shape& shape) {
  if (!shape.is_tuple) return shape.elements_count();
  std::int64_t sum = 0;
  for (const graph::Shape& element : shape.elements) sum += words(element);
  return sum;
}

/// Readers of a value under any name, tuples included.
void readers(const Computation& computation, const IdVector<Op, std::vector<Id<Op>>>& users, Id<Op> value, std::set<Id<Op>>& out) {
  for (const Id<Op> user : users[value]) {
    if (seen_through(computation, user) != user)
      readers(computation, users, user, out);
    else
      out.insert(user);
  }
}

}  // namespace

OpCost cost_of_group(const Computation& computation, const std::vector<Id<Op>>& ops) {
  OpCost cost;
  const std::set<Id<Op>> inside(ops.begin(), ops.end());
  const auto users = computation.users();
  struct Read {
    std::int64_t taken = 0;
    bool whole = false;
  };
  std::map<Id<Op>, Read> reads;
  for (const Id<Op> id : inside) {
    const Op& op = computation.ops[id];
    cost.flops += cost_of(computation, op).flops;
    if (moves_nothing(computation, op)) continue;
    const bool takes_part = op.opcode == Opcode::Slice || op.opcode == Opcode::DynamicSlice || op.opcode == Opcode::Gather;
    for (std::size_t i = 0; i < op.operands.size(); ++i) {
      const Id<Op> value = seen_through(computation, op.operands[i]);
      const Op& source = computation.ops[value];
      if (inside.contains(value) || source.opcode == Opcode::Constant || source.opcode == Opcode::Iota ||
          (source.opcode == Opcode::Broadcast && moves_nothing(computation, source)))
        continue;
      Read& read = reads[value];
      if (takes_part && i == 0)
        read.taken += words(op.shape);
      else
        read.whole = true;
    }
    std::set<Id<Op>> readers_of;
    readers(computation, users, id, readers_of);
    const bool leaves = id == computation.root || std::ranges::any_of(readers_of, [&](Id<Op> reader) { return !inside.contains(reader); });
    if (!leaves) continue;
    cost.words_out += words(op.shape);
    cost.bytes_out += op.shape.byte_size();
  }
  for (const auto& [value, read] : reads) {
    const graph::Shape& shape = computation.ops[value].shape;
    const std::int64_t all = words(shape);
    const std::int64_t taken = read.whole ? all : std::min(all, read.taken);
    cost.words_in += taken;
    cost.bytes_in += all > 0 ? shape.byte_size() / all * taken : 0;
  }
  return cost;
}

}  // namespace seam::analyzer
