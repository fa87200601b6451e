#include "prepare/simplify.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string>

#include "graph/transform.h"
#include "planner/plan.h"

namespace seam::planner {

using graph::Computation;
using graph::Graph;
using graph::Op;
using graph::Opcode;

namespace {

std::vector<std::int64_t> big_dims(const std::vector<std::int64_t>& dims) {
  std::vector<std::int64_t> out;
  for (const std::int64_t d : dims)
    if (d != 1) out.push_back(d);
  return out;
}

/// One computation, op by op in order: operands are already rewritten.
class Simplifier {
 public:
  Simplifier(const Graph& graph, const Computation& from) : graph_(graph), from_(from), users_(from.users()), now_(from.ops.size()) {}

  Computation run() {
    out_.name = from_.name;
    out_.execution_thread = from_.execution_thread;
    for (std::size_t i = 0; i < from_.ops.size(); ++i) {
      const Id<Op> id(i);
      Op op = from_.ops[id];
      for (Id<Op>& operand : op.operands) operand = now_[operand];
      for (Id<Op>& before : op.attributes.control_predecessors) before = now_[before];
      const bool pinned = id == from_.root || !op.attributes.control_predecessors.empty();
      if (const Id<Op> same = standing_for(op); same.valid() && (!pinned || id == from_.root)) {
        now_[id] = same;
        continue;
      }
      rewrite(op, from_.ops[id]);
      now_[id] = out_.ops.push_back(std::move(op));
      if (read_as_tuple(id)) now_[id] = spelled_out(now_[id]);
    }
    out_.root = now_[from_.root];
    for (const Id<Op> parameter : from_.parameters) out_.parameters.push_back(now_[parameter]);
    return std::move(out_);
  }

 private:
  [[nodiscard]] const Op& at(Id<Op> id) const { return out_.ops[id]; }

  /// The op whose value this one repeats, if any.
  [[nodiscard]] Id<Op> standing_for(const Op& op) const {
    switch (op.opcode) {
      case Opcode::GetTupleElement: {
        const Op& tuple = at(op.operands[0]);
        return tuple.opcode == Opcode::Tuple ? tuple.operands[static_cast<std::size_t>(op.attributes.index)] : Id<Op>{};
      }
      case Opcode::Broadcast:
      case Opcode::Reshape:
      case Opcode::Convert:
      case Opcode::Copy:
      case Opcode::Transpose: {
        const Op& operand = at(op.operands[0]);
        if (op.shape.is_tuple || !graph::same_type(op.shape, operand.shape) || !op.shape.dynamic.empty()) return {};
        if (op.opcode == Opcode::Transpose && big_dims(op.shape.dims).size() > 1 && !ordered(op.attributes.dimensions)) return {};
        if (op.opcode == Opcode::Broadcast && !ordered(op.attributes.dimensions)) return {};
        // A copy is asked for by name: it stands where aliasing would be wrong.
        if (op.opcode == Opcode::Copy) return {};
        return op.operands[0];
      }
      default:
        return {};
    }
  }

  /// A variadic reduce whose tuple is returned or handed on whole.
  [[nodiscard]] bool read_as_tuple(Id<Op> id) const {
    const Op& op = from_.ops[id];
    if (op.opcode != Opcode::Reduce || !op.shape.is_tuple) return false;
    return id == from_.root || std::ranges::any_of(users_[id], [&](Id<Op> user) { return from_.ops[user].opcode != Opcode::GetTupleElement; });
  }

  /// A kernel writes buffers, not tuples: the elements of `tuple`, and a tuple of them.
  Id<Op> spelled_out(Id<Op> tuple) {
    const Op whole = at(tuple);
    Op again;
    again.name = free_name(fmt::format("{}.tuple", whole.name));
    again.opcode = Opcode::Tuple;
    again.opcode_text = std::string(graph::name(Opcode::Tuple));
    again.shape = whole.shape;
    again.metadata = whole.metadata;
    again.at = whole.at;
    for (std::size_t i = 0; i < whole.shape.elements.size(); ++i) {
      Op element;
      element.name = free_name(fmt::format("{}.{}", whole.name, i));
      element.opcode = Opcode::GetTupleElement;
      element.opcode_text = std::string(graph::name(Opcode::GetTupleElement));
      element.operands = {tuple};
      element.attributes.index = static_cast<std::int64_t>(i);
      element.shape = whole.shape.elements[i];
      element.metadata = whole.metadata;
      element.at = whole.at;
      again.operands.push_back(out_.ops.push_back(std::move(element)));
    }
    return out_.ops.push_back(std::move(again));
  }

  /// Few modules need one, so names are collected on the first.
  std::string free_name(const std::string& wanted) {
    if (names_.empty())
      for (const Op& op : from_.ops) names_.insert(op.name);
    return graph::free_name(names_, wanted);
  }

  static bool ordered(const std::vector<std::int64_t>& dimensions) {
    return std::ranges::is_sorted(dimensions);
  }

  /// An element of a tuple behind a barrier is the element behind a barrier of its own: still a barrier to merging duplicates, and no tuple.
  void own_barrier(Op& op) const {
    const Op& barrier = at(op.operands[0]);
    if (barrier.opcode != Opcode::OptBarrier || barrier.operands.size() != 1) return;
    const Op& tuple = at(barrier.operands[0]);
    if (tuple.opcode != Opcode::Tuple) return;
    op.opcode = Opcode::OptBarrier;
    op.opcode_text = std::string(graph::name(Opcode::OptBarrier));
    op.operands = {tuple.operands[static_cast<std::size_t>(op.attributes.index)]};
    op.attributes.index = 0;
  }

  void rewrite(Op& op, const Op& before) {
    if (op.opcode == Opcode::GetTupleElement) return own_barrier(op);
    if (op.shape.is_tuple || !op.shape.dynamic.empty()) return;
    if (op.opcode == Opcode::Reduce && reduces_nothing(op)) return as_reshape(op);
    if (op.opcode == Opcode::Transpose && moves_only_ones(op)) return as_reshape(op);
    if (op.opcode == Opcode::Transpose && users_[before.operands[0]].size() == 1) swap_dot(op);
    if (op.opcode == Opcode::Reshape) {
      // reshape(reshape(x)) reads x.
      while (at(op.operands[0]).opcode == Opcode::Reshape) op.operands[0] = at(op.operands[0]).operands[0];
    }
  }

  static void as_reshape(Op& op) {
    op.opcode = Opcode::Reshape;
    op.opcode_text = std::string(graph::name(Opcode::Reshape));
    op.operands.resize(1);
    graph::Attributes attributes;
    attributes.control_predecessors = std::move(op.attributes.control_predecessors);
    op.attributes = std::move(attributes);
    op.shape.minor_to_major.clear();
    op.shape.has_layout = false;
  }

  /// All reduced dims have one element, and the initial value is the combiner's neutral one.
  [[nodiscard]] bool reduces_nothing(const Op& op) const {
    if (op.operands.size() != 2) return false;
    for (const std::int64_t dim : op.attributes.dimensions)
      if (at(op.operands[0]).shape.dims[static_cast<std::size_t>(dim)] != 1) return false;
    const Op& initial = at(op.operands[1]);
    if (initial.opcode != Opcode::Constant || !initial.attributes.literal.known || initial.attributes.literal.value.data.empty())
      return false;
    const DType dtype = initial.shape.dtype;
    if (is_complex(dtype)) return false;
    const double value = load_as_double(dtype, initial.attributes.literal.value.data.data());
    const Computation& combiner = graph_.computations[op.attributes.calls[0]];
    const Op& root = combiner.ops[combiner.root];
    if (root.operands.size() != 2 || root.operands[0] == root.operands[1] ||
        combiner.ops[root.operands[0]].opcode != Opcode::Parameter || combiner.ops[root.operands[1]].opcode != Opcode::Parameter)
      return false;
    switch (root.opcode) {
      case Opcode::Add: return value == 0;
      case Opcode::Multiply: return value == 1;
      case Opcode::Maximum: return is_float(dtype) && value == -HUGE_VAL;
      case Opcode::Minimum: return is_float(dtype) && value == HUGE_VAL;
      case Opcode::And: return dtype == DType::Pred && value != 0;
      case Opcode::Or: return dtype == DType::Pred && value == 0;
      default: return false;
    }
  }

  [[nodiscard]] bool moves_only_ones(const Op& op) const {
    const std::vector<std::int64_t>& in = at(op.operands[0]).shape.dims;
    std::vector<std::int64_t> big;
    for (const std::int64_t dim : op.attributes.dimensions)
      if (in[static_cast<std::size_t>(dim)] != 1) big.push_back(dim);
    return ordered(big);
  }

  /// transpose(dot(a, b)) whose permutation puts b's free dims before a's.
  void swap_dot(Op& op) {
    const Op& dot = at(op.operands[0]);
    if (dot.opcode != Opcode::Dot || dot.shape.dtype != op.shape.dtype) return;
    const graph::DotDims& dims = dot.attributes.dot;
    const std::size_t batch = dims.lhs_batch.size();
    const std::size_t lhs_free = at(dot.operands[0]).shape.dims.size() - batch - dims.lhs_contract.size();
    const std::size_t rhs_free = at(dot.operands[1]).shape.dims.size() - batch - dims.rhs_contract.size();
    if (lhs_free == 0 || rhs_free == 0) return;
    std::vector<std::int64_t> swapped(batch + lhs_free + rhs_free);
    std::iota(swapped.begin(), swapped.end(), 0);
    std::rotate(swapped.begin() + static_cast<std::ptrdiff_t>(batch), swapped.begin() + static_cast<std::ptrdiff_t>(batch + lhs_free),
                swapped.end());
    if (op.attributes.dimensions != swapped) return;
    // Attributes beyond the dims (precision, algorithm) name operands by side: leave such dots alone unless both sides say the same.
    Op next = dot;
    next.name = op.name;
    next.at = op.at;
    next.shape = op.shape;
    next.shape.minor_to_major.clear();
    next.shape.has_layout = false;
    std::swap(next.operands[0], next.operands[1]);
    std::swap(next.attributes.dot.lhs_batch, next.attributes.dot.rhs_batch);
    std::swap(next.attributes.dot.lhs_contract, next.attributes.dot.rhs_contract);
    next.attributes.control_predecessors = op.attributes.control_predecessors;
    op = std::move(next);
  }

  const Graph& graph_;
  const Computation& from_;
  IdVector<Op, std::vector<Id<Op>>> users_;
  IdVector<Op, Id<Op>> now_;
  Computation out_;
  std::set<std::string> names_;
};

}  // namespace

Graph simplified(const Graph& graph) {
  Graph out = graph;
  for (std::size_t i = 0; i < graph.computations.size(); ++i) {
    const Id<Computation> id(i);
    out.computations[id] = Simplifier(graph, graph.computations[id]).run();
  }
  return out;
}

}  // namespace seam::planner
