#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_set>

#include "codegen/passes.h"
#include "pass/rewrite.h"

namespace seam::codegen {
namespace {

bool is_costly(const Expr& e) {
  const auto* bin = std::get_if<Bin>(&e->kind);
  return bin != nullptr && (bin->op == BinOp::Div || bin->op == BinOp::Mod) && !std::holds_alternative<Imm>(bin->a->kind);
}

std::size_t node_count(const Expr& e) {
  std::size_t n = 0;
  for_each_node(e, [&](const Expr&) { ++n; });
  return n;
}

class Sharer {
 public:
  explicit Sharer(const Kernel& kernel) {
    for (const Buffer& b : kernel.buffers) used_.insert(b.name);
    for_each_stmt(kernel.body, [&](const Stmt& s) {
      for (const std::string& one : defined_by(s)) used_.insert(one);
      if (const auto* loop = std::get_if<For>(&s->kind)) used_.insert(loop->var);
    });
  }

  Body block(Body body) {
    while (const std::optional<Expr> shared = smallest_shared(body)) body = named(body, *shared);
    for (Stmt& s : body) s = map_stmt(s, [](const Expr& e) { return e; }, [&](const Body& inner) { return block(inner); });
    return body;
  }

 private:
  struct Seen {
    std::size_t count = 0, order = 0;
    bool guarded = false;  ///< the first one stands behind an if, or the first half of an "and", which may be what keeps its dividend positive
  };

  /// Counts div and mod expressions of a statement and all below it whose names are not defined below it.
  void count(const Stmt& s, std::unordered_map<Expr, Seen, ExprHash>& seen, std::unordered_set<std::string>& inner,
             bool guarded) const {
    const auto note = [&](const Expr& node, bool behind) {
      if (!is_costly(node)) return;
      bool visible = true;
      for_each_node(node, [&](const Expr& part) {
        if (const auto* var = std::get_if<Var>(&part->kind)) visible = visible && !inner.contains(var->name);
        if (std::holds_alternative<Load>(part->kind)) visible = false;
      });
      if (!visible) return;
      Seen& one = seen[node];
      if (one.count++ == 0) {
        one.order = seen.size();
        one.guarded = behind;
      }
    };
    // The second half of an "and" is only looked at where the first holds.
    const auto walk = [&](const auto& self, const Expr& e, bool behind) -> void {
      note(e, behind);
      const auto* bin = std::get_if<Bin>(&e->kind);
      if (bin != nullptr && (bin->op == BinOp::And || bin->op == BinOp::Or)) {
        self(self, bin->a, behind);
        self(self, bin->b, true);
        return;
      }
      for_each_child(e, [&](const Expr& child) { self(self, child, behind); });
    };
    for_each_expr(s, [&](const Expr& e) { walk(walk, e, guarded); });
    const auto inside = [&](const Body& body, bool behind_if) {
      for (const Stmt& nested : body) {
        count(nested, seen, inner, behind_if);
        for (std::string& one : defined_by(nested)) inner.insert(std::move(one));
      }
    };
    match(
        s,
        [&](const For& n) {
          inner.insert(n.var);
          inside(n.body, guarded);
        },
        [&](const If& n) {
          inside(n.then, true);
          inside(n.otherwise, true);
        },
        [](const auto&) {});
  }

  std::optional<Expr> smallest_shared(const Body& body) const {
    std::unordered_map<Expr, Seen, ExprHash> seen;
    std::unordered_set<std::string> inner;
    for (const Stmt& s : body) count(s, seen, inner, false);
    std::optional<Expr> best;
    std::pair<std::size_t, std::size_t> best_key;
    for (const auto& [e, one] : seen) {
      if (one.count < 2 || one.guarded) continue;
      const std::pair key{node_count(e), one.order};
      if (!best || key < best_key) {
        best = e;
        best_key = key;
      }
    }
    return best;
  }

  static bool mentions(const Stmt& s, const Expr& wanted) {
    bool found = false;
    const auto look = [&](const Stmt& one) {
      for_each_expr(one, [&](const Expr& e) { for_each_node(e, [&](const Expr& node) { found = found || node == wanted; }); });
    };
    look(s);
    if (const auto* loop = std::get_if<For>(&s->kind)) for_each_stmt(loop->body, look);
    if (const auto* branch = std::get_if<If>(&s->kind)) {
      for_each_stmt(branch->then, look);
      for_each_stmt(branch->otherwise, look);
    }
    return found;
  }

  Body named(const Body& body, const Expr& shared) {
    const Expr var = Var{fresh(shared), dtype_of(shared)};
    const auto replace_expr = [&](auto&& self, const Expr& e) -> Expr {
      if (e == shared) return var;
      return map_children(e, [&](const Expr& child) { return self(self, child); });
    };
    const auto replace_block = [&](auto&& self, const Body& b) -> Body {
      Body out;
      for (const Stmt& s : b) {
        out.push_back(map_stmt(s, [&](const Expr& e) { return replace_expr(replace_expr, e); }, [&](const Body& inner) { return self(self, inner); }));
      }
      return out;
    };
    Body out;
    bool placed = false;
    for (const Stmt& s : body) {
      if (!placed && mentions(s, shared)) {
        out.push_back(Let{std::get<Var>(var->kind).name, shared});
        placed = true;
      }
      if (!placed) {
        out.push_back(s);
        continue;
      }
      Body one = replace_block(replace_block, {s});
      out.push_back(std::move(one.front()));
    }
    return out;
  }

  std::string fresh(const Expr& shared) {
    const auto& bin = std::get<Bin>(shared->kind);
    const auto* var = std::get_if<Var>(&bin.a->kind);
    std::int64_t divisor = 0;
    (void)is_int(bin.b, divisor);
    const std::string base = var == nullptr ? (bin.op == BinOp::Div ? "quotient" : "remainder")
                                            : fmt::format("{}_{}_{}", var->name, bin.op == BinOp::Div ? "div" : "mod", divisor);
    std::string name = base;
    for (int i = 1; !used_.insert(name).second; ++i) name = fmt::format("{}_{}", base, i);
    return name;
  }

  std::unordered_set<std::string> used_;
};

}  // namespace

Result<Kernel> share_indices(const Kernel& kernel) {
  Kernel out = kernel;
  out.body = Sharer(kernel).block(kernel.body);
  return out;
}

}  // namespace seam::codegen
