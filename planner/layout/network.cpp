#include "layout/network.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace seam::planner::layout {

using analyzer::ProductFit;
using analyzer::ProductOrders;
using graph::Computation;
using graph::Op;
using graph::Opcode;
using graph::Order;

namespace {

/// More dims than this have too many orders.
constexpr std::size_t kMostPermuted = 5;
/// Of orders of the values that meet in one term.
constexpr std::size_t kMostCombinations = 20'000;

/// Microseconds, far below what any kernel's time is known to.
constexpr double kPreference = 1e-3;

bool is_array(const Op& op) { return !op.shape.is_tuple && op.shape.rank() >= 2; }

class Maker {
 public:
  Maker(const Computation& computation, const Roles& roles, const LayoutCosts& costs)
      : computation_(computation), pricer_(computation, roles, costs), terms_(terms_of(computation, roles, pricer_)) {}

  LayoutNetwork run() {
    out_.islands = islands_of(computation_);
    for (const Island& island : out_.islands.islands) out_.orders.push_back(candidates(island, true));
    narrow();
    for (const std::vector<Order>& orders : out_.orders) out_.network.choices.push_back(orders.size());
    for (const Term& term : terms_) add(term);
    for (std::size_t i = 0; i < out_.orders.size(); ++i) prefer_row_major(i);
    for (auto& [variables, factor] : factors_) out_.network.factors.push_back(std::move(factor));
    return std::move(out_);
  }

 private:
  [[nodiscard]] const Op& op(Id<Op> id) const { return computation_.ops[id]; }
  [[nodiscard]] std::size_t island(Id<Op> id) const { return out_.islands.of[id]; }

  /// All orders of the dims that matter; or, not `all`, those that some op has as row-major, and these with two dims exchanged.
  std::vector<Order> candidates(const Island& island, bool all) const {
    std::vector<std::int64_t> extents(op(island.reference).shape.dims.size(), 1);
    for (const Id<Op> id : island.ops)
      for (std::size_t d = 0; d < extents.size(); ++d) {
        auto& extent = extents[static_cast<std::size_t>(out_.islands.dims[id][d])];
        extent = std::max(extent, op(id).shape.dims[d]);
      }
    std::vector<std::int64_t> big, ones;
    for (std::size_t d = 0; d < extents.size(); ++d) (extents[d] > 1 ? big : ones).push_back(static_cast<std::int64_t>(d));
    std::vector<Order> out;
    const auto add = [&](const Order& order) {
      if (std::ranges::find(out, order) == out.end()) out.push_back(order);
    };
    // Row-major as each op has it; ones stand where the first has them.
    add(out_.islands.of_island(island.ops.front(), graph::row_major_order(std::ssize(extents))));
    std::set<Order> seen{only_big(out.front(), extents)};
    const auto add_new = [&](const Order& order) {
      if (seen.insert(only_big(order, extents)).second) add(order);
    };
    if (all && big.size() <= kMostPermuted) {
      do {
        Order order = ones;
        order.insert(order.end(), big.begin(), big.end());
        add_new(order);
      } while (std::ranges::next_permutation(big).found);
    } else {
      for (const Id<Op> id : island.ops) add_new(out_.islands.of_island(id, graph::row_major_order(std::ssize(extents))));
      const std::vector<Order> own = out;
      for (const Order& order : own)
        for (std::size_t i = 0; i < order.size(); ++i)
          for (std::size_t j = i + 1; j < order.size(); ++j) {
            Order exchanged = order;
            std::swap(exchanged[i], exchanged[j]);
            add_new(exchanged);
          }
    }
    return out;
  }

  /// Three values of five dims that meet at one product have 1.7 million combinations: there the ones with most orders keep only their likely ones.
  void narrow() {
    std::vector<bool> narrowed(out_.orders.size(), false);
    for (const Term& term : terms_) {
      std::vector<std::size_t> variables = variables_of(term);
      const auto combinations = [&] {
        std::size_t product = 1;
        for (const std::size_t v : variables) product *= out_.orders[v].size();
        return product;
      };
      std::ranges::sort(variables, std::ranges::greater{}, [&](std::size_t v) { return out_.orders[v].size(); });
      for (const std::size_t v : variables) {
        if (combinations() <= kMostCombinations) break;
        if (!narrowed[v]) out_.orders[v] = candidates(out_.islands.islands[v], false);
        narrowed[v] = true;
      }
    }
  }

  /// Of orders that cost the same, the one in which most values are row-major.
  void prefer_row_major(std::size_t i) {
    const std::vector<Id<Op>>& ops = out_.islands.islands[i].ops;
    Factor preference{{i}, {}};
    for (const Order& order : out_.orders[i]) {
      const auto others = std::ranges::count_if(ops, [&](Id<Op> id) { return !graph::is_row_major(out_.islands.of_op(id, order)); });
      preference.cost.push_back(kPreference * static_cast<double>(others) / static_cast<double>(ops.size()));
    }
    out_.network.factors.push_back(std::move(preference));
  }

  static Order only_big(const Order& order, const std::vector<std::int64_t>& extents) {
    Order out;
    std::ranges::copy_if(order, std::back_inserter(out), [&](std::int64_t d) { return extents[static_cast<std::size_t>(d)] > 1; });
    return out;
  }

  /// Order of an op's value when its island's choice is `choice`.
  [[nodiscard]] Order at(Id<Op> id, std::size_t choice) const {
    return island(id) == kNone ? graph::row_major_order(op(id).shape.rank()) : out_.islands.of_op(id, out_.orders[island(id)][choice]);
  }

  /// Islands of the term's ops, ascending.
  [[nodiscard]] std::vector<std::size_t> variables_of(const Term& term) const {
    std::vector<std::size_t> variables;
    for (const Id<Op> id : term.ops)
      if (island(id) != kNone) variables.push_back(island(id));
    std::ranges::sort(variables);
    variables.erase(std::ranges::unique(variables).begin(), variables.end());
    return variables;
  }

  /// Adds the term's cost to the factor over its ops' islands; ops of one island share its choice.
  void add(const Term& term) {
    const std::vector<std::size_t> variables = variables_of(term);
    if (variables.empty()) return;
    std::vector<std::size_t> choice(variables.size(), 0);
    std::vector<double> table;
    std::vector<Order> orders(term.ops.size());
    while (true) {
      for (std::size_t i = 0; i < term.ops.size(); ++i) {
        const auto found = std::ranges::lower_bound(variables, island(term.ops[i]));
        orders[i] = at(term.ops[i], island(term.ops[i]) == kNone ? 0 : choice[static_cast<std::size_t>(found - variables.begin())]);
      }
      table.push_back(pricer_.cost_us(term, orders));
      std::size_t i = choice.size();
      while (i > 0 && ++choice[i - 1] == out_.orders[variables[i - 1]].size()) choice[--i] = 0;
      if (i == 0) break;
    }
    if (std::ranges::all_of(table, [](double c) { return c == 0; })) return;
    auto [where, fresh] = factors_.try_emplace(variables, Factor{variables, {}});
    if (fresh) {
      where->second.cost = std::move(table);
    } else {
      for (std::size_t k = 0; k < table.size(); ++k) where->second.cost[k] += table[k];
    }
  }

  const Computation& computation_;
  Pricer pricer_;
  std::vector<Term> terms_;
  LayoutNetwork out_;
  std::map<std::vector<std::size_t>, Factor> factors_;
};

}  // namespace

std::vector<Term> terms_of(const Computation& computation, const Roles& roles, const Pricer& pricer) {
  std::vector<Term> out;
  for (std::size_t i = 0; i < computation.ops.size(); ++i) {
    const Id<Op> id(i);
    const Op& op = computation.ops[id];
    if (pricer.is_product(id)) {
      out.push_back({Term::Kind::Product, {op.operands[0], op.operands[1], id}});
      continue;
    }
    if (roles.role[id] == Role::Folded) continue;
    // What an op reads twice it reads once.
    std::vector<Id<Op>> operands = op.operands;
    std::ranges::sort(operands);
    operands.erase(std::ranges::unique(operands).begin(), operands.end());
    for (const Id<Op> operand : operands) {
      if (!is_array(computation.ops[operand]) || roles.role[operand] == Role::Folded) continue;
      if (graph::may_reorder(op)) {
        out.push_back({Term::Kind::Walk, {id, operand}});
      } else {
        out.push_back({Term::Kind::Border, {operand}});
      }
    }
  }
  return out;
}

double cost_us(const Pricer& pricer, const Term& term, const graph::Orders& orders) {
  std::vector<Order> own;
  for (const Id<Op> op : term.ops) own.push_back(orders[op]);
  return pricer.cost_us(term, own);
}

LayoutNetwork network_of(const Computation& computation, const Roles& roles, const LayoutCosts& costs) { return Maker(computation, roles, costs).run(); }

ProductFit fit_of(const Computation& computation, const Op& dot, const ProductOrders& orders) {
  return analyzer::product_fit(analyzer::product_dims(computation, dot), orders, bytes(computation.ops[dot.operands[0]].shape.dtype), bytes(dot.shape.dtype));
}

}  // namespace seam::planner::layout
