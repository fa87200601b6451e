/// What codegen can lower inside a kernel. The list is the contract with codegen/lower: an op that passes here and fails
/// there is a bug.
#include <fmt/core.h>

#include <algorithm>

#include "facts/small_dot.h"
#include "planner/planner.h"

namespace seam::planner {

using graph::Computation;
using graph::Graph;
using graph::Op;
using graph::OpClass;
using graph::Opcode;

namespace {

bool emitted_type(DType dtype) {
  switch (dtype) {
    case DType::Pred:
    case DType::S8:
    case DType::S16:
    case DType::S32:
    case DType::S64:
    case DType::U8:
    case DType::U16:
    case DType::U32:
    case DType::U64:
    case DType::F16:
    case DType::BF16:
    case DType::F32:
    case DType::F64:
      return true;
    default:
      return false;
  }
}

Result<void> refuse(const Op& op, std::string_view why) {
  return fail(Error::Code::Unsupported, fmt::format("{} ({}): {}", op.name, name(op.opcode), why), op.at);
}

/// A combiner is emitted if it is made of scalar element-wise ops (and the tuple of a variadic one).
bool scalar_computation(const Graph& graph, const Computation& called) {
  return std::ranges::all_of(called.ops, [&](const Op& op) {
    if (op.opcode == Opcode::Tuple || op.opcode == Opcode::Parameter || op.opcode == Opcode::Constant)
      return op.opcode != Opcode::Constant || op.shape.elements_count() == 1;
    return graph::op_class(op.opcode) == OpClass::Elementwise && op.opcode != Opcode::Map &&
           op.shape.elements_count() == 1 && can_emit(graph, called, op).has_value();
  });
}

/// Integers of less than 32 bits have no atomic add, floats have one each.
bool atomic_add(DType dtype) { return emitted_type(dtype) && (is_float(dtype) || bits(dtype) >= 32); }

/// One window is written: an index vector alone, or none at all.
bool one_window(const Computation& computation, const Op& scatter) {
  const graph::Shape& indices = computation.ops[scatter.operands[1]].shape;
  std::int64_t windows = 1;
  for (std::int64_t d = 0; d < indices.rank(); ++d)
    if (d != scatter.attributes.gather.index_vector_dim) windows *= indices.dims[static_cast<std::size_t>(d)];
  return windows <= 1;
}

/// Scatter's combiner: plain add (atomics) or "keep the update" (assignment).
Result<void> scatter_combiner(const Graph& graph, const Computation& computation, const Op& op) {
  const Computation& called = graph.computations[op.attributes.calls[0]];
  const Op& root = called.ops[called.root];
  if (root.opcode == Opcode::Parameter && root.attributes.index == 1) {
    // Threads that assign one element race: which of them wins is nobody's to say. That indices are unique is a promise of the module
    // that no check here could hold against the indices it is run with.
    if (!one_window(computation, op)) return refuse(op, "scatter that assigns at several indices, which may repeat: its threads would race");
    return {};
  }
  const bool adds = root.opcode == Opcode::Add && root.operands[0] != root.operands[1] &&
                    std::ranges::all_of(root.operands, [&](Id<Op> operand) { return called.ops[operand].opcode == Opcode::Parameter; });
  if (!adds) return refuse(op, "scatter whose combiner is neither add nor assignment");
  if (!atomic_add(op.shape.dtype)) return refuse(op, fmt::format("scatter that adds {}: no atomic of that type", name(op.shape.dtype)));
  return {};
}

/// Types that HLO defines the op for, as far as an op has one type: not those of comparisons, conversions and selections.
bool defined_for(Opcode opcode, DType type) {
  switch (opcode) {
    case Opcode::Acos: case Opcode::Acosh: case Opcode::Asin: case Opcode::Asinh: case Opcode::Atan2: case Opcode::Atanh: case Opcode::Cbrt: case Opcode::Ceil: case Opcode::Cosine:
    case Opcode::Cosh: case Opcode::Erf: case Opcode::Exp: case Opcode::Expm1: case Opcode::Floor: case Opcode::Log: case Opcode::Log1p: case Opcode::Logistic:
    case Opcode::RoundNearestAfz: case Opcode::RoundNearestEven: case Opcode::Rsqrt: case Opcode::Sine: case Opcode::Sinh: case Opcode::Sqrt: case Opcode::Tan: case Opcode::Tanh:
      return is_float(type) || is_complex(type);
    case Opcode::And: case Opcode::Or: case Opcode::Xor: case Opcode::Not: return is_integer(type) || type == DType::Pred;
    case Opcode::PopulationCount: case Opcode::CountLeadingZeros: case Opcode::ShiftLeft: case Opcode::ShiftRightArithmetic: case Opcode::ShiftRightLogical:
      return is_integer(type) && type != DType::Pred;
    case Opcode::Abs: case Opcode::Negate: case Opcode::Sign: case Opcode::Divide: case Opcode::Remainder: case Opcode::Subtract: case Opcode::Power: return type != DType::Pred;
    default: return true;
  }
}

Result<void> types(const Computation& computation, const Op& op) {
  if (!op.shape.is_tuple && !defined_for(op.opcode, op.shape.dtype)) return refuse(op, fmt::format("it is not defined for {}", name(op.shape.dtype)));
  const auto check = [&](const graph::Shape& shape) {
    return shape.dynamic.empty() && !shape.is_buffer && emitted_type(shape.dtype);
  };
  if (op.shape.is_tuple) {
    if (op.opcode != Opcode::Reduce) return refuse(op, "it yields a tuple");
    for (const graph::Shape& element : op.shape.elements)
      if (!check(element)) return refuse(op, fmt::format("no kernels for {}", print(element)));
  } else if (!check(op.shape)) {
    return refuse(op, fmt::format("no kernels for {}", print(op.shape)));
  }
  for (const Id<Op> operand : op.operands) {
    const graph::Shape& shape = computation.ops[operand].shape;
    if (op.opcode == Opcode::GetTupleElement) continue;
    if (shape.is_tuple || !check(shape)) return refuse(op, fmt::format("no kernels for {}", print(shape)));
    if (shape.elements_count() == 0) return refuse(op, "it reads a value without elements");
  }
  return {};
}

}  // namespace

Result<void> can_emit(const Graph& graph, const Computation& computation, const Op& op) {
  if (const Result<void> typed = types(computation, op); !typed) return typed;
  if (op.shape.elements_count() == 0) return refuse(op, "it has no elements");
  switch (op.opcode) {
    case Opcode::Map:
      if (!scalar_computation(graph, graph.computations[op.attributes.calls[0]])) return refuse(op, "a computation that is not made of scalar element-wise ops");
      return {};
    case Opcode::Complex:
    case Opcode::Real:
    case Opcode::Imag:
    case Opcode::StochasticConvert:
      return refuse(op, "no lowering for this op");
    case Opcode::MulHi:
      if (!is_integer(op.shape.dtype) || bits(op.shape.dtype) < 32) return refuse(op, "the upper half of a product of less than 32 bits");
      return {};
    case Opcode::BitcastConvert:
      if (bits(op.shape.dtype) != bits(computation.ops[op.operands[0]].shape.dtype))
        return refuse(op, "it changes the width of elements");
      return {};
    case Opcode::Bitcast:
      if (!graph::is_row_major(op.shape) || !graph::is_row_major(computation.ops[op.operands[0]].shape) ||
          op.shape.dtype != computation.ops[op.operands[0]].shape.dtype)
        return refuse(op, "it relabels a layout");
      return {};
    case Opcode::Reshape:
    case Opcode::Broadcast:
    case Opcode::Iota:
    case Opcode::Constant:
    case Opcode::Slice:
    case Opcode::Pad:
    case Opcode::Concatenate:
    case Opcode::Transpose:
    case Opcode::Reverse:
    case Opcode::Copy:
    case Opcode::DynamicSlice:
    case Opcode::DynamicUpdateSlice:
    case Opcode::Gather:
      return {};
    case Opcode::OptBarrier:
      return op.shape.is_tuple ? refuse(op, "it yields a tuple") : Result<void>{};
    case Opcode::GetTupleElement: {
      const Op& from = computation.ops[op.operands[0]];
      if (from.opcode != Opcode::Reduce) return refuse(op, "an element of a tuple that no kernel computes");
      return can_emit(graph, computation, from);
    }
    case Opcode::Scatter:
      if (op.operands.size() != 3) return refuse(op, "scatter of several operands");
      return scatter_combiner(graph, computation, op);
    case Opcode::Reduce:
      if (!scalar_computation(graph, graph.computations[op.attributes.calls[0]]))
        return refuse(op, "a combiner that is not made of scalar element-wise ops");
      return {};
    case Opcode::Dot:
      if (!is_small_dot(computation, op)) return refuse(op, "a contraction for the library");
      return {};
    default:
      break;
  }
  if (graph::op_class(op.opcode) != OpClass::Elementwise) return refuse(op, "no lowering for this op");
  return {};
}

}  // namespace seam::planner
