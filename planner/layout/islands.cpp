#include "layout/islands.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

namespace seam::planner::layout {

using graph::Computation;
using graph::Op;
using graph::Opcode;
using graph::Order;

namespace {

using Map = std::vector<std::int64_t>;  ///< dim d of one value is dim map[d] of another

Map after(const Map& inner, const Map& outer) {
  Map out;
  for (const std::int64_t d : inner) out.push_back(outer[static_cast<std::size_t>(d)]);
  return out;
}
Map inverse(const Map& map) {
  Map out(map.size());
  for (std::size_t d = 0; d < map.size(); ++d) out[static_cast<std::size_t>(map[d])] = static_cast<std::int64_t>(d);
  return out;
}

/// Union-find in which every value knows its dims' numbers in its representative.
class Union {
 public:
  explicit Union(const Computation& computation) : parent_(computation.ops.size()), map_(computation.ops.size()) {
    for (std::size_t i = 0; i < parent_.size(); ++i) {
      parent_[i] = i;
      if (!computation.ops[Id<Op>(i)].shape.is_tuple) map_[i] = graph::row_major_order(computation.ops[Id<Op>(i)].shape.rank());
    }
  }
  std::size_t find(std::size_t i) {
    std::size_t root = i;
    while (parent_[root] != root) root = parent_[root];
    // From the top down, so that each step composes with a finished one.
    std::vector<std::size_t> path;
    for (std::size_t at = i; parent_[at] != root && at != root; at = parent_[at]) path.push_back(at);
    for (auto it = path.rbegin(); it != path.rend(); ++it) {
      map_[*it] = after(map_[*it], map_[parent_[*it]]);
      parent_[*it] = root;
    }
    return root;
  }
  [[nodiscard]] const Map& map(std::size_t i) const { return map_[i]; }
  /// Dim d of `a` is dim map[d] of `b`. Without effect where both are together already, in this way or in another.
  void tie(Id<Op> a, Id<Op> b, const Map& map) {
    const std::size_t root_a = find(a.index()), root_b = find(b.index());
    if (root_a == root_b) return;
    // root_a's dims by way of a and b.
    map_[root_a] = after(after(inverse(map_[a.index()]), map), map_[b.index()]);
    parent_[root_a] = root_b;
  }

 private:
  std::vector<std::size_t> parent_;
  std::vector<Map> map_;
};

/// How an operand's dims are those of the op, if each of them is one.
std::optional<Map> tied(const Computation& computation, const Op& op, std::size_t operand) {
  const graph::Shape& from = computation.ops[op.operands[operand]].shape;
  if (from.is_tuple || from.rank() != op.shape.rank()) return std::nullopt;
  switch (op.opcode) {
    case Opcode::Transpose: return inverse(op.attributes.dimensions);
    case Opcode::Reshape:
      if (from.dims != op.shape.dims) return std::nullopt;
      break;
    case Opcode::Broadcast:
    case Opcode::Reduce:
    case Opcode::Dot: return std::nullopt;
    default: break;
  }
  return graph::row_major_order(from.rank());
}

}  // namespace

Order Islands::of_op(Id<Op> op, const Order& island) const { return after(island, inverse(dims[op])); }
Order Islands::of_island(Id<Op> op, const Order& own) const { return after(own, dims[op]); }

Islands islands_of(const Computation& computation) {
  Union together(computation);
  for (std::size_t i = 0; i < computation.ops.size(); ++i) {
    const Op& op = computation.ops[Id<Op>(i)];
    if (!graph::may_reorder(op)) continue;
    for (std::size_t k = 0; k < op.operands.size(); ++k)
      if (graph::may_reorder(computation.ops[op.operands[k]]))
        if (const std::optional<Map> map = tied(computation, op, k)) together.tie(op.operands[k], Id<Op>(i), *map);
  }
  Islands out;
  out.of = IdVector<Op, std::size_t>(computation.ops.size(), kNone);
  out.dims = IdVector<Op, Map>(computation.ops.size());
  std::vector<std::size_t> number(computation.ops.size(), kNone);
  for (std::size_t i = 0; i < computation.ops.size(); ++i) {
    const Id<Op> id(i);
    if (!graph::may_reorder(computation.ops[id])) continue;
    const std::size_t root = together.find(i);
    if (number[root] == kNone) {
      number[root] = out.islands.size();
      out.islands.push_back({Id<Op>(root), {}});
    }
    out.of[id] = number[root];
    out.dims[id] = together.map(i);
    out.islands[number[root]].ops.push_back(id);
  }
  return out;
}

}  // namespace seam::planner::layout
