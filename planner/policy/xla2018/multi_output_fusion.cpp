#include <algorithm>

#include "policy/xla2018/nodes.h"
#include "schedule/ownership.h"

namespace seam::planner::xla2018 {

using graph::Op;
using graph::OpClass;
using graph::Opcode;

namespace {

const std::vector<std::int64_t>& root_dims(const Nodes& nodes, const Node& node) { return dims_of(nodes.op(node.roots.front())); }

bool updates(const Nodes& nodes, const Node& node) {
  return std::ranges::any_of(node.roots, [&](Id<Op> root) { return nodes.problem().roles.updates(root); });
}

bool in_budget(Nodes& nodes, const Node& a, const Node& b) {
  const std::size_t parameters = a.inputs.size() + b.inputs.size() + a.roots.size() + b.roots.size();
  if (parameters <= kMostParameters) return true;
  nodes.refuse(VetoCode::Parameters, a.roots.front(), b.roots.front(),
               {{"needs", static_cast<double>(parameters)}, {"has", static_cast<double>(kMostParameters)}});
  return false;
}

void merge(Nodes& nodes, std::size_t into, std::size_t from) {
  Node& a = nodes.all[into];
  Node& b = nodes.all[from];
  for (const Id<Op> op : b.ops) nodes.take(into, op);
  a.roots.insert(a.roots.end(), b.roots.begin(), b.roots.end());
  std::ranges::sort(a.roots);
  for (const Id<Op> root : b.roots) nodes.set_maker(root, into);
  b.alive = false;
}

/// Siblings: same kind of fusion, same shape, at least one is a fusion already, neither needs the other.
bool siblings_fit(Nodes& nodes, std::size_t a, std::size_t b) {
  const Node& x = nodes.all[a];
  const Node& y = nodes.all[b];
  if (!x.is_fusion() && !y.is_fusion()) return false;
  if (updates(nodes, x) || updates(nodes, y) || nodes.rooted_in_reduce(x) != nodes.rooted_in_reduce(y)) return false;
  if (root_dims(nodes, x) != root_dims(nodes, y)) return false;
  if (nodes.rooted_in_reduce(x)) {
    const auto reduced = [&](const Node& node) -> const std::vector<std::int64_t>& {
      const Op* op = &nodes.op(node.roots.front());
      if (op->opcode == Opcode::GetTupleElement) op = &nodes.op(op->operands[0]);
      return dims_of(nodes.op(op->operands[0]));
    };
    if (reduced(x) != reduced(y)) return false;
  }
  if (!in_budget(nodes, x, y)) return false;
  if (nodes.reaches(a, b) || nodes.reaches(b, a)) {
    nodes.refuse(VetoCode::Cycle, x.roots.front(), y.roots.front());
    return false;
  }
  return true;
}

}  // namespace

bool multi_output_fusion(Nodes& nodes) {
  bool changed = false;
  // Readers of every value that is not a scalar.
  IdVector<Op, std::vector<std::size_t>> readers(nodes.problem().computation.ops.size());
  for (std::size_t n = 0; n < nodes.all.size(); ++n)
    if (nodes.all[n].alive && !nodes.all[n].roots.empty())
      for (const Id<Op> input : nodes.all[n].inputs) readers[input].push_back(n);
  for (std::size_t v = 0; v < readers.size(); ++v) {
    const Id<Op> value(v);
    std::vector<std::size_t>& list = readers[value];
    if (list.size() < 2 || product(dims_of(nodes.op(value))) <= 1) continue;
    for (std::size_t i = 0; i < list.size(); ++i)
      for (std::size_t j = i + 1; j < list.size(); ++j) {
        if (!nodes.all[list[i]].alive || !nodes.all[list[j]].alive || !siblings_fit(nodes, list[i], list[j])) continue;
        merge(nodes, list[i], list[j]);
        changed = true;
      }
  }
  // Producer (loop or element-wise) with a reduce over the same elements.
  for (std::size_t c = 0; c < nodes.all.size(); ++c) {
    if (!nodes.all[c].alive || nodes.all[c].roots.empty() || !nodes.rooted_in_reduce(nodes.all[c])) continue;
    for (const Id<Op> input : nodes.all[c].inputs) {
      const std::size_t p = nodes.maker(input);
      if (p == Nodes::kNone || !nodes.all[p].alive || p == c) continue;
      const Node& producer = nodes.all[p];
      if (nodes.rooted_in_reduce(producer) || updates(nodes, producer)) continue;
      const Op& root = nodes.op(nodes.all[c].roots.front());
      if (root.opcode != Opcode::Reduce || dims_of(nodes.op(root.operands[0])) != root_dims(nodes, producer)) continue;
      if (!producer.is_fusion() && graph::op_class(nodes.op(producer.roots.front()).opcode) != OpClass::Elementwise) continue;
      if (!in_budget(nodes, producer, nodes.all[c])) continue;
      // No other way from the producer to the reduce.
      bool cycle = false;
      for (const std::size_t other : nodes.readers(p)) cycle = cycle || (other != c && nodes.reaches(other, c));
      if (cycle) {
        nodes.refuse(VetoCode::Cycle, producer.roots.front(), nodes.all[c].roots.front());
        continue;
      }
      merge(nodes, c, p);
      changed = true;
      break;
    }
  }
  return changed;
}

}  // namespace seam::planner::xla2018
