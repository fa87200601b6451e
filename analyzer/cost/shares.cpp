#include "analyzer/shares.h"

#include <algorithm>
#include <set>

#include "graph/transform.h"

namespace seam::analyzer {

using graph::Computation;
using graph::Graph;
using graph::Op;
using graph::OpClass;
using graph::Opcode;

namespace {

/// A reduce over dims that matter. One over dims of extent 1 only drops them.
bool reduces(const Computation& computation, const Op& op) {
  if (op.opcode != Opcode::Reduce) return false;
  const graph::Shape& in = computation.ops[op.operands[0]].shape;
  return std::ranges::any_of(op.attributes.dimensions, [&](std::int64_t dim) { return in.dims[static_cast<std::size_t>(dim)] > 1; });
}

/// The op spreads a statistic: a broadcast whose operand, followed back through ops of as many elements, is a reduce.
bool spreads_statistic(const Computation& computation, const Op& op) {
  if (op.opcode != Opcode::Broadcast) return false;
  const std::int64_t elements = computation.ops[op.operands[0]].shape.elements_count();
  if (op.shape.elements_count() <= elements || elements <= 1) return false;
  std::set<Id<Op>> seen;
  std::vector<Id<Op>> stack{op.operands[0]};
  while (!stack.empty()) {
    const Id<Op> at = stack.back();
    stack.pop_back();
    const Op& source = computation.ops[at];
    if (source.shape.is_tuple || source.shape.elements_count() != elements || !seen.insert(at).second) continue;
    if (reduces(computation, source)) return true;
    const OpClass c = graph::op_class(source.opcode);
    if (c == OpClass::Elementwise || c == OpClass::Free || c == OpClass::Broadcast) stack.insert(stack.end(), source.operands.begin(), source.operands.end());
  }
  return false;
}

}  // namespace

std::map<Id<Op>, Class> classes_of(const Graph& graph, Id<Computation> id, const std::vector<OriginGroup>& groups) {
  const Computation& computation = graph.computations[id];
  std::map<Id<Op>, Class> out;
  for (const OriginGroup& group : groups) {
    if (group.computation != id) continue;
    const bool normalizes =
        std::ranges::any_of(group.ops, [&](Id<Op> op) { return reduces(computation, computation.ops[op]); }) &&
        std::ranges::any_of(group.ops, [&](Id<Op> op) { return spreads_statistic(computation, computation.ops[op]); });
    for (const Id<Op> op : group.ops) {
      Class own = class_of(computation.ops[op]);
      if (normalizes && own == Class::Elementwise) own = Class::Normalization;
      out[op] = own;
    }
  }
  return out;
}

std::vector<Share> shares_of(const Graph& graph) {
  std::map<Class, Share> shares;
  const std::vector<std::int64_t> runs = runs_of(graph);
  const std::vector<OriginGroup> groups = origin_groups(graph);
  for (std::size_t c = 0; c < graph.computations.size(); ++c) {
    if (runs[c] < 0) continue;
    const Id<Computation> id(c);
    const std::int64_t times = std::max<std::int64_t>(1, runs[c]);
    for (const auto& [op, op_class] : classes_of(graph, id, groups)) {
      const OpCost cost = cost_of(graph.computations[id], graph.computations[id].ops[op]);
      if (cost.words_in + cost.words_out == 0) continue;
      Share& share = shares[op_class];
      share.op_class = op_class;
      ++share.ops;
      share.runs += times;
      share.flops += static_cast<double>(times) * cost.flops;
      share.words += times * (cost.words_in + cost.words_out);
      share.bytes += times * (cost.bytes_in + cost.bytes_out);
    }
  }
  std::vector<Share> out;
  for (const auto& [op_class, share] : shares) out.push_back(share);
  return out;
}

std::vector<OriginShare> origins_of(const Graph& graph) {
  std::map<std::string, OriginShare> shares;
  const std::vector<std::int64_t> runs = runs_of(graph);
  for (const OriginGroup& group : origin_groups(graph)) {
    const std::int64_t times = std::max<std::int64_t>(1, runs[group.computation.index()]);
    OriginShare& share = shares[group.label()];
    share.label = group.label();
    for (const Id<Op> op : group.ops) {
      const OpCost cost = cost_of(graph.computations[group.computation], graph.computations[group.computation].ops[op]);
      ++share.ops;
      share.flops += static_cast<double>(times) * cost.flops;
      share.bytes += times * (cost.bytes_in + cost.bytes_out);
    }
  }
  std::vector<OriginShare> out;
  for (auto& [label, share] : shares) out.push_back(std::move(share));
  std::ranges::stable_sort(out, std::greater<>{}, &OriginShare::bytes);
  return out;
}

double amdahl(double fusable, double speedup) { return 1.0 / (1.0 - fusable * (1.0 - 1.0 / speedup)); }

double fusion_stitching_predictor(double fusable, double speedup) { return 1.0 + fusable * (1.0 - 1.0 / speedup); }

}  // namespace seam::analyzer
