#pragma once
/// One computation's choice of layouts as a network: islands are variables, their orders the choices; factors are what products of the library cannot take as
/// it lies, and what kernels read or write across the order in which they walk.
#include <cstdint>
#include <vector>

#include "analyzer/product_fit.h"
#include "facts/roles.h"
#include "layout/islands.h"
#include "layout/solve.h"
#include "planner/layouts.h"

namespace seam::planner::layout {

/// One thing that costs something in some orders: what explains a choice.
struct Term {
  enum class Kind : std::uint8_t {
    Border,   ///< ops = {value}: read by what knows it row-major only
    Walk,     ///< ops = {user, what it reads}
    Product,  ///< ops = {lhs, rhs, the product}
  } kind{};
  std::vector<Id<graph::Op>> ops;
};

/// Microseconds of terms, by an order per op of the term.
class Pricer {
 public:
  Pricer(const graph::Computation& computation, const Roles& roles, const LayoutCosts& costs);
  [[nodiscard]] double cost_us(const Term& term, const std::vector<graph::Order>& orders) const;
  [[nodiscard]] bool is_product(Id<graph::Op> op) const;

 private:
  [[nodiscard]] double border(Id<graph::Op> value, const graph::Order& lies) const;
  [[nodiscard]] double walked(Id<graph::Op> user, Id<graph::Op> operand, const graph::Order& mine, const graph::Order& lies) const;
  [[nodiscard]] double product(const std::vector<Id<graph::Op>>& ops, const std::vector<graph::Order>& orders) const;
  /// Of a value that a kernel makes or reads anyway, or for which there would have to be one.
  [[nodiscard]] double crossed(bool by_kernel, Id<graph::Op> value, const graph::Order& walked, const graph::Order& lies) const;

  const graph::Computation& computation_;
  const Roles& roles_;
  const LayoutCosts& costs_;
  IdVector<graph::Op, bool> computed_;         ///< a kernel makes it, and not only to move it
  IdVector<graph::Op, bool> read_by_kernels_;  ///< only kernels read it, and not only to move it
};

/// All terms of the computation, also those that cost nothing in any order.
[[nodiscard]] std::vector<Term> terms_of(const graph::Computation& computation, const Roles& roles, const Pricer& pricer);

/// One term under orders of all ops.
[[nodiscard]] double cost_us(const Pricer& pricer, const Term& term, const graph::Orders& orders);

struct LayoutNetwork {
  Islands islands;
  std::vector<std::vector<graph::Order>> orders;  ///< per island: the choices of its variable, first the one in which its first op is row-major
  Network network;
};
[[nodiscard]] LayoutNetwork network_of(const graph::Computation& computation, const Roles& roles, const LayoutCosts& costs);

/// How a product of the library gets its operands where they lie as stated.
[[nodiscard]] analyzer::ProductFit fit_of(const graph::Computation& computation, const graph::Op& dot, const analyzer::ProductOrders& orders);

}  // namespace seam::planner::layout
