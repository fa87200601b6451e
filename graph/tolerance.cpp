#include "graph/tolerance.h"

#include <algorithm>
#include <cmath>

#include "evaluate/kernel.h"

namespace seam::graph {
namespace {

/// Bits of precision, the implied one included.
int precision_bits(DType dtype) {
  switch (dtype) {
    case DType::F64:
    case DType::C128: return 53;
    case DType::F32:
    case DType::C64: return 24;
    case DType::F16: return 11;
    case DType::BF16: return 8;
    case DType::F8E3M4: return 5;
    case DType::F8E4M3:
    case DType::F8E4M3FN:
    case DType::F8E4M3B11FNUZ:
    case DType::F8E4M3FNUZ:
    case DType::F6E2M3FN: return 4;
    case DType::F8E5M2:
    case DType::F8E5M2FNUZ:
    case DType::F6E3M2FN: return 3;
    case DType::F4E2M1FN: return 2;
    case DType::F8E8M0FNU: return 1;
    default: return 0;
  }
}

Precision worse(const Precision& a, const Precision& b) {
  return {unit_roundoff(a.dtype) >= unit_roundoff(b.dtype) ? a.dtype : b.dtype,
          std::max(a.reduction_length, b.reduction_length)};
}

/// A value's precision; of a tuple, that of each element.
struct Tracked {
  Precision all;
  std::vector<Tracked> elements;
};

Precision overall(const Tracked& tracked) {
  Precision result = tracked.all;
  for (const Tracked& element : tracked.elements) result = worse(result, overall(element));
  return result;
}

void worsen(Tracked& tracked, const Precision& by) {
  tracked.all = worse(tracked.all, by);
  for (Tracked& element : tracked.elements) worsen(element, by);
}

Tracked merged(const Tracked& a, const Tracked& b) {
  if (a.elements.size() != b.elements.size()) return {worse(overall(a), overall(b)), {}};
  Tracked result{worse(a.all, b.all), {}};
  for (std::size_t i = 0; i < a.elements.size(); ++i) result.elements.push_back(merged(a.elements[i], b.elements[i]));
  return result;
}

bool same(const Tracked& a, const Tracked& b) {
  return a.all.dtype == b.all.dtype && a.all.reduction_length == b.all.reduction_length &&
         std::equal(a.elements.begin(), a.elements.end(), b.elements.begin(), b.elements.end(), same);
}

class Tracker {
 public:
  explicit Tracker(const Graph& graph) : graph_(graph) {}

  Tracked root(const Computation& computation, const std::vector<Tracked>& arguments) const {
    IdVector<Op, Tracked> values(computation.ops.size());
    for (std::size_t i = 0; i < computation.ops.size(); ++i) {
      values[Id<Op>(i)] = one(computation, computation.ops[Id<Op>(i)], values, arguments);
    }
    return values[computation.root];
  }

 private:
  Tracked one(const Computation& computation, const Op& op, const IdVector<Op, Tracked>& values,
              const std::vector<Tracked>& arguments) const {
    std::vector<Tracked> operands;
    for (const Id<Op> operand : op.operands) operands.push_back(values[operand]);
    switch (op.opcode) {
      case Opcode::Parameter: {
        const auto number = static_cast<std::size_t>(op.attributes.index);
        return number < arguments.size() ? arguments[number] : fresh(op.shape);
      }
      case Opcode::Tuple: return {{}, std::move(operands)};
      case Opcode::GetTupleElement: {
        const auto index = static_cast<std::size_t>(op.attributes.index);
        return index < operands[0].elements.size() ? operands[0].elements[index] : Tracked{overall(operands[0]), {}};
      }
      case Opcode::OptBarrier:
      case Opcode::Copy: return operands[0];
      case Opcode::Call:
      case Opcode::Fusion: return root(graph_.computations[op.attributes.calls[0]], operands);
      case Opcode::While: return loop(op, std::move(operands[0]));
      case Opcode::Conditional: return branches(op, operands);
      default: break;
    }
    Tracked result{{op.shape.is_tuple ? DType::F64 : rounding_type(op.shape.dtype), reduction_length(computation, op)}, {}};
    for (const Tracked& operand : operands) result.all = worse(result.all, overall(operand));
    if (!op.shape.is_tuple) return result;
    Tracked tuple = fresh(op.shape);
    worsen(tuple, result.all);
    return tuple;
  }

  static DType rounding_type(DType dtype) { return unit_roundoff(dtype) > 0 ? dtype : DType::F64; }

  static Tracked fresh(const Shape& shape) {
    if (!shape.is_tuple) return {{rounding_type(shape.dtype), 1}, {}};
    Tracked tuple;
    for (const Shape& element : shape.elements) tuple.elements.push_back(fresh(element));
    return tuple;
  }

  /// To a fixed point: what one trip spoils the next one reads.
  Tracked loop(const Op& op, Tracked state) const {
    const Computation& body = graph_.computations[op.attributes.calls[1]];
    for (int round = 0; round < 64; ++round) {
      Tracked next = merged(state, root(body, {state}));
      if (same(next, state)) return state;
      state = std::move(next);
    }
    worsen(state, overall(state));
    return state;
  }

  Tracked branches(const Op& op, const std::vector<Tracked>& operands) const {
    Tracked result;
    for (std::size_t i = 0; i < op.attributes.calls.size() && i + 1 < operands.size(); ++i) {
      const Tracked branch = root(graph_.computations[op.attributes.calls[i]], {operands[i + 1]});
      result = i == 0 ? branch : merged(result, branch);
    }
    return result;
  }

  const Graph& graph_;
};

}  // namespace

double unit_roundoff(DType dtype) {
  const int precision = precision_bits(dtype);
  return precision == 0 ? 0 : std::ldexp(1.0, -precision);
}

Tolerance tolerance(DType dtype, std::int64_t reduction_length) {
  const double u = unit_roundoff(dtype);
  if (u == 0) return {};
  const double sums_in = std::min(u, unit_roundoff(DType::F32));
  return {8 * u + 8 * sums_in * std::sqrt(static_cast<double>(std::max<std::int64_t>(reduction_length, 1))), 8 * u};
}

std::int64_t reduction_length(const Computation& computation, const Op& op) {
  const auto product = [&](std::size_t operand, const std::vector<std::int64_t>& dims) {
    std::int64_t length = 1;
    const Shape& shape = computation.ops[op.operands[operand]].shape;
    for (const std::int64_t dim : dims) length *= std::max<std::int64_t>(shape.dims[static_cast<std::size_t>(dim)], 1);
    return length;
  };
  switch (op.opcode) {
    case Opcode::Reduce: return product(0, op.attributes.dimensions);
    case Opcode::Dot: return product(0, op.attributes.dot.lhs_contract);
    case Opcode::CustomCall: {
      if (op.operands.empty()) return 1;
      std::vector<std::int64_t> dims = library_contraction(op);
      const std::int64_t rank = computation.ops[op.operands[0]].shape.rank();
      std::erase_if(dims, [&](std::int64_t dim) { return dim >= rank; });
      return product(0, dims);
    }
    case Opcode::Convolution: {
      const Shape& kernel = computation.ops[op.operands[1]].shape;
      const auto outputs = kernel.dims[static_cast<std::size_t>(op.attributes.conv.rhs_output)];
      return outputs > 0 ? std::max<std::int64_t>(kernel.elements_count() / outputs, 1) : 1;
    }
    case Opcode::ReduceWindow: {
      std::int64_t length = 1;
      for (const WindowDim& dim : op.attributes.window) length *= std::max<std::int64_t>(dim.size, 1);
      return length;
    }
    // All updates may fall on one element.
    case Opcode::Scatter: return std::max<std::int64_t>(computation.ops[op.operands[op.operands.size() / 2]].shape.elements_count(), 1);
    default: return 1;
  }
}

std::vector<Precision> output_precisions(const Graph& graph) {
  const Tracked root = Tracker(graph).root(graph.entry_computation(), {});
  std::vector<Precision> result;
  for (const Tracked& element : root.elements) result.push_back(overall(element));
  if (result.empty()) result.push_back(overall(root));
  return result;
}

}  // namespace seam::graph
