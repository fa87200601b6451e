/// The small facts that planner and codegen must agree on: what costs nothing, what is folded into its readers,
/// whose buffer holds a value.
#include <algorithm>

#include "planner/plan.h"
#include "planner/planner.h"

namespace seam::planner {

using graph::Computation;
using graph::Op;
using graph::OpClass;
using graph::Opcode;

namespace {

/// The op that computes element `index` of the tuple `op`, if that is known without running anything.
Id<Op> tuple_element(const Computation& computation, Id<Op> op, std::int64_t index) {
  while (true) {
    const Op& at = computation.ops[op];
    if (at.opcode == Opcode::Tuple) return at.operands[static_cast<std::size_t>(index)];
    if ((at.opcode == Opcode::OptBarrier || at.opcode == Opcode::AddDependency ||
         at.opcode == Opcode::Domain) &&
        !at.operands.empty())
      op = at.operands[0];
    else
      return {};
  }
}

bool row_major_view(const Computation& computation, const Op& op) {
  const graph::Shape& from = computation.ops[op.operands[0]].shape;
  return from.dtype == op.shape.dtype && graph::is_row_major(from) && graph::is_row_major(op.shape);
}

}  // namespace

Id<Op> storage_of(const Computation& computation, Id<Op> op) {
  while (true) {
    const Op& at = computation.ops[op];
    switch (at.opcode) {
      case Opcode::Reshape:
      case Opcode::OptBarrier:
      case Opcode::AddDependency:
      case Opcode::Domain:
        op = at.operands[0];
        break;
      case Opcode::Bitcast:
        if (!row_major_view(computation, at)) return op;
        op = at.operands[0];
        break;
      case Opcode::GetTupleElement: {
        const Id<Op> element = tuple_element(computation, at.operands[0], at.attributes.index);
        if (!element.valid()) return op;
        op = element;
        break;
      }
      default:
        return op;
    }
  }
}

bool folded(const Computation& computation, Id<Op> op) {
  while (true) {
    const Id<Op> storage = storage_of(computation, op);
    const Op& at = computation.ops[storage];
    if (at.opcode == Opcode::Iota) return true;
    if (at.opcode == Opcode::Constant)
      return !at.shape.is_tuple && at.shape.elements_count() == 1;
    if (at.opcode != Opcode::Broadcast) return false;
    op = at.operands[0];
  }
}

bool is_free(const Computation& computation, const Op& op) {
  if (graph::op_class(op.opcode) == OpClass::Free) return true;
  switch (op.opcode) {
    case Opcode::Constant:
    case Opcode::Iota:
    case Opcode::Call:
      return true;
    case Opcode::Broadcast:
      return folded(computation, op.operands[0]);
    default:
      return false;
  }
}

std::int64_t FusionGroup::blocks() const {
  std::int64_t sum = 0;
  for (const Part& part : parts) sum += part.blocks * part.splits;
  return sum;
}

std::int64_t FusionGroup::shared_bytes() const {
  std::int64_t most = 0;
  for (const Part& part : parts) most = std::max(most, part.shared_bytes);
  return most;
}

CopiedBytes copied_bytes(const Op& op) {
  // Folded values are written by a memset; everything else is read first.
  const bool reads = op.opcode == Opcode::Copy || op.opcode == Opcode::DynamicUpdateSlice || op.opcode == Opcode::Scatter;
  return {reads ? op.shape.byte_size() : 0, op.shape.byte_size()};
}

GroupBoundary boundary(const Computation& computation, const FusionGroup& group) {
  std::vector<Id<Op>> inputs, outputs;
  for (const Part& part : group.parts) {
    std::vector<Id<Op>> inside;
    for (const PlannedOp& planned : part.ops) inside.push_back(planned.op);
    std::ranges::sort(inside);
    for (const PlannedOp& planned : part.ops) {
      if (planned.output) outputs.push_back(planned.op);
      for (const Id<Op> operand : computation.ops[planned.op].operands) {
        if (std::ranges::binary_search(inside, operand) || folded(computation, operand)) continue;
        inputs.push_back(storage_of(computation, operand));
      }
    }
  }
  for (std::vector<Id<Op>>* list : {&inputs, &outputs}) {
    std::ranges::sort(*list);
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
  return {std::move(inputs), std::move(outputs)};
}

}  // namespace seam::planner
