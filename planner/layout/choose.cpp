// Islands → network → choice → names; and names → the rewritten graph.
#include <algorithm>
#include <array>
#include <utility>

#include "graph/transform.h"
#include "layout/layouts.h"
#include "layout/network.h"
#include "planner/layouts.h"
#include "stitch/problem.h"

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

LayoutChoice choose_layouts(const Graph& graph, const PlanOptions& options, const LayoutCosts& costs) {
  LayoutChoice out;
  const Graph own = graph::with_own_broadcasts(graph);
  for (const Computation& computation : own.computations) {
    const Roles roles = roles_of(own, computation, options);
    const layout::LayoutNetwork network = layout::network_of(computation, roles, costs);
    const layout::Solution solution = layout::solve(network.network);
    out.cost_us += solution.cost;
    out.lower_bound_us += solution.lower_bound;
    out.row_major_us += network.network.cost(std::vector<std::size_t>(network.orders.size(), 0));
    out.groups += network.islands.islands.size();
    out.factors += network.network.factors.size();
    if (std::getenv("SEAM_DBG")) {
      std::vector<Order> chosen, plain;
      for (std::size_t i = 0; i < network.orders.size(); ++i) chosen.push_back(network.orders[i][solution.chosen[i]]), plain.push_back(network.orders[i][0]);
      const layout::Pricer pricer(computation, roles, costs);
      for (const auto& t : network.terms) {
        std::vector<Order> a, b;
        std::string names;
        for (auto id : t.ops) a.push_back(layout::order_of(computation, network.islands, id, chosen)), b.push_back(layout::order_of(computation, network.islands, id, plain)), names += " " + computation.ops[id].name + graph::print(computation.ops[id].shape) + graph::print_order(a.back());
        double x = pricer.cost_us(t, a), y = pricer.cost_us(t, b);
        if (x > 0.01 || y > 0.01) fprintf(stderr, "%d %.2f %.2f %s\n", int(t.kind), x, y, names.c_str());
      }
      fprintf(stderr, "cost %.2f row %.2f bound %.2f\n", solution.cost, out.row_major_us, solution.lower_bound);
    }
    for (std::size_t i = 0; i < network.islands.islands.size(); ++i) {
      for (const Id<Op> op : network.islands.islands[i].ops) {
        ++out.values;
        Order order = network.islands.of_op(op, network.orders[i][solution.chosen[i]]);
        if (!graph::is_row_major(order)) out.orders[computation.name][computation.ops[op].name] = std::move(order);
      }
    }
  }
  return out;
}

namespace layout {

namespace {

Orders named_orders(const Computation& computation, const LayoutOrders& named) {
  Orders orders(computation.ops.size());
  const auto found = named.find(computation.name);
  if (found == named.end()) return orders;
  for (std::size_t i = 0; i < computation.ops.size(); ++i) {
    const Op& op = computation.ops[Id<Op>(i)];
    const auto order = found->second.find(op.name);
    if (order != found->second.end() && graph::may_reorder(op) && std::cmp_equal(order->second.size(), op.shape.rank())) orders[Id<Op>(i)] = order->second;
  }
  return orders;
}

}  // namespace

Graph with_orders(const Graph& graph, const PlanOptions& options, const LayoutOrders& named) {
  Graph own = graph::with_own_broadcasts(graph);
  for (std::size_t c = 0; c < own.computations.size(); ++c) {
    const Id<Computation> id(c);
    const Computation computation = own.computations[id];
    const Roles roles = roles_of(own, computation, options);
    const Orders orders = named_orders(computation, named);
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
