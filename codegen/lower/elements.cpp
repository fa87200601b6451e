#include "lower/elements.h"

#include <fmt/core.h>

#include "base/check.h"
#include "planner/plan.h"

namespace seam::codegen {
namespace {

using graph::Op;
using graph::Opcode;

/// A kernel with more statements than this is no kernel anybody wants; recomputation has run away.
constexpr std::int64_t kMaxStatements = 60'000;
constexpr int kMaxDepth = 3'000;

}  // namespace

Expr Ownership::local(const IndexMath& math, const Expr& linear) const {
  if (rows == 1) return math.sub(linear, first);
  const Expr row = math.div(linear, columns);
  const Expr column = math.sub(math.mod(linear, columns), first);
  return math.add(math.mul(row, width), column);
}

Expr Ownership::global(const IndexMath& math, const Expr& local) const {
  if (rows == 1) return math.add(first, local);
  const Expr row = math.div(local, width);
  return math.add(math.mul(row, columns), math.add(first, math.mod(local, width)));
}

Result<Expr> Elements::load(Id<Op> id, const Expr& index) {
  const Op& op = computation_->ops[id];
  const auto found = inputs_.find(id);
  if (found == inputs_.end()) return unsupported(op, "the group reads it, but it is no input of the group");
  if (auto ok = check_type(op, op.shape.dtype); !ok) return tl::unexpected(std::move(ok).error());
  return builder_->let(hint(op), Load{found->second, op.shape.dtype, index});
}

Result<Expr> Elements::value(Id<Op> id, const Expr& at, std::int64_t component) {
  const Op& op = computation_->ops[id];
  const IndexMath& math = builder_->index();
  const bool one = !op.shape.is_tuple && op.shape.elements_count() == 1;
  const Expr index = one ? math.imm(0) : at;
  const ValueKey key{id, component, index};
  if (const std::optional<Expr> known = builder_->known(key)) return *known;
  if (builder_->statements() > kMaxStatements) return unsupported(op, "recomputing it makes the kernel too long");
  if (depth_ >= kMaxDepth) return unsupported(op, "the chain of inline ops is too long");

  std::optional<Expr> out;
  if (const auto kept = kept_.find({id, component}); kept != kept_.end()) {
    loads_.insert(kept->second.buffer);
    const DType dtype = op.shape.is_tuple ? op.shape.elements.at(static_cast<std::size_t>(component)).dtype : op.shape.dtype;
    out = builder_->let(hint(op), Load{kept->second.buffer, dtype, kept->second.owned.local(math, index)});
  } else if (const Id<Op> storage = planner::storage_of(*computation_, id); !in_part(id) && storage != id) {
    if (computation_->ops[storage].shape.dtype != op.shape.dtype) return unsupported(op, "its buffer holds another element type");
    SEAM_TRY(out, value(storage, index));
  } else if (!in_part(id) && !planner::folded(*computation_, id)) {
    SEAM_TRY(out, load(id, index));
  } else {
    ++depth_;
    Result<Expr> computed = compute(op, id, index, component);
    --depth_;
    SEAM_TRY(Expr e, std::move(computed));
    out = builder_->let(hint(op), e);
  }
  builder_->remember(key, *out);
  return *out;
}

Result<Expr> Elements::compute(const Op& op, Id<Op> id, const Expr& index, std::int64_t component) {
  const IndexMath& math = builder_->index();
  if (moves_elements(op.opcode)) {
    if (op.opcode == Opcode::Bitcast && shape(op.operands[0]).dtype != op.shape.dtype) return unsupported(op, "a bitcast to another element type");
    return value(op.operands[0], moved(math, *computation_, op, index));
  }
  switch (op.opcode) {
    case Opcode::Constant: {
      std::int64_t at = 0;
      if (op.shape.elements_count() != 1 && !is_int(index, at)) return unsupported(op, "a constant of many elements that is no input");
      return literal_element(op, at);
    }
    case Opcode::Iota: {
      if (auto ok = check_type(op, op.shape.dtype); !ok) return tl::unexpected(std::move(ok).error());
      const std::vector<Expr> at = math.coordinates(index, op.shape.dims);
      const Expr& coordinate = at.at(static_cast<std::size_t>(op.attributes.dimensions.at(0)));
      if (op.shape.dtype == math.type()) return coordinate;
      return Expr(Scalar{Opcode::Convert, op.shape.dtype, {coordinate}});
    }
    case Opcode::GetTupleElement: {
      const Op& producer = computation_->ops[op.operands.at(0)];
      if (producer.opcode == Opcode::Reduce) return value(op.operands[0], index, op.attributes.index);
      if (producer.opcode == Opcode::Tuple) return value(producer.operands.at(static_cast<std::size_t>(op.attributes.index)), index);
      if (const Id<Op> storage = planner::storage_of(*computation_, id); storage != id) return value(storage, index);
      return unsupported(op, "an element of a tuple that another kernel makes");
    }
    case Opcode::Concatenate: return concatenate(op, index);
    case Opcode::Pad: return pad(op, index);
    case Opcode::DynamicSlice: return dynamic_slice(op, index);
    case Opcode::DynamicUpdateSlice: return dynamic_update_slice(op, index);
    case Opcode::Gather: return gather(op, index);
    case Opcode::Reduce: return reduce(op, id, index, component);
    case Opcode::Dot: return dot(op, index);
    default: break;
  }
  if (graph::op_class(op.opcode) != graph::OpClass::Elementwise) return unsupported(op, "no lowering");
  return elementwise(op, index);
}

Result<Expr> Elements::elementwise(const Op& op, const Expr& index) {
  std::vector<Expr> args;
  for (const Id<Op> operand : op.operands) {
    SEAM_TRY(Expr arg, value(operand, index));
    args.push_back(std::move(arg));
  }
  if (op.opcode == Opcode::Map) {
    SEAM_TRY(std::vector<Expr> out, scalar_computation(*graph_, op.attributes.calls.at(0), args, *builder_));
    return out.at(0);
  }
  return scalar_op(op, std::move(args));
}

}  // namespace seam::codegen
