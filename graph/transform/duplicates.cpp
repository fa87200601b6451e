#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "graph/transform.h"
#include "transform/rebuild.h"

namespace seam::graph {
namespace {

/// Same computation of the same values: names, metadata and place aside.
bool same_op(const Op& a, const Op& b) {
  return a.opcode == b.opcode && a.operands == b.operands && a.shape == b.shape &&
         a.opcode_text == b.opcode_text && a.attributes == b.attributes;
}

bool same_computation(const Computation& a, const Computation& b) {
  return a.root == b.root && a.parameters == b.parameters && a.execution_thread == b.execution_thread &&
         std::equal(a.ops.begin(), a.ops.end(), b.ops.begin(), b.ops.end(), same_op);
}

class Hash {
 public:
  void add(std::uint64_t value) { state_ = (state_ ^ value) * 0x9E3779B97F4A7C15ULL + (state_ >> 29U); }
  template <class Range>
  void add_all(const Range& range) {
    add(range.size());
    for (const auto& value : range) add(static_cast<std::uint64_t>(value));
  }
  [[nodiscard]] std::size_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0x243F6A8885A308D3ULL;
};

/// Enough to tell most ops apart; same_op decides.
std::size_t hash_op(const Op& op) {
  Hash hash;
  hash.add(static_cast<std::uint64_t>(op.opcode));
  for (const Id<Op> operand : op.operands) hash.add(operand.value);
  hash.add(static_cast<std::uint64_t>(op.shape.dtype));
  hash.add_all(op.shape.dims);
  const Attributes& a = op.attributes;
  hash.add_all(a.dimensions);
  hash.add_all(a.starts);
  hash.add_all(a.limits);
  hash.add_all(a.slice_sizes);
  hash.add(static_cast<std::uint64_t>(a.index));
  hash.add(static_cast<std::uint64_t>(a.direction));
  for (const Id<Computation> callee : a.calls) hash.add(callee.value);
  const std::vector<std::byte>& data = a.literal.value.data;
  hash.add(std::hash<std::string_view>{}({reinterpret_cast<const char*>(data.data()), data.size()}));
  return hash.value();
}

/// The first computation that does the same, for each.
IdVector<Computation, Id<Computation>> representatives(const Graph& graph) {
  IdVector<Computation, Id<Computation>> first(graph.computations.size());
  std::unordered_multimap<std::size_t, Id<Computation>> seen;
  Graph renamed = graph;  // callees replaced by their representatives, so that equal callers compare equal
  for (std::size_t c = 0; c < graph.computations.size(); ++c) {
    const Id<Computation> id(c);
    Computation& computation = renamed.computations[id];
    Hash hash;
    for (Op& op : computation.ops) {
      for (Id<Computation>& callee : op.attributes.calls) callee = first[callee];
      hash.add(hash_op(op));
    }
    first[id] = id;
    const auto [begin, end] = seen.equal_range(hash.value());
    for (auto it = begin; it != end; ++it) {
      if (same_computation(renamed.computations[it->second], computation)) first[id] = it->second;
    }
    if (first[id] == id) seen.emplace(hash.value(), id);
  }
  return first;
}

bool mergeable(const SideEffects& effects, const Op& op) {
  if (op.opcode == Opcode::Parameter || op_class(op.opcode) == OpClass::Control) return false;
  return !effects.of(op) && op.attributes.control_predecessors.empty();
}

}  // namespace

Graph without_duplicates(const Graph& graph) {
  Graph result = graph;
  const SideEffects effects(graph);
  const IdVector<Computation, Id<Computation>> first = representatives(graph);
  for (Computation& computation : result.computations) {
    Rebuild rebuild(computation);
    Rebuild::IdMap map(computation.ops.size());
    std::unordered_multimap<std::size_t, Id<Op>> seen;
    for (std::size_t i = 0; i < computation.ops.size(); ++i) {
      Op op = computation.ops[Id<Op>(i)];
      for (Id<Computation>& callee : op.attributes.calls) callee = first[callee];
      if (!mergeable(effects, op)) {
        map[Id<Op>(i)] = rebuild.add(std::move(op), map);
        continue;
      }
      Op renamed = op;
      for (Id<Op>& operand : renamed.operands) operand = map[operand];
      const std::size_t hash = hash_op(renamed);
      const auto [begin, end] = seen.equal_range(hash);
      const auto twin = std::find_if(begin, end, [&](const auto& entry) {
        return same_op(rebuild.op(entry.second), renamed);
      });
      if (twin != end) {
        map[Id<Op>(i)] = twin->second;
        continue;
      }
      map[Id<Op>(i)] = rebuild.add(std::move(op), map);
      seen.emplace(hash, map[Id<Op>(i)]);
    }
    computation = rebuild.finish(map[computation.root]);
  }
  return result;
}

}  // namespace seam::graph
