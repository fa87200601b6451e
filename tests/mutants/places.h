#pragma once
/// Places of a kernel, numbered as its text reads, and copies of the kernel that differ in one of them. What every mutation rule is
/// written with.
#include <functional>
#include <string>
#include <vector>

#include "codegen/kernel.h"

namespace seam::codegen::test {

/// A statement, wherever it is nested. Notes have numbers too, so that a number is a line of the printed body (without `end` and `else`).
struct Site {
  std::size_t number = 0;
  const Stmt* stmt = nullptr;
  const Body* body = nullptr;          ///< the block it stands in …
  std::size_t index = 0;               ///< … and where there
  std::vector<const Stmt*> around;     ///< the loops and ifs that hold it, outermost first
  std::vector<bool> taken;             ///< of each of those: whether it stands in the loop's or the if's first block
};
/// Valid as long as the kernel is.
[[nodiscard]] std::vector<Site> sites(const Kernel& kernel);
template <StatementKind Node>
[[nodiscard]] const Node* as(const Site& site) {
  return std::get_if<Node>(&(*site.stmt)->kind);
}

/// The kernel with statement `number` replaced by others.
[[nodiscard]] Kernel with_statement(const Kernel& kernel, std::size_t number, const Body& instead);

/// A node of an expression that stands directly in a statement.
struct Node {
  std::size_t number = 0;  ///< among the statement's nodes, as for_each_expr and for_each_child come to them
  Expr expr;
  bool index = false;      ///< it is (part of) an index, a loop bound or a guard, not of a value that is computed
  bool in_load = false;    ///< it is (part of) the index of a load
};
[[nodiscard]] std::vector<Node> nodes(const Stmt& stmt);
template <ExpressionKind Kind>
[[nodiscard]] const Kind* as(const Node& node) {
  return std::get_if<Kind>(&node.expr->kind);
}
/// The kernel with one node of one statement replaced.
[[nodiscard]] Kernel with_node(const Kernel& kernel, std::size_t statement, std::size_t node, const Expr& instead);
[[nodiscard]] bool mentions(const Expr& e, const std::string& name);
/// Whether the statement, or one nested in it, loads from or stores to a buffer at an index that mentions `name`.
[[nodiscard]] bool accesses_by(const Stmt& stmt, const std::string& name);

/// What is stored goes to shared memory where something else stood before, and may be the very same numbers: one operand of an op that returns one of
/// its operands (an index before and after its sign was looked at).
[[nodiscard]] bool may_hold_the_same(const Kernel& kernel, const Store& store);

/// "#17 store p_r": which statement, in a few words.
[[nodiscard]] std::string place_of(const Site& site);

}  // namespace seam::codegen::test
