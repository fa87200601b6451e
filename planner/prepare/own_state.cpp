#include "prepare/own_state.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "facts/roles.h"
#include "graph/transform.h"
#include "planner/plan.h"

namespace seam::planner {

using graph::Computation;
using graph::Graph;
using graph::Op;
using graph::Opcode;

namespace {

/// Which element of a computation's only parameter: its index, or kWhole where the state is no tuple.
using Slot = std::int64_t;
constexpr Slot kWhole = -1;

std::optional<Slot> slot_of(const Computation& computation, Id<Op> value) {
  const Op& op = computation.ops[storage_of(computation, value)];
  if (op.opcode == Opcode::Parameter) return op.shape.is_tuple ? std::nullopt : std::optional<Slot>(kWhole);
  if (op.opcode != Opcode::GetTupleElement || op.shape.is_tuple) return std::nullopt;
  return computation.ops[op.operands[0]].opcode == Opcode::Parameter ? std::optional<Slot>(op.attributes.index) : std::nullopt;
}

/// One place where state is handed over: operand `operand` of `op` becomes the parameter of `callee`.
struct HandOver {
  std::size_t operand;
  Id<Computation> callee;
};

std::vector<HandOver> hand_overs(const Op& op) {
  std::vector<HandOver> out;
  if (op.opcode == Opcode::While) out.push_back({0, op.attributes.calls.at(1)});
  if (op.opcode == Opcode::Conditional)
    for (std::size_t i = 0; i < op.attributes.calls.size(); ++i) out.push_back({i + 1, op.attributes.calls[i]});
  return out;
}

/// Per computation, the elements of its parameter that it may update in place, itself or through loops and branches inside.
class Writes {
 public:
  explicit Writes(const Graph& graph) : graph_(graph) {}

  const std::set<Slot>& of(Id<Computation> id) {
    if (const auto found = known_.find(id); found != known_.end()) return found->second;
    std::set<Slot> slots;
    const Computation& computation = graph_.computations[id];
    const auto note = [&](Id<Op> value) {
      if (const std::optional<Slot> slot = slot_of(computation, value)) slots.insert(*slot);
    };
    for (const Op& op : computation.ops) {
      if (op.opcode == Opcode::DynamicUpdateSlice || op.opcode == Opcode::Scatter) note(op.operands[0]);
      for (const HandOver& hand : hand_overs(op)) {
        const Op& state = computation.ops[storage_of(computation, op.operands[hand.operand])];
        for (const Slot slot : of(hand.callee)) {
          if (slot == kWhole) note(op.operands[hand.operand]);
          else if (state.opcode == Opcode::Tuple) note(state.operands[static_cast<std::size_t>(slot)]);
          else if (state.opcode == Opcode::Parameter) slots.insert(slot);
        }
      }
    }
    return known_.emplace(id, std::move(slots)).first->second;
  }

 private:
  const Graph& graph_;
  std::map<Id<Computation>, std::set<Slot>> known_;
};

/// Rewrites one computation.
class Owner {
 public:
  Owner(const Graph& graph, Id<Computation> id, Writes& writes)
      : graph_(graph), id_(id), from_(graph.computations[id]), writes_(writes), now_(from_.ops.size()) {
    for (const Op& op : from_.ops) names_.insert(op.name);
    for (std::size_t i = 0; i < from_.ops.size(); ++i) {
      const Op& op = from_.ops[Id<Op>(i)];
      if (op.opcode == Opcode::Tuple || storage_of(from_, Id<Op>(i)) != Id<Op>(i)) continue;
      for (const Id<Op> operand : op.operands)
        for (const Id<Op> value : flattened(from_, operand)) readers_[value].insert(Id<Op>(i));
    }
  }

  /// `own_body`: the state's elements that this computation, as a loop's body, will be given again.
  Computation run(const std::set<Slot>* own_body) {
    out_.name = from_.name;
    out_.execution_thread = from_.execution_thread;
    for (std::size_t i = 0; i < from_.ops.size(); ++i) {
      const Id<Op> id(i);
      Op op = from_.ops[id];
      for (Id<Op>& operand : op.operands) operand = now_[operand];
      for (Id<Op>& before : op.attributes.control_predecessors) before = now_[before];
      for (const HandOver& hand : hand_overs(op))
        op.operands[hand.operand] = handed(id, from_.ops[id].operands[hand.operand], op.operands[hand.operand], writes_.of(hand.callee), op.name);
      now_[id] = out_.ops.push_back(std::move(op));
    }
    out_.root = now_[from_.root];
    if (own_body != nullptr) out_.root = handed(std::nullopt, from_.root, out_.root, *own_body, from_.ops[from_.root].name);
    for (const Id<Op> parameter : from_.parameters) out_.parameters.push_back(now_[parameter]);
    return std::move(out_);
  }

 private:
  /// The state as handed over: `state` with copies where elements in `slots` are not the receiver's alone.
  /// `receiver`: the loop or branch; none = the next trip of this body.
  Id<Op> handed(std::optional<Id<Op>> receiver, Id<Op> state, Id<Op> state_now, const std::set<Slot>& slots, const std::string& name) {
    if (slots.empty()) return state_now;
    const Id<Op> storage = storage_of(from_, state);
    const Op& tuple = from_.ops[storage];
    if (slots.contains(kWhole)) {
      return private_to(receiver, storage) ? state_now : copy(state_now, fmt::format("{}.own", name));
    }
    // The result of another loop or a parameter passed on as a whole: its elements are as private as they were.
    if (tuple.opcode != Opcode::Tuple) return state_now;
    std::map<Id<Op>, std::pair<int, int>> seen;  // written and other elements by buffer
    for (std::size_t i = 0; i < tuple.operands.size(); ++i)
      for (const Id<Op> value : flattened(from_, tuple.operands[i]))
        (slots.contains(static_cast<Slot>(i)) ? seen[value].first : seen[value].second)++;
    std::vector<Id<Op>> elements;
    bool changed = false;
    for (std::size_t i = 0; i < tuple.operands.size(); ++i) {
      Id<Op> element = now_[tuple.operands[i]];
      if (slots.contains(static_cast<Slot>(i)) && !tuple_shape(tuple.operands[i])) {
        const Id<Op> value = storage_of(from_, tuple.operands[i]);
        std::pair<int, int>& uses = seen[value];
        if (!private_to(receiver, value) || uses.second > 0 || uses.first > 1) {
          element = copy(element, fmt::format("{}.own{}", name, i));
          --uses.first;
          changed = true;
        }
      }
      elements.push_back(element);
    }
    if (!changed) return state_now;
    Op own = tuple;
    own.name = graph::free_name(names_, fmt::format("{}.state", name));
    own.operands = std::move(elements);
    own.attributes.control_predecessors.clear();
    return out_.ops.push_back(std::move(own));
  }

  [[nodiscard]] bool tuple_shape(Id<Op> op) const { return from_.ops[op].shape.is_tuple; }

  /// The buffer is the program's to overwrite, and nobody may read it once the receiver runs.
  bool private_to(std::optional<Id<Op>> receiver, Id<Op> value) {
    if (!owned(value)) return false;
    if (!receiver) return true;
    const std::vector<Id<Op>> returned = flattened(from_, from_.root);
    if (std::ranges::count(returned, value) > 0) return false;
    return std::ranges::all_of(readers_[value], [&](Id<Op> reader) { return reader == *receiver || before(reader, *receiver); });
  }

  bool owned(Id<Op> value) {
    const Op& op = from_.ops[value];
    if (folded(from_, value) || op.opcode == Opcode::Constant || op.opcode == Opcode::Conditional) return false;
    if (const std::optional<Slot> slot = slot_of(from_, value)) {
      if (id_ != graph_.entry) return writes_.of(id_).contains(*slot);
      return *slot == kWhole && std::ranges::any_of(graph_.donated, [&](const auto& pair) { return pair.second == op.attributes.index; });
    }
    if (op.opcode == Opcode::GetTupleElement) {
      const Op& call = from_.ops[storage_of(from_, op.operands[0])];
      return call.opcode == Opcode::While ? updated_by(call, op.attributes.index) : graph::op_class(call.opcode) == graph::OpClass::Library;
    }
    return op.opcode != Opcode::While || updated_by(op, kWhole);
  }

  /// The loop was given this element to update, so it was the loop's own.
  bool updated_by(const Op& loop, Slot slot) { return writes_.of(loop.attributes.calls.at(1)).contains(slot); }

  /// `reader` has run before `receiver` starts, by data.
  bool before(Id<Op> reader, Id<Op> receiver) {
    auto [entry, fresh] = ancestors_.try_emplace(receiver);
    if (fresh) {
      std::vector<Id<Op>> open{receiver};
      while (!open.empty()) {
        const Id<Op> at = open.back();
        open.pop_back();
        for (const Id<Op> operand : from_.ops[at].operands)
          if (entry->second.insert(operand).second) open.push_back(operand);
      }
    }
    return entry->second.contains(reader);
  }

  Id<Op> copy(Id<Op> operand, const std::string& name) {
    Op op;
    op.name = graph::free_name(names_, name);
    op.opcode = Opcode::Copy;
    op.opcode_text = std::string(graph::name(Opcode::Copy));
    op.shape = out_.ops[operand].shape;
    op.metadata = out_.ops[operand].metadata;
    op.at = out_.ops[operand].at;
    op.operands = {operand};
    return out_.ops.push_back(std::move(op));
  }

  const Graph& graph_;
  Id<Computation> id_;
  const Computation& from_;
  Writes& writes_;
  std::map<Id<Op>, std::set<Id<Op>>> readers_;
  std::map<Id<Op>, std::set<Id<Op>>> ancestors_;
  std::set<std::string> names_;
  IdVector<Op, Id<Op>> now_;
  Computation out_;
};

}  // namespace

Graph with_owned_state(const Graph& graph) {
  Writes writes(graph);
  std::set<Id<Computation>> bodies;
  bool hands_over = false;
  for (const Computation& computation : graph.computations)
    for (const Op& op : computation.ops) {
      if (op.opcode == Opcode::While) bodies.insert(op.attributes.calls.at(1));
      for (const HandOver& hand : hand_overs(op)) hands_over = hands_over || !writes.of(hand.callee).empty();
    }
  if (!hands_over) return graph;
  Graph out = graph;
  for (std::size_t i = 0; i < graph.computations.size(); ++i) {
    const Id<Computation> id(i);
    const bool body = bodies.contains(id);
    out.computations[id] = Owner(graph, id, writes).run(body ? &writes.of(id) : nullptr);
  }
  return graph::without_dead_code(out);
}

}  // namespace seam::planner
