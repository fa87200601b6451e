#include <algorithm>

#include "policy/xla2018/nodes.h"
#include "schedule/ownership.h"

namespace seam::planner::xla2018 {

using graph::Op;
using graph::Opcode;

namespace {

std::int64_t bytes_of(const Nodes& nodes, Id<Op> value) {
  const Op& op = nodes.op(value);
  return product(dims_of(op)) * stitch::bytes_of_element(op);
}

double flops_of(const Nodes& nodes, const Node& node) {
  double flops = 0;
  for (const Id<Op> id : node.ops) flops += static_cast<double>(product(dims_of(nodes.op(id)))) * graph::flops_per_element(nodes.op(id).opcode);
  return flops;
}

/// Bytes that a node reads: slices of an input count what is taken.
std::int64_t bytes_read(const Nodes& nodes, const Node& node) {
  std::int64_t sum = 0;
  for (const Id<Op> input : node.inputs) {
    std::int64_t sliced = 0;
    bool whole = false;
    for (const Id<Op> id : node.ops) {
      const Op& op = nodes.op(id);
      for (std::size_t k = 0; k < op.operands.size(); ++k) {
        if (nodes.problem().roles.storage[op.operands[k]] != input) continue;
        const bool part = k == 0 && (op.opcode == Opcode::Slice || op.opcode == Opcode::DynamicSlice || op.opcode == Opcode::Gather);
        if (part)
          sliced += bytes_of(nodes, id);
        else
          whole = true;
      }
    }
    sum += whole ? bytes_of(nodes, input) : std::min(sliced, bytes_of(nodes, input));
  }
  return sum;
}

/// Why the merger leaves the fusion alone; empty numbers if a rule without numbers decides.
bool may_merge(Nodes& nodes, std::size_t p, const std::vector<std::size_t>& readers) {
  const Node& node = nodes.all[p];
  if (!node.is_fusion() || node.roots.size() != 1 || nodes.rooted_in_reduce(node) || nodes.read_by_call(node) || readers.empty()) return false;
  if (nodes.problem().roles.updates(node.roots[0])) return false;
  const Id<Op> root = node.roots[0];
  for (const std::size_t reader : readers) {
    const Node& to = nodes.all[reader];
    if (!to.is_fusion() || nodes.problem().roles.updates(to.roots.front())) {
      nodes.refuse(VetoCode::FusionRule, root, to.roots.front());
      return false;
    }
    if (to.inputs.size() + node.inputs.size() + to.roots.size() > kMostParameters) return false;
  }
  for (const Id<Op> id : node.ops)
    if (expensive(nodes.op(id))) {
      nodes.refuse(VetoCode::FusionRule, root, nodes.all[readers.front()].roots.front());
      return false;
    }
  const auto read = static_cast<double>(bytes_read(nodes, node));
  const auto written = static_cast<double>(bytes_of(nodes, root));
  const double ratio = flops_of(nodes, node) / std::max(1.0, read + written);
  const auto users = static_cast<double>(readers.size());
  const double current = read + written * (users + 1), merged = read * users;
  if (ratio <= 1.0 && merged <= 1.10 * current) return true;
  nodes.refuse(VetoCode::FusionRule, root, nodes.all[readers.front()].roots.front(),
               {{"flops-per-byte", ratio}, {"bytes-now", current}, {"bytes-merged", merged}});
  return false;
}

}  // namespace

bool fusion_merger(Nodes& nodes) {
  bool changed = false;
  for (std::size_t p = 0; p < nodes.all.size(); ++p) {
    if (!nodes.all[p].alive) continue;
    const std::vector<std::size_t> readers = nodes.readers(p);
    if (!may_merge(nodes, p, readers)) continue;
    for (const std::size_t reader : readers)
      for (const Id<Op> op : nodes.all[p].ops) nodes.take(reader, op);
    nodes.bury(p);
    changed = true;
  }
  return changed;
}

}  // namespace seam::planner::xla2018
