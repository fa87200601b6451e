#include "lower/access.h"

#include <algorithm>

#include "base/check.h"

namespace seam::codegen {
namespace {

using graph::Computation;
using graph::Op;
using graph::Opcode;

const graph::Shape& shape_of(const Computation& computation, Id<Op> op) { return computation.ops[op].shape; }

Expr broadcast_index(const IndexMath& math, const graph::Shape& from, const Op& op, const Expr& index) {
  const std::vector<Expr> at = math.coordinates(index, op.shape.dims);
  std::vector<Expr> operand;
  for (std::size_t i = 0; i < from.dims.size(); ++i) {
    operand.push_back(from.dims[i] == 1 ? math.imm(0) : at.at(static_cast<std::size_t>(op.attributes.dimensions.at(i))));
  }
  return math.linear(operand, from.dims);
}

/// Where element `index` of a pad or concatenate would be in its operand, guards aside.
Expr padded_index(const IndexMath& math, const graph::Shape& from, const Op& op, const Expr& index) {
  const std::vector<Expr> at = math.coordinates(index, op.shape.dims);
  std::vector<Expr> operand;
  for (std::size_t i = 0; i < at.size(); ++i) {
    const graph::PadDim& pad = op.attributes.padding.at(i);
    const Expr shifted = math.add(at[i], -pad.low);
    operand.push_back(pad.interior == 0 ? shifted : Expr(Bin{BinOp::Div, shifted, math.imm(pad.interior + 1)}));
  }
  return math.linear(operand, from.dims);
}

}  // namespace

bool moves_elements(Opcode opcode) {
  switch (opcode) {
    case Opcode::Reshape:
    case Opcode::Bitcast:
    case Opcode::Copy:
    case Opcode::OptBarrier:
    case Opcode::AddDependency:
    case Opcode::Domain:
    case Opcode::Broadcast:
    case Opcode::Transpose:
    case Opcode::Reverse:
    case Opcode::Slice: return true;
    default: return false;
  }
}

Expr moved(const IndexMath& math, const Computation& computation, const Op& op, const Expr& index) {
  const graph::Shape& from = shape_of(computation, op.operands.at(0));
  switch (op.opcode) {
    case Opcode::Broadcast: return broadcast_index(math, from, op, index);
    case Opcode::Transpose: {
      const std::vector<Expr> at = math.coordinates(index, op.shape.dims);
      std::vector<Expr> operand(at.size(), math.imm(0));
      for (std::size_t i = 0; i < at.size(); ++i) operand.at(static_cast<std::size_t>(op.attributes.dimensions.at(i))) = at[i];
      return math.linear(operand, from.dims);
    }
    case Opcode::Reverse: {
      std::vector<Expr> at = math.coordinates(index, op.shape.dims);
      for (const std::int64_t d : op.attributes.dimensions) {
        Expr& x = at.at(static_cast<std::size_t>(d));
        x = math.sub(math.imm(op.shape.dims.at(static_cast<std::size_t>(d)) - 1), x);
      }
      return math.linear(at, from.dims);
    }
    case Opcode::Slice: {
      std::vector<Expr> at = math.coordinates(index, op.shape.dims);
      for (std::size_t i = 0; i < at.size(); ++i) {
        const std::int64_t stride = op.attributes.strides.empty() ? 1 : op.attributes.strides.at(i);
        at[i] = math.add(math.mul(at[i], stride), op.attributes.starts.at(i));
      }
      return math.linear(at, from.dims);
    }
    default: return index;
  }
}

std::vector<Read> reads_of(const IndexMath& math, const Computation& computation, Id<Op> id, const Expr& index) {
  const Op& op = computation.ops[id];
  std::vector<Read> reads;
  const auto read = [&](Id<Op> operand, std::optional<Expr> at) {
    if (at && shape_of(computation, operand).elements_count() == 1 && !shape_of(computation, operand).is_tuple) at = math.imm(0);
    reads.push_back(Read{operand, 0, std::move(at)});
  };
  if (moves_elements(op.opcode)) {
    read(op.operands.at(0), moved(math, computation, op, index));
    return reads;
  }
  switch (op.opcode) {
    case Opcode::Concatenate: {
      const auto dim = static_cast<std::size_t>(op.attributes.dimensions.at(0));
      std::int64_t start = 0;
      for (const Id<Op> operand : op.operands) {
        std::vector<Expr> at = math.coordinates(index, op.shape.dims);
        at.at(dim) = math.add(at.at(dim), -start);
        read(operand, math.linear(at, shape_of(computation, operand).dims));
        start += shape_of(computation, operand).dims.at(dim);
      }
      return reads;
    }
    case Opcode::Pad:
      read(op.operands.at(0), padded_index(math, shape_of(computation, op.operands[0]), op, index));
      read(op.operands.at(1), math.imm(0));
      return reads;
    case Opcode::GetTupleElement: {
      const Op& producer = computation.ops[op.operands.at(0)];
      if (producer.opcode == Opcode::Reduce) {
        reads.push_back(Read{op.operands[0], op.attributes.index, index});
      } else if (producer.opcode == Opcode::Tuple) {
        read(producer.operands.at(static_cast<std::size_t>(op.attributes.index)), index);
      }
      return reads;
    }
    case Opcode::Reduce:
    case Opcode::Dot:
    case Opcode::DynamicSlice:
    case Opcode::DynamicUpdateSlice:
    case Opcode::Gather:
    case Opcode::Scatter:
      for (const Id<Op> operand : op.operands) read(operand, std::nullopt);
      return reads;
    default:
      // Elementwise: the same element of each operand (scalars aside).
      for (const Id<Op> operand : op.operands) read(operand, index);
      return reads;
  }
}

ReduceDims reduce_dims(const Computation& computation, const Op& reduce) {
  SEAM_CHECK(reduce.opcode == Opcode::Reduce, "not a reduce");
  ReduceDims out;
  out.operand = shape_of(computation, reduce.operands.at(0)).dims;
  for (std::size_t i = 0; i < out.operand.size(); ++i) {
    const bool is_reduced = std::ranges::find(reduce.attributes.dimensions, static_cast<std::int64_t>(i)) != reduce.attributes.dimensions.end();
    (is_reduced ? out.reduced : out.kept).push_back(out.operand[i]);
    (is_reduced ? out.reduced_at : out.kept_at).push_back(i);
    (is_reduced ? out.elements : out.outputs) *= out.operand[i];
    if (out.operand[i] != 1) out.minor_reduced = is_reduced;
  }
  if (out.outputs == 1) out.minor_reduced = true;
  return out;
}

Expr reduce_operand_index(const IndexMath& math, const ReduceDims& dims, const Expr& output, const Expr& k) {
  const std::vector<Expr> kept = math.coordinates(output, dims.kept);
  const std::vector<Expr> reduced = math.coordinates(k, dims.reduced);
  std::vector<Expr> at(dims.operand.size(), math.imm(0));
  for (std::size_t i = 0; i < kept.size(); ++i) at[dims.kept_at[i]] = kept[i];
  for (std::size_t i = 0; i < reduced.size(); ++i) at[dims.reduced_at[i]] = reduced[i];
  return math.linear(at, dims.operand);
}

}  // namespace seam::codegen
