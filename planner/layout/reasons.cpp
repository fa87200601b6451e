// What a choice of orders is good for: the terms that would cost something otherwise.
#include <fmt/core.h>

#include <algorithm>
#include <functional>

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

constexpr std::size_t kMostCharges = 4;
constexpr double kNothing = 0.005;  ///< microseconds that print as 0.00

Orders orders_of(const Computation& computation, const LayoutOrders& named) {
  Orders out(computation.ops.size());
  const auto here = named.find(computation.name);
  for (std::size_t i = 0; i < computation.ops.size(); ++i) {
    const Op& op = computation.ops[Id<Op>(i)];
    if (op.shape.is_tuple) continue;
    out[Id<Op>(i)] = graph::row_major_order(op.shape.rank());
    if (here == named.end()) continue;
    if (const auto order = here->second.find(op.name); order != here->second.end()) out[Id<Op>(i)] = order->second;
  }
  return out;
}

/// What a term is about, in words.
std::string in_words(const Computation& computation, const layout::Term& term, const Orders& orders) {
  const auto name = [&](std::size_t i) { return computation.ops[term.ops[i]].name; };
  switch (term.kind) {
    case layout::Term::Kind::Border: return fmt::format("{} is wanted row-major by what reads it", name(0));
    case layout::Term::Kind::Walk:
      if (computation.ops[term.ops[0]].opcode == Opcode::Transpose) return fmt::format("{} moves {} in memory", name(0), name(1));
      return fmt::format("{} reads {} across its walk", name(0), name(1));
    case layout::Term::Kind::Product: {
      const analyzer::ProductFit fit = layout::fit_of(computation, computation.ops[term.ops[2]], {orders[term.ops[0]], orders[term.ops[1]], orders[term.ops[2]]});
      std::string copied;
      const auto add = [&](bool is, const std::string& what) {
        if (is) copied += (copied.empty() ? "" : ", ") + what;
      };
      add(fit.copy_lhs, fmt::format("reads {} through a copy", name(0)));
      add(fit.copy_rhs, fmt::format("reads {} through a copy", name(1)));
      add(fit.copy_result, "writes its result through a copy");
      return fmt::format("library product {} {}", name(2), copied.empty() ? "takes all as it lies" : copied);
    }
  }
  return {};
}

}  // namespace

std::vector<LayoutReason> layout_reasons(const Graph& graph, const PlanOptions& options, const LayoutOrders& named, const LayoutCosts& costs) {
  std::vector<LayoutReason> out;
  const Graph own = graph::with_own_broadcasts(graph);
  for (const Computation& computation : own.computations) {
    if (!named.contains(computation.name)) continue;
    const Roles roles = roles_of(own, computation, options);
    const layout::Islands islands = layout::islands_of(computation);
    const layout::Pricer pricer(computation, roles, costs);
    const std::vector<layout::Term> terms = layout::terms_of(computation, roles, pricer);
    const Orders orders = orders_of(computation, named);
    for (std::size_t i = 0; i < islands.islands.size(); ++i) {
      std::vector<Id<Op>> moved;
      Orders plain = orders;
      for (const Id<Op> op : islands.islands[i].ops) {
        if (!graph::is_row_major(orders[op])) moved.push_back(op);
        plain[op] = graph::row_major_order(computation.ops[op].shape.rank());
      }
      if (moved.empty()) continue;
      std::ranges::stable_sort(moved, std::ranges::greater{}, [&](Id<Op> op) { return computation.ops[op].shape.byte_size(); });
      LayoutReason reason{computation.name, {}, 0, {}};
      for (const Id<Op> op : moved) reason.values.push_back({computation.ops[op].name, computation.ops[op].shape, orders[op]});
      for (const layout::Term& term : terms) {
        if (std::ranges::none_of(term.ops, [&](Id<Op> op) { return islands.of[op] == i; })) continue;
        const double more = layout::cost_us(pricer, term, plain) - layout::cost_us(pricer, term, orders);
        reason.saved_us += more;
        if (more > kNothing) reason.otherwise.push_back({in_words(computation, term, plain), more});
      }
      std::ranges::stable_sort(reason.otherwise, std::ranges::greater{}, &LayoutCharge::us);
      if (reason.otherwise.size() > kMostCharges) reason.otherwise.resize(kMostCharges);
      out.push_back(std::move(reason));
    }
  }
  return out;
}

std::vector<BadLayout> bad_layouts(const Graph& graph, const PlanOptions& options, const LayoutOrders& best, const LayoutCosts& costs, double times) {
  std::vector<BadLayout> out;
  const Graph own = graph::with_own_broadcasts(graph);
  for (const Computation& computation : own.computations) {
    const Roles roles = roles_of(own, computation, options);
    const layout::Pricer pricer(computation, roles, costs);
    const Orders now = orders_of(computation, {}), then = orders_of(computation, best);
    for (const layout::Term& term : layout::terms_of(computation, roles, pricer)) {
      const double pays = layout::cost_us(pricer, term, now), least = layout::cost_us(pricer, term, then);
      if (pays <= kNothing || pays <= least) continue;
      // What moving the value costs anyway, where a kernel reads it.
      const Id<Op> about = term.kind == layout::Term::Kind::Border ? term.ops[0] : term.kind == layout::Term::Kind::Walk ? term.ops[1] : term.ops[2];
      const graph::Shape& shape = computation.ops[about].shape;
      const bool walk = term.kind == layout::Term::Kind::Walk && computation.ops[term.ops[0]].opcode != Opcode::Transpose;
      const double anyway = walk ? costs.copy_us(crossing(shape.dtype, shape.dims, graph::row_major_order(shape.rank()), graph::row_major_order(shape.rank()))) : 0;
      if (anyway + pays < times * (anyway + least)) continue;
      const Op& op = computation.ops[term.kind == layout::Term::Kind::Product ? term.ops[2] : term.ops[0]];
      out.push_back({computation.name, op.name, std::string(graph::name(op.opcode)), in_words(computation, term, now), shape, anyway + pays, anyway + least});
    }
  }
  std::ranges::stable_sort(out, std::ranges::greater{}, [](const BadLayout& one) { return one.now_us - one.best_us; });
  return out;
}

}  // namespace seam::planner
