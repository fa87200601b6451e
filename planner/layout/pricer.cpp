// What each term of a network costs. A value that lies across the walk of the kernel that makes or reads it costs that kernel time; where nothing but
// the library touches it, a kernel of its own has to copy it.
#include <algorithm>

#include "layout/network.h"

namespace seam::planner::layout {

using analyzer::ProductFit;
using graph::Computation;
using graph::Op;
using graph::Opcode;
using graph::Order;

namespace {

/// Yields its operand's elements and no others: with the right layout no work at all.
bool only_moves(const Op& op) { return op.opcode == Opcode::Transpose || op.opcode == Opcode::Reshape || op.opcode == Opcode::Bitcast || op.opcode == Opcode::Copy; }

Order row_major(const Computation& computation, Id<Op> id) { return graph::row_major_order(computation.ops[id].shape.rank()); }

/// The order of a reduce's result as it comes from an operand that lies in `order`.
Order order_of_reduced(const Op& reduce, const Order& order) {
  std::vector<std::int64_t> number(order.size(), -1);
  std::int64_t kept = 0;
  for (std::size_t d = 0; d < number.size(); ++d)
    if (std::ranges::find(reduce.attributes.dimensions, static_cast<std::int64_t>(d)) == reduce.attributes.dimensions.end()) number[d] = kept++;
  Order out;
  for (const std::int64_t d : order)
    if (number[static_cast<std::size_t>(d)] >= 0) out.push_back(number[static_cast<std::size_t>(d)]);
  return out;
}

}  // namespace

Pricer::Pricer(const Computation& computation, const Roles& roles, const LayoutCosts& costs)
    : computation_(computation), roles_(roles), costs_(costs), computed_(computation.ops.size(), false), read_by_kernels_(computation.ops.size(), false) {
  const auto in_kernels = [&](Id<Op> id) {
    const Role role = roles.role[id];
    return role == Role::Map || role == Role::Pivot || role == Role::Reduce || role == Role::Dot || role == Role::Scatter || role == Role::Update;
  };
  for (std::size_t i = 0; i < computation.ops.size(); ++i) {
    const Op& op = computation.ops[Id<Op>(i)];
    computed_[Id<Op>(i)] = only_moves(op) ? computed_[op.operands[0]] : in_kernels(Id<Op>(i));
  }
  for (std::size_t i = computation.ops.size(); i-- > 0;) {
    const Id<Op> id(i);
    read_by_kernels_[id] = id != computation.root && !roles.users[id].empty() && std::ranges::all_of(roles.users[id], [&](Id<Op> user) {
      return only_moves(computation.ops[user]) ? read_by_kernels_[user] : in_kernels(user);
    });
  }
}

bool Pricer::is_product(Id<Op> op) const { return computation_.ops[op].opcode == Opcode::Dot && roles_.role[op] == Role::Library; }

double Pricer::crossed(bool by_kernel, Id<Op> value, const Order& walked, const Order& lies) const {
  const graph::Shape& shape = computation_.ops[value].shape;
  const Crossing across = crossing(shape.dtype, shape.dims, walked, lies);
  if (across.straight()) return 0;
  return by_kernel ? costs_.walk_us(across) : costs_.copy_us(across);
}

double Pricer::cost_us(const Term& term, const std::vector<Order>& orders) const {
  switch (term.kind) {
    case Term::Kind::Border: return border(term.ops[0], orders[0]);
    case Term::Kind::Walk: return walked(term.ops[0], term.ops[1], orders[0], orders[1]);
    case Term::Kind::Product: return product(term.ops, orders);
  }
  return 0;
}

double Pricer::border(Id<Op> value, const Order& lies) const { return crossed(computed_[value], value, row_major(computation_, value), lies); }

double Pricer::walked(Id<Op> user, Id<Op> operand, const Order& mine, const Order& lies) const {
  const Op &op = computation_.ops[user], &from = computation_.ops[operand];
  const bool by_kernel = !only_moves(op) || computed_[operand] || read_by_kernels_[user];
  switch (op.opcode) {
    case Opcode::Broadcast: {
      Order wanted = row_major(computation_, operand);
      std::ranges::sort(wanted, {}, [&](std::int64_t d) { return std::ranges::find(mine, op.attributes.dimensions[static_cast<std::size_t>(d)]) - mine.begin(); });
      return crossed(true, operand, wanted, lies);
    }
    case Opcode::Reduce:
      if (op.shape.is_tuple) return crossed(true, operand, row_major(computation_, operand), lies);
      return op.shape.rank() < 2 ? 0 : crossed(true, user, order_of_reduced(op, lies), mine);
    case Opcode::Reshape: {
      if (const std::optional<Order> kept = graph::order_of_reshaped(from.shape.dims, op.shape.dims, lies)) return crossed(by_kernel, user, mine, *kept);
      return crossed(by_kernel, operand, row_major(computation_, operand), lies) + crossed(by_kernel, user, mine, row_major(computation_, user));
    }
    case Opcode::Transpose: return crossed(by_kernel, user, mine, graph::order_of_transposed(lies, op.attributes.dimensions));
    case Opcode::Dot: return 0;  // of a kernel: its loops read what they get
    default: return crossed(true, operand, from.shape.rank() == op.shape.rank() ? mine : row_major(computation_, operand), lies);
  }
}

double Pricer::product(const std::vector<Id<Op>>& ops, const std::vector<Order>& orders) const {
  const ProductFit fit = fit_of(computation_, computation_.ops[ops[2]], {orders[0], orders[1], orders[2]});
  const auto handed = [&](Id<Op> operand, const Order& lies, const Order& seen) {
    // Who else wants it in memory gets it in its own order: a kernel writes it twice.
    const auto in_memory = std::ranges::count_if(roles_.users[operand], [&](Id<Op> user) { return roles_.is_call(user) || roles_.role[user] == Role::Plumbing; });
    const double again = computed_[operand] && in_memory > 1 ? crossed(false, operand, seen, lies) / 2 : 0;
    return crossed(computed_[operand], operand, lies, seen) + again;
  };
  double cost = 0;
  if (fit.copy_lhs) cost += handed(ops[0], orders[0], fit.orders.lhs);
  if (fit.copy_rhs) cost += handed(ops[1], orders[1], fit.orders.rhs);
  if (fit.copy_result) cost += crossed(read_by_kernels_[ops[2]], ops[2], orders[2], fit.orders.result);
  return cost;
}

}  // namespace seam::planner::layout
