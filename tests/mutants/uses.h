#pragma once
/// What becomes of a value after it has a name.
#include <algorithm>
#include <string>

#include "codegen/kernel.h"
#include "pass/rewrite.h"

namespace seam::codegen::test {

/// Each use of a name: `f(statement, op)`, op the scalar op that takes it, or nullptr where the statement, a load's index or index arithmetic does.
template <class F>
void for_each_use(const Kernel& kernel, const std::string& name, F&& f) {
  for_each_stmt(kernel.body, [&](const Stmt& s) {
    for_each_expr(s, [&](const Expr& e) {
      const auto is_it = [&](const Expr& x) {
        const auto* var = std::get_if<Var>(&x->kind);
        return var != nullptr && var->name == name;
      };
      if (is_it(e)) f(s, nullptr);
      for_each_node(e, [&](const Expr& node) {
        const auto* scalar = std::get_if<Scalar>(&node->kind);
        if (scalar != nullptr && std::ranges::any_of(scalar->args, is_it)) f(s, scalar);
        if (scalar == nullptr && !std::holds_alternative<Var>(node->kind)) {
          bool direct = false;
          for_each_child(node, [&](const Expr& child) { direct = direct || is_it(child); });
          if (direct) f(s, nullptr);
        }
      });
    });
  });
}

/// Whether the value of a name comes to a store, a sum, another lane or an index in another way than as a factor of 0.
[[nodiscard]] bool matters(const Kernel& kernel, const std::string& name);
/// Whether the sign of a value shows at once: it is stored for others, or added, compared or taken the exponential of. A value that is only multiplied
/// may meet its own sign again (the normalized value in the gradient of a layer norm does).
[[nodiscard]] bool sign_matters(const Kernel& kernel, const std::string& name);
[[nodiscard]] bool is_zero(const Expr& e);

}  // namespace seam::codegen::test
