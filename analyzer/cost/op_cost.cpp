#include "analyzer/op_cost.h"

#include <algorithm>

#include "graph/matmul.h"
#include "graph/transform.h"

namespace seam::analyzer {

using graph::Computation;
using graph::Op;
using graph::OpClass;
using graph::Opcode;

std::string_view name(Class c) {
  switch (c) {
    case Class::Contraction: return "contraction";
    case Class::Normalization: return "statistical normalization";
    case Class::Elementwise: return "element-wise";
    case Class::Layout: return "layout";
    case Class::Communication: return "communication";
    case Class::Copy: return "copy";
    case Class::Other: break;
  }
  return "other";
}

double OpCost::intensity() const {
  const auto bytes = static_cast<double>(bytes_in + bytes_out);
  return bytes > 0 ? flops / bytes : 0;
}

Class class_of(const Op& op) {
  switch (graph::op_class(op.opcode)) {
    case OpClass::Contraction: return Class::Contraction;
    case OpClass::Communication: return Class::Communication;
    case OpClass::Elementwise:
    case OpClass::Broadcast:
    case OpClass::Reduce:
    case OpClass::Generator: return Class::Elementwise;
    case OpClass::Layout: return op.opcode == Opcode::Copy || op.opcode == Opcode::CopyStart || op.opcode == Opcode::CopyDone ? Class::Copy : Class::Layout;
    case OpClass::Scatter: return Class::Layout;
    case OpClass::Library:
      // Library matrix products of optimized modules.
      if (op.opcode == Opcode::CustomCall &&
          (op.attributes.custom_call_target.starts_with("__cublas") || op.attributes.custom_call_target.starts_with("__cudnn")))
        return Class::Contraction;
      return Class::Other;
    case OpClass::Control:
    case OpClass::Free: break;
  }
  return Class::Other;
}

namespace {

/// Broadcasts and reshapes of one element or an iota: folded into readers.
bool folded_value(const Computation& computation, const Op& op) {
  const Op* at = &op;
  while (true) {
    switch (at->opcode) {
      case Opcode::Constant:
        return !at->shape.is_tuple && at->shape.elements_count() == 1;
      case Opcode::Iota:
        return true;
      case Opcode::Broadcast:
      case Opcode::Reshape:
      case Opcode::Bitcast:
        at = &computation.ops[at->operands[0]];
        break;
      default:
        return false;
    }
  }
}

std::int64_t count(const graph::Shape& shape) {
  if (!shape.is_tuple) return shape.dtype == DType::Token ? 0 : shape.elements_count();
  std::int64_t sum = 0;
  for (const graph::Shape& element : shape.elements) sum += count(element);
  return sum;
}

double contraction_flops(const Computation& computation, const Op& op) {
  const auto out = static_cast<double>(count(op.shape));
  const auto extent = [&](const std::vector<std::int64_t>& contracted) {
    const graph::Shape& lhs = computation.ops[op.operands[0]].shape;
    double product = 1;
    for (const std::int64_t dim : contracted) product *= static_cast<double>(lhs.dims[static_cast<std::size_t>(dim)]);
    return product;
  };
  if (op.opcode == Opcode::Dot) return 2 * out * extent(op.attributes.dot.lhs_contract);
  if (op.opcode == Opcode::Convolution) {
    // Each output sums over the kernel's window and input features.
    const graph::Shape& kernel = computation.ops[op.operands[1]].shape;
    const auto features = static_cast<double>(kernel.dims[static_cast<std::size_t>(op.attributes.conv.rhs_output)]);
    return 2 * out * static_cast<double>(count(kernel)) / std::max(1.0, features);
  }
  if (graph::is_matmul(op) && op.operands.size() >= 2) {
    const auto matmul = graph::matmul_of(op, computation.ops[op.operands[0]].shape.rank(), computation.ops[op.operands[1]].shape.rank());
    if (!matmul) return 0;
    // The scratch memory in the result is no result.
    return 2 * extent(matmul->dims.lhs_contract) * (op.shape.is_tuple && !op.shape.elements.empty() ? static_cast<double>(count(op.shape.elements[0])) : out);
  }
  return 0;
}

}  // namespace

std::int64_t scratch_bytes(const Op& op) {
  if (op.opcode != Opcode::CustomCall || !op.attributes.custom_call_target.starts_with("__cu") || !op.shape.is_tuple || op.shape.elements.size() < 2) return 0;
  const graph::Shape& last = op.shape.elements.back();
  return !last.is_tuple && last.rank() == 1 && (last.dtype == DType::S8 || last.dtype == DType::U8) ? last.byte_size() : 0;
}

bool moves_nothing(const Computation& computation, const Op& op) {
  if (graph::op_class(op.opcode) == OpClass::Free || op.opcode == Opcode::Constant || op.opcode == Opcode::Iota) return true;
  return op.opcode == Opcode::Broadcast && folded_value(computation, op);
}

OpCost cost_of(const Computation& computation, const Op& op) {
  OpCost cost;
  const OpClass op_class = graph::op_class(op.opcode);
  if (moves_nothing(computation, op) || op_class == OpClass::Control) return cost;
  const auto read = [&](const graph::Shape& shape, std::int64_t elements) {
    cost.words_in += elements;
    cost.bytes_in += shape.is_tuple ? shape.byte_size() : elements * bytes(shape.dtype);
  };
  const bool takes_part = op.opcode == Opcode::Slice || op.opcode == Opcode::DynamicSlice || op.opcode == Opcode::Gather;
  const bool updates = op_class == OpClass::Scatter;
  for (std::size_t i = 0; i < op.operands.size(); ++i) {
    const Op& operand = computation.ops[op.operands[i]];
    if (folded_value(computation, operand) || (updates && i == 0)) continue;
    // The same value twice is read once.
    if (std::ranges::count(op.operands.begin(), op.operands.begin() + static_cast<std::ptrdiff_t>(i), op.operands[i]) > 0) continue;
    read(operand.shape, takes_part && i == 0 ? std::min(count(op.shape), count(operand.shape)) : count(operand.shape));
  }
  if (updates) {
    const Op& update = computation.ops[op.operands[op.opcode == Opcode::Scatter ? op.operands.size() - 1 : 1]];
    cost.words_out = count(update.shape);
    cost.bytes_out = cost.words_out * bytes(op.shape.is_tuple ? update.shape.dtype : op.shape.dtype);
  } else {
    const std::int64_t scratch = scratch_bytes(op);
    cost.words_out = count(op.shape) - scratch;  // of bytes
    cost.bytes_out = op.shape.byte_size() - scratch;
  }
  if (op_class == OpClass::Contraction || graph::is_matmul(op)) {
    cost.flops = contraction_flops(computation, op);
  } else if (op.opcode == Opcode::Reduce) {
    cost.flops = static_cast<double>(count(computation.ops[op.operands[0]].shape)) * graph::flops_per_element(op.opcode);
  } else if (op.shape.is_tuple || is_float(op.shape.dtype) || is_complex(op.shape.dtype)) {
    cost.flops = static_cast<double>(count(op.shape)) * graph::flops_per_element(op.opcode);
  }
  return cost;
}

namespace {

void visit(const graph::Graph& graph, Id<Computation> id, std::int64_t times, std::vector<std::int64_t>& runs) {
  std::int64_t& have = runs[id.index()];
  have = have < 0 ? times : have == 0 || times == 0 ? 0 : have + times;
  const Computation& computation = graph.computations[id];
  for (const Op& op : computation.ops) {
    if (op.opcode == Opcode::While && op.attributes.calls.size() == 2) {
      const std::optional<std::int64_t> trips = graph::trip_count(graph, computation, op);
      visit(graph, op.attributes.calls[1], trips ? times * *trips : 0, runs);
    } else if (op.opcode == Opcode::Conditional || op.opcode == Opcode::Call) {
      for (const Id<Computation> callee : op.attributes.calls) visit(graph, callee, times, runs);
    }
  }
}

}  // namespace

std::vector<std::int64_t> runs_of(const graph::Graph& graph) {
  std::vector<std::int64_t> runs(graph.computations.size(), -1);
  visit(graph, graph.entry, 1, runs);
  return runs;
}

}  // namespace seam::analyzer
