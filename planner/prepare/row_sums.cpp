#include "prepare/row_sums.h"

#include <algorithm>
#include <optional>
#include <set>

#include "graph/transform.h"

namespace seam::planner {

using graph::Computation;
using graph::Op;
using graph::Opcode;

namespace {

/// How far back a statistic is looked for.
constexpr std::size_t kMostLooked = 64;
/// Shorter rows give many results of little; fewer rows are no matter.
constexpr std::int64_t kShortestRow = 32, kFewestRows = 8;

/// Dims [first, rank) of `values` are columns: some value on the way is a broadcast of one element per row. nullopt: none is.
std::optional<std::int64_t> first_column(const Computation& computation, Id<Op> values) {
  const graph::Shape& shape = computation.ops[values].shape;
  std::set<Id<Op>> seen;
  std::vector<Id<Op>> stack{values};
  while (!stack.empty() && seen.size() < kMostLooked) {
    const Id<Op> id = stack.back();
    stack.pop_back();
    if (!seen.insert(id).second) continue;
    const Op& op = computation.ops[id];
    if (op.shape.is_tuple || op.shape.dims != shape.dims) continue;
    if (op.opcode == Opcode::Broadcast) {
      const std::vector<std::int64_t>& dims = op.attributes.dimensions;
      const auto kept = static_cast<std::int64_t>(dims.size());
      bool leading = kept > 0 && kept < shape.rank();
      for (std::int64_t k = 0; leading && k < kept; ++k) leading = dims[static_cast<std::size_t>(k)] == k;
      if (leading) return kept;
    } else if (graph::op_class(op.opcode) == graph::OpClass::Elementwise) {
      stack.insert(stack.end(), op.operands.begin(), op.operands.end());
    }
  }
  return std::nullopt;
}

/// Where the columns of a reduce that is worth cutting begin.
std::optional<std::int64_t> cut_of(const Computation& computation, const Op& reduce) {
  if (reduce.opcode != Opcode::Reduce || reduce.shape.is_tuple || reduce.operands.size() != 2 || !reduce.attributes.control_predecessors.empty()) return std::nullopt;
  const graph::Shape& shape = computation.ops[reduce.operands[0]].shape;
  if (bits(shape.dtype) < 32 || !shape.dynamic.empty() || reduce.attributes.dimensions.size() < 2) return std::nullopt;
  const auto reduces = [&](std::int64_t dim) { return std::ranges::find(reduce.attributes.dimensions, dim) != reduce.attributes.dimensions.end(); };
  const std::optional<std::int64_t> first = first_column(computation, reduce.operands[0]);
  if (!first) return std::nullopt;
  std::int64_t row = 1, rows = 1;
  bool more = false;
  for (std::int64_t dim = 0; dim < shape.rank(); ++dim) {
    (dim < *first ? rows : row) *= shape.dims[static_cast<std::size_t>(dim)];
    if (dim >= *first && !reduces(dim)) return std::nullopt;
    more = more || (dim < *first && reduces(dim));
  }
  if (!more || row < kShortestRow || rows < kFewestRows) return std::nullopt;
  return first;
}

Computation cut(const Computation& from) {
  Computation out;
  out.name = from.name;
  out.execution_thread = from.execution_thread;
  std::set<std::string> names;
  for (const Op& op : from.ops) names.insert(op.name);
  IdVector<Op, Id<Op>> now(from.ops.size());
  for (std::size_t i = 0; i < from.ops.size(); ++i) {
    const Id<Op> id(i);
    Op op = from.ops[id];
    const std::optional<std::int64_t> first = cut_of(from, op);
    for (Id<Op>& operand : op.operands) operand = now[operand];
    for (Id<Op>& before : op.attributes.control_predecessors) before = now[before];
    if (first) {
      Op rows = op;
      rows.name = graph::free_name(names, op.name + ".rows");
      std::vector<std::int64_t> dims = out.ops[op.operands[0]].shape.dims;
      rows.attributes.dimensions.clear();
      for (std::int64_t dim = *first; dim < static_cast<std::int64_t>(dims.size()); ++dim) rows.attributes.dimensions.push_back(dim);
      dims.resize(static_cast<std::size_t>(*first));
      rows.shape.dims = dims;
      rows.shape.minor_to_major.clear();
      std::erase_if(op.attributes.dimensions, [&](std::int64_t dim) { return dim >= *first; });
      op.operands[0] = out.ops.push_back(std::move(rows));
    }
    now[id] = out.ops.push_back(std::move(op));
  }
  out.root = now[from.root];
  for (const Id<Op> parameter : from.parameters) out.parameters.push_back(now[parameter]);
  return out;
}

}  // namespace

graph::Graph with_row_sums(const graph::Graph& graph) {
  graph::Graph out = graph;
  for (Computation& computation : out.computations)
    if (std::ranges::any_of(computation.ops, [&](const Op& op) { return cut_of(computation, op).has_value(); })) computation = cut(computation);
  return out;
}

}  // namespace seam::planner
