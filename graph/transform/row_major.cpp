#include <algorithm>
#include <numeric>
#include <utility>

#include "graph/transform.h"
#include "transform/rebuild.h"

namespace seam::graph {
namespace {

bool all_row_major(const Shape& shape) {
  return shape.is_tuple ? std::ranges::all_of(shape.elements, all_row_major) : is_row_major(shape);
}

void forget_layout(Shape& shape) {
  for (Shape& element : shape.elements) forget_layout(element);
  if (!is_row_major(shape)) shape.minor_to_major.clear();
}

/// A bitcast reinterprets memory, so its meaning changes with the layouts on its two sides.
bool depends_on_layout(const Computation& computation, const Op& op) {
  return op.opcode == Opcode::Bitcast && !(all_row_major(op.shape) && all_row_major(computation.ops[op.operands[0]].shape));
}

/// Dims from the slowest to the fastest, as they lie in memory.
std::vector<std::int64_t> major_to_minor(const Shape& shape) {
  std::vector<std::int64_t> order = shape.minor_to_major;
  if (order.empty()) {
    order.resize(shape.dims.size());
    std::iota(order.rbegin(), order.rend(), std::int64_t{0});
  }
  std::ranges::reverse(order);
  return order;
}

/// What a bitcast between two layouts does to the values: dims as they lie, other extents for the same elements, dims as they are named.
bool can_spell_out(const Computation& computation, const Op& op) {
  const Shape& from = computation.ops[op.operands[0]].shape;
  return !from.is_tuple && !op.shape.is_tuple && from.dtype == op.shape.dtype && from.elements_count() == op.shape.elements_count();
}

class Mover {
 public:
  explicit Mover(const Computation& computation) : from_(computation), rebuild_(computation), map_(computation.ops.size()) {}

  Computation run() {
    for (std::size_t i = 0; i < from_.ops.size(); ++i) {
      const Id<Op> id(i);
      map_[id] = depends_on_layout(from_, from_.ops[id]) ? spelled_out(from_.ops[id]) : rebuild_.add(from_.ops[id], map_);
    }
    return rebuild_.finish(map_[from_.root]);
  }

 private:
  Id<Op> spelled_out(const Op& op) {
    const Shape& before = from_.ops[op.operands[0]].shape;
    const std::vector<std::int64_t> lies = major_to_minor(before), named = major_to_minor(op.shape);
    Id<Op> value = transposed(op, map_[op.operands[0]], lies);
    std::vector<std::int64_t> extents;
    for (const std::int64_t d : named) extents.push_back(op.shape.dims[static_cast<std::size_t>(d)]);
    if (rebuild_.op(value).shape.dims != extents) value = added(op, Opcode::Reshape, value, extents, {});
    std::vector<std::int64_t> back(named.size());
    for (std::size_t i = 0; i < named.size(); ++i) back[static_cast<std::size_t>(named[i])] = static_cast<std::int64_t>(i);
    return transposed(op, value, back);
  }

  Id<Op> transposed(const Op& like, Id<Op> value, const std::vector<std::int64_t>& dimensions) {
    if (std::ranges::is_sorted(dimensions)) return value;
    const std::vector<std::int64_t> dims = rebuild_.op(value).shape.dims;
    std::vector<std::int64_t> out;
    for (const std::int64_t d : dimensions) out.push_back(dims[static_cast<std::size_t>(d)]);
    return added(like, Opcode::Transpose, value, std::move(out), dimensions);
  }

  Id<Op> added(const Op& like, Opcode opcode, Id<Op> operand, std::vector<std::int64_t> dims, std::vector<std::int64_t> dimensions) {
    Op op;
    op.name = like.name;
    op.opcode = opcode;
    op.opcode_text = std::string(name(opcode));
    op.shape.dtype = like.shape.dtype;
    op.shape.dims = std::move(dims);
    op.attributes.dimensions = std::move(dimensions);
    op.metadata = like.metadata;
    op.at = like.at;
    op.operands = {operand};
    return rebuild_.append(std::move(op));
  }

  const Computation& from_;
  Rebuild rebuild_;
  Rebuild::IdMap map_;
};

Computation with_moves(const Computation& computation) { return Mover(computation).run(); }

}  // namespace

Graph with_row_major_values(const Graph& graph) {
  Graph result = graph;
  for (Computation& computation : result.computations) {
    if (std::ranges::none_of(computation.ops, [&](const Op& op) { return depends_on_layout(computation, op); })) continue;
    if (std::ranges::any_of(computation.ops, [&](const Op& op) { return depends_on_layout(computation, op) && !can_spell_out(computation, op); })) return graph;
    computation = with_moves(computation);
  }
  for (Computation& computation : result.computations) {
    for (Op& op : computation.ops) forget_layout(op.shape);
  }
  return result;
}

}  // namespace seam::graph
