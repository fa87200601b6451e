// Islands → network → choice → names; and names → the rewritten graph.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "graph/transform.h"
#include "layout/layouts.h"
#include "layout/network.h"
#include "planner/layouts.h"

namespace seam::planner {

using graph::Computation;
using graph::Graph;
using graph::Op;
using graph::Opcode;
using graph::Order;
using graph::Orders;

namespace {

constexpr std::array<std::pair<Layouts, std::string_view>, 3> kNames = {
    {{Layouts::AsWritten, "as-written"}, {Layouts::RowMajor, "row-major"}, {Layouts::Chosen, "chosen"}}};

}  // namespace

std::string_view name(Layouts layouts) { return std::ranges::find(kNames, layouts, &std::pair<Layouts, std::string_view>::first)->second; }

std::optional<Layouts> layouts_named(std::string_view name) {
  const auto* found = std::ranges::find(kNames, name, &std::pair<Layouts, std::string_view>::second);
  return found == kNames.end() ? std::nullopt : std::optional(found->first);
}

namespace {

/// Sets that would cost less with each of their values row-major, as the module writes them: the network moves sets as a whole, and knows no transpose
/// inside one that moves its value in memory. What that saves is added up, at most 0.
double put_back(const Computation& computation, const Roles& roles, const LayoutCosts& costs, const layout::Islands& islands, Orders& orders) {
  const layout::Pricer pricer(computation, roles, costs);
  const std::vector<layout::Term> terms = layout::terms_of(computation, roles, pricer);
  std::vector<std::vector<std::size_t>> of_island(islands.islands.size());
  for (std::size_t t = 0; t < terms.size(); ++t) {
    for (const Id<Op> op : terms[t].ops) {
      const std::size_t i = islands.of[op];
      if (i != layout::kNone && (of_island[i].empty() || of_island[i].back() != t)) of_island[i].push_back(t);
    }
  }
  constexpr double kLess = 1e-6;
  double saved = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < islands.islands.size(); ++i) {
      Orders plain = orders;
      bool moved = false;
      for (const Id<Op> op : islands.islands[i].ops) {
        moved |= !graph::is_row_major(plain[op]);
        plain[op] = graph::row_major_order(computation.ops[op].shape.rank());
      }
      if (!moved) continue;
      double more = 0;
      for (const std::size_t t : of_island[i]) more += layout::cost_us(pricer, terms[t], plain) - layout::cost_us(pricer, terms[t], orders);
      if (more > -kLess) continue;
      orders = std::move(plain);
      saved += more;
      changed = true;
    }
  }
  return saved;
}

}  // namespace

LayoutChoice choose_layouts(const Graph& graph, const PlanOptions& options, const LayoutCosts& costs) {
  LayoutChoice out;
  const Graph own = graph::with_own_broadcasts(graph);
  for (const Computation& computation : own.computations) {
    const Roles roles = roles_of(own, computation, options);
    const layout::LayoutNetwork network = layout::network_of(computation, roles, costs);
    const layout::Solution solution = layout::solve(network.network);
    out.cost_us += solution.cost;
    out.lower_bound_us += solution.lower_bound;
    out.unmoved_us += network.network.cost(std::vector<std::size_t>(network.orders.size(), 0));
    out.groups += network.islands.islands.size();
    out.factors += network.network.factors.size();
    Orders orders(computation.ops.size());
    for (std::size_t i = 0; i < computation.ops.size(); ++i)
      if (!computation.ops[Id<Op>(i)].shape.is_tuple) orders[Id<Op>(i)] = graph::row_major_order(computation.ops[Id<Op>(i)].shape.rank());
    for (std::size_t i = 0; i < network.islands.islands.size(); ++i)
      for (const Id<Op> op : network.islands.islands[i].ops) orders[op] = network.islands.of_op(op, network.orders[i][solution.chosen[i]]);
    out.cost_us += put_back(computation, roles, costs, network.islands, orders);
    for (const layout::Island& island : network.islands.islands) {
      for (const Id<Op> op : island.ops) {
        ++out.values;
        if (!graph::is_row_major(orders[op])) out.orders[computation.name][computation.ops[op].name] = orders[op];
      }
    }
  }
  out.lower_bound_us = std::min(out.lower_bound_us, out.cost_us);
  return out;
}

std::vector<LayoutOrders> with_one_less(const Graph& graph, const LayoutOrders& orders) {
  std::vector<std::pair<std::int64_t, LayoutOrders>> sized;  // by minus the bytes of the largest value in the set
  const Graph own = graph::with_own_broadcasts(graph);
  for (const Computation& computation : own.computations) {
    const auto here = orders.find(computation.name);
    if (here == orders.end()) continue;
    for (const layout::Island& island : layout::islands_of(computation).islands) {
      LayoutOrders less = orders;
      std::size_t dropped = 0;
      for (const Id<Op> op : island.ops) dropped += less[computation.name].erase(computation.ops[op].name);
      if (dropped == 0) continue;
      std::int64_t bytes = 0;
      for (const Id<Op> op : island.ops) bytes = std::max(bytes, computation.ops[op].shape.byte_size());
      sized.emplace_back(-bytes, std::move(less));
    }
  }
  std::ranges::stable_sort(sized, {}, [](const auto& one) { return one.first; });
  std::vector<LayoutOrders> out;
  for (auto& [size, less] : sized) out.push_back(std::move(less));
  return out;
}

namespace layout {

namespace {

Result<Orders> named_orders(const Computation& computation, const std::map<std::string, Order>& named) {
  Orders orders(computation.ops.size());
  for (const auto& [name, order] : named) {
    const auto refuse = [&](std::string_view why) { return fail(Error::Code::BadInput, fmt::format("layout {} of {} in {}: {}", graph::print_order(order), name, computation.name, why)); };
    const std::optional<Id<Op>> id = computation.find(name);
    if (!id) return refuse("there is no such op before pass layouts");
    const Op& op = computation.ops[*id];
    if (!graph::may_reorder(op)) return refuse(fmt::format("the dims of a {} stay as they are", graph::name(op.opcode)));
    if (std::cmp_not_equal(order.size(), op.shape.rank())) return refuse(fmt::format("it has {} dims", op.shape.rank()));
    orders[*id] = order;
  }
  return orders;
}

}  // namespace

Result<Graph> with_orders(const Graph& graph, const PlanOptions& options, const LayoutOrders& named) {
  for (const auto& [name, orders] : named)
    if (std::ranges::find(graph.computations, name, &Computation::name) == graph.computations.end())
      return fail(Error::Code::BadInput, fmt::format("a layout names computation {}, which the module does not have", name));
  Graph own = graph::with_own_broadcasts(graph);
  for (std::size_t c = 0; c < own.computations.size(); ++c) {
    const Id<Computation> id(c);
    const Computation computation = own.computations[id];
    const Roles roles = roles_of(own, computation, options);
    const auto here = named.find(computation.name);
    SEAM_TRY(const Orders orders, named_orders(computation, here == named.end() ? std::map<std::string, Order>{} : here->second));
    const auto order_of = [&](Id<Op> op) { return orders[op].empty() ? graph::row_major_order(computation.ops[op].shape.rank()) : orders[op]; };
    std::map<Id<Op>, graph::DotOrders> products;
    for (std::size_t i = 0; i < computation.ops.size(); ++i) {
      const Op& op = computation.ops[Id<Op>(i)];
      if (op.opcode != Opcode::Dot || roles.role[Id<Op>(i)] != Role::Library) continue;
      const analyzer::ProductFit fit = fit_of(computation, op, {order_of(op.operands[0]), order_of(op.operands[1]), order_of(Id<Op>(i))});
      products[Id<Op>(i)] = {fit.orders.lhs, fit.orders.rhs, fit.orders.result};
    }
    own.computations[id] = graph::reordered(computation, orders, products);
  }
  return graph::without_dead_code(graph::without_duplicates(own));
}

}  // namespace layout

}  // namespace seam::planner
