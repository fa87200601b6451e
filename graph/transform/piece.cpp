#include "graph/piece.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/check.h"

namespace seam::graph {
namespace {

bool costs_nothing(const Computation& computation, Id<Op> id) {
  const Op& op = computation.ops[id];
  if (op.opcode == Opcode::Constant || op.opcode == Opcode::Iota) return true;
  return op.opcode == Opcode::Broadcast && costs_nothing(computation, op.operands[0]);
}

Op made(std::string name, Opcode opcode, Shape shape, std::vector<Id<Op>> operands) {
  Op op;
  op.name = std::move(name);
  op.opcode = opcode;
  op.opcode_text = std::string(graph::name(opcode));
  op.shape = std::move(shape);
  op.operands = std::move(operands);
  return op;
}

Shape tuple_of(const Computation& computation, const std::vector<Id<Op>>& ops) {
  Shape shape;
  shape.is_tuple = true;
  for (const Id<Op> op : ops) shape.elements.push_back(computation.ops[op].shape);
  return shape;
}

std::vector<std::int64_t> places(const Order& order) {
  std::vector<std::int64_t> place(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) place.at(static_cast<std::size_t>(order[k])) = static_cast<std::int64_t>(k);
  return place;
}

Shape lying(const Shape& shape, const Order& order) {
  SEAM_CHECK(!shape.is_tuple && order.size() == shape.dims.size(), "an order has a place for each dim");
  Shape out = shape;
  out.minor_to_major.clear();
  out.has_layout = false;
  for (std::size_t k = 0; k < order.size(); ++k) out.dims[k] = shape.dims[static_cast<std::size_t>(order[k])];
  return out;
}

}  // namespace

Graph piece_of(const Graph& graph, const Computation& computation, const std::vector<Id<Op>>& ops, std::string name) {
  Graph out = graph;
  out.name = std::move(name);
  out.donated.clear();
  out.header.clear();
  std::set<Id<Op>> inside(ops.begin(), ops.end());
  for (std::size_t i = computation.ops.size(); i-- > 0;) {
    const Id<Op> id(i);
    if (!inside.contains(id)) continue;
    for (const Id<Op> operand : computation.ops[id].operands)
      if (costs_nothing(computation, operand)) inside.insert(operand);
  }
  Computation piece;
  piece.name = computation.name;
  std::vector<Id<Op>> now(computation.ops.size());
  const auto users = computation.users();
  std::vector<Id<Op>> results;
  for (std::size_t i = 0; i < computation.ops.size(); ++i) {
    const Id<Op> id(i);
    const Op& op = computation.ops[id];
    if (!inside.contains(id)) {
      if (std::ranges::none_of(users[id], [&](Id<Op> user) { return inside.contains(user); })) continue;
      Op parameter = made(op.name, Opcode::Parameter, op.shape, {});
      parameter.attributes.index = std::ssize(piece.parameters);
      piece.parameters.push_back(now[i] = piece.ops.push_back(std::move(parameter)));
      continue;
    }
    Op copy = op;
    copy.attributes.control_predecessors.clear();
    for (Id<Op>& operand : copy.operands) operand = now[operand.index()];
    now[i] = piece.ops.push_back(std::move(copy));
    const bool leaves = id == computation.root || std::ranges::any_of(users[id], [&](Id<Op> user) { return !inside.contains(user); });
    if (leaves && !costs_nothing(computation, id)) results.push_back(now[i]);
  }
  piece.root = piece.ops.push_back(made("results", Opcode::Tuple, tuple_of(piece, results), results));
  out.computations[graph.entry] = std::move(piece);
  return out;
}

Graph with_border(const Graph& graph, const std::vector<Order>& parameters, const std::vector<Order>& results) {
  Graph out = graph;
  const Computation& from = graph.entry_computation();
  Computation to;
  to.name = from.name;
  std::vector<Id<Op>> now(from.ops.size());
  for (std::size_t i = 0; i < from.ops.size(); ++i) {
    Op op = from.ops[Id<Op>(i)];
    for (Id<Op>& operand : op.operands) operand = now[operand.index()];
    if (op.opcode == Opcode::Parameter) {
      const auto number = static_cast<std::size_t>(op.attributes.index);
      const Order order = number < parameters.size() ? parameters[number] : Order{};
      to.parameters.push_back({});
      if (order.empty()) {
        now[i] = to.parameters.back() = to.ops.push_back(std::move(op));
        continue;
      }
      Op inside = made(op.name + ".inside", Opcode::Transpose, op.shape, {});
      inside.attributes.dimensions = places(order);
      op.shape = lying(op.shape, order);
      to.parameters.back() = to.ops.push_back(std::move(op));
      inside.operands = {to.parameters.back()};
      now[i] = to.ops.push_back(std::move(inside));
      continue;
    }
    now[i] = to.ops.push_back(std::move(op));
  }
  to.root = now[from.root.index()];
  const std::vector<Id<Op>> returned = to.ops[to.root].operands;
  SEAM_CHECK(to.ops[to.root].opcode == Opcode::Tuple, "a piece returns a tuple");
  std::vector<Id<Op>> outside;
  for (std::size_t k = 0; k < returned.size(); ++k) {
    outside.push_back(returned[k]);
    if (k >= results.size() || results[k].empty()) continue;
    Op op = made(to.ops[returned[k]].name + ".outside", Opcode::Transpose, lying(to.ops[returned[k]].shape, results[k]), {returned[k]});
    op.attributes.dimensions = results[k];
    outside.back() = to.ops.push_back(std::move(op));
  }
  to.root = to.ops.push_back(made("border", Opcode::Tuple, tuple_of(to, outside), outside));
  out.computations[graph.entry] = std::move(to);
  return out;
}

}  // namespace seam::graph
