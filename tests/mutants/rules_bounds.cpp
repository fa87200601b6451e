// Guards, loops and indices: who does what, and where.
#include <algorithm>
#include <optional>
#include <set>

#include "pass/rewrite.h"
#include "rules.h"
#include "uses.h"

namespace seam::codegen::test {
namespace {

Expr plus(const Kernel& kernel, const Expr& e, std::int64_t n) {
  std::int64_t value = 0;
  if (is_int(e, value)) return imm_int(dtype_of(e), value + n);
  return Bin{n < 0 ? BinOp::Sub : BinOp::Add, e, imm_int(kernel.index_type, n < 0 ? -n : n)};
}

/// Names that an expression uses.
std::set<std::string> names_in(const Expr& e) {
  std::set<std::string> out;
  for_each_node(e, [&](const Expr& node) {
    if (const auto* var = std::get_if<Var>(&node->kind)) out.insert(var->name);
  });
  return out;
}

/// What the guard guards depends on what it asks about: an element is read or written by it.
bool guards_accesses(const If& branch, const Expr& asked) {
  for (const std::string& name : names_in(asked)) {
    for (const Stmt& s : branch.then) {
      if (accesses_by(s, name)) return true;
    }
  }
  return false;
}

/// The last partial results of a reduction may come from warps that had no row: leaving those out is no mistake.
bool sums_partial_results(const Kernel& kernel, const Stmt& loop) {
  bool found = false;
  for_each_stmt({loop}, [&](const Stmt& s) {
    for_each_expr(s, [&](const Expr& e) {
      for_each_node(e, [&](const Expr& node) {
        const auto* load = std::get_if<Load>(&node->kind);
        const Buffer* buffer = load == nullptr ? nullptr : kernel.find(load->buffer);
        found = found || (buffer != nullptr && buffer->space == Space::Shared && !buffer->op.valid());
      });
    });
  });
  return found;
}

/// Every element is stored for itself, no sum over them is made: which of them is read matters.
bool elementwise(const Body& body) {
  bool store = false;
  bool sum = false;
  for (const Stmt& s : body) {
    store = store || std::holds_alternative<Store>(s->kind);
    sum = sum || std::holds_alternative<Assign>(s->kind) || std::holds_alternative<Shuffle>(s->kind);
  }
  return store && !sum;
}

/// A value that nothing is made of.
bool goes_nowhere(const Kernel& kernel, const Site& site) {
  const auto* let = as<Let>(site);
  return let != nullptr && !matters(kernel, let->name);
}

/// Loop bounds have rules of their own; guards count only where what they let in is stored, not where it is summed up for nobody.
bool moves_elements(const Kernel& kernel, const Site& site) {
  const auto* branch = as<If>(site);
  return !goes_nowhere(kernel, site) && as<For>(site) == nullptr && (branch == nullptr || elementwise(branch->then));
}

/// Index expressions that choose an element: the index of a store or atomic, and of every load.
template <class F>
void for_each_access(const Kernel& kernel, F&& f) {
  for (const Site& site : sites(kernel)) {
    if (goes_nowhere(kernel, site)) continue;
    const std::vector<Node> all = nodes(*site.stmt);
    const auto* store = as<Store>(site);
    const auto* atomic = as<Atomic>(site);
    if (store != nullptr) f(site, all[0], *kernel.find(store->buffer), true);
    if (atomic != nullptr) f(site, all[0], *kernel.find(atomic->buffer), true);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (const auto* load = as<Load>(all[i])) f(site, all[i + 1], *kernel.find(load->buffer), false);
    }
  }
}

/// An input as it stands in memory, or with the length added where it is negative: as an index it comes to every edge. Of one that is computed nobody knows.
bool from_memory(const Kernel& kernel, const Expr& e) {
  if (const auto* load = std::get_if<Load>(&e->kind)) {
    const Buffer& buffer = *kernel.find(load->buffer);
    return buffer.space == Space::Global && buffer.access == Access::In;
  }
  if (const auto* var = std::get_if<Var>(&e->kind)) {
    std::optional<Expr> value;
    for_each_stmt(kernel.body, [&](const Stmt& s) {
      const auto* let = std::get_if<Let>(&s->kind);
      if (let != nullptr && let->name == var->name) value = let->value;
    });
    return value && from_memory(kernel, *value);
  }
  const auto* scalar = std::get_if<Scalar>(&e->kind);
  return scalar != nullptr && scalar->op == graph::Opcode::Select && from_memory(kernel, scalar->args[2]);
}

/// An if around it asks about the same value: it may be clamped already.
bool guarded(const Site& site, const Expr& value) {
  for (const Stmt* outer : site.around) {
    const auto* branch = std::get_if<If>(&(*outer)->kind);
    for (const std::string& name : names_in(value)) {
      if (branch != nullptr && mentions(branch->condition, name)) return true;
    }
  }
  return false;
}

std::size_t size_of(const Expr& e) {
  std::size_t n = 0;
  for_each_node(e, [&](const Expr&) { ++n; });
  return n;
}

}  // namespace

Mutants guard_weakened(const Kernel& kernel, const Facts& facts) {
  Mutants out;
  for (const Site& site : sites(kernel)) {
    const auto* branch = as<If>(site);
    if (branch == nullptr) continue;
    for (const Node& node : nodes(*site.stmt)) {
      const auto* less = as<Bin>(node);
      if (less == nullptr || less->op != BinOp::Lt || !facts.node(site.number, node.number).equal || !guards_accesses(*branch, less->a)) continue;
      out.push_back({place_of(site), with_node(kernel, site.number, node.number, Bin{BinOp::Le, less->a, less->b})});
    }
  }
  return out;
}

Mutants guard_tightened(const Kernel& kernel, const Facts& facts) {
  Mutants out;
  for (const Site& site : sites(kernel)) {
    const auto* branch = as<If>(site);
    if (branch == nullptr || std::ranges::any_of(branch->then, [&](const Stmt& s) {
          const auto* store = std::get_if<Store>(&s->kind);
          return store != nullptr && may_hold_the_same(kernel, *store);
        })) {
      continue;
    }
    for (const Node& node : nodes(*site.stmt)) {
      const auto* compare = as<Bin>(node);
      if (compare == nullptr || !(guards_accesses(*branch, compare->a) || guards_accesses(*branch, compare->b))) continue;
      const NodeFacts& seen = facts.node(site.number, node.number);
      const bool data = !seen.reached() && (from_memory(kernel, compare->a) || from_memory(kernel, compare->b));
      if (compare->op == BinOp::Lt && (data || seen.just_below)) {
        out.push_back({place_of(site), with_node(kernel, site.number, node.number, Bin{BinOp::Lt, compare->a, plus(kernel, compare->b, -1)})});
      }
      if (compare->op == BinOp::Le && (data || seen.equal)) {
        out.push_back({place_of(site), with_node(kernel, site.number, node.number, Bin{BinOp::Lt, compare->a, compare->b})});
      }
    }
  }
  return out;
}

Mutants guard_dropped(const Kernel& kernel, const Facts& facts) {
  Mutants out;
  for (const Site& site : sites(kernel)) {
    const auto* branch = as<If>(site);
    if (branch == nullptr || !branch->otherwise.empty() || !guards_accesses(*branch, branch->condition)) continue;
    const NodeFacts& seen = facts.node(site.number, 0);
    if (seen.reached() && seen.low != 0) continue;  // it holds for everyone
    out.push_back({place_of(site), with_statement(kernel, site.number, {If{imm_pred(true), branch->then, {}}})});
  }
  return out;
}

Mutants first_trip_dropped(const Kernel& kernel, const Facts& facts) {
  Mutants out;
  for (const Site& site : sites(kernel)) {
    const auto* loop = as<For>(site);
    if (loop == nullptr || facts.loop(site.number).most_trips < 1) continue;
    out.push_back({place_of(site), with_statement(kernel, site.number, {For{loop->var, plus(kernel, loop->begin, loop->step), loop->end, loop->step, loop->body}})});
  }
  return out;
}

Mutants last_trip_dropped(const Kernel& kernel, const Facts& facts) {
  Mutants out;
  for (const Site& site : sites(kernel)) {
    const auto* loop = as<For>(site);
    if (loop == nullptr || !facts.loop(site.number).last_reached || sums_partial_results(kernel, *site.stmt)) continue;
    out.push_back({place_of(site), with_statement(kernel, site.number, {For{loop->var, loop->begin, plus(kernel, loop->end, -1), loop->step, loop->body}})});
  }
  return out;
}

Mutants step_doubled(const Kernel& kernel, const Facts& facts) {
  Mutants out;
  for (const Site& site : sites(kernel)) {
    const auto* loop = as<For>(site);
    if (loop == nullptr || facts.loop(site.number).most_trips < 2) continue;
    out.push_back({place_of(site), with_statement(kernel, site.number, {For{loop->var, loop->begin, loop->end, 2 * loop->step, loop->body}})});
  }
  return out;
}

Mutants grid_short(const Kernel& kernel, const Facts&) {
  if (kernel.grid < 2) return {};
  Kernel mutant = kernel;
  --mutant.grid;
  return {{"grid", std::move(mutant)}};
}

Mutants index_off_by_one(const Kernel& kernel, const Facts&) {
  Mutants out;
  for_each_access(kernel, [&](const Site& site, const Node& index, const Buffer& buffer, bool) {
    if (buffer.elements < 2) return;
    out.push_back({place_of(site), with_node(kernel, site.number, index.number, plus(kernel, index.expr, out.size() % 2 == 0 ? 1 : -1))});
  });
  return out;
}

Mutants neighbour_read(const Kernel& kernel, const Facts& facts) {
  Mutants out;
  for_each_access(kernel, [&](const Site& site, const Node& index, const Buffer& buffer, bool store) {
    const NodeFacts& seen = facts.node(site.number, index.number);
    if (store || buffer.elements < 2 || !seen.reached() || seen.low < 0 || !elementwise(*site.body)) return;
    const Expr next = Bin{BinOp::Mod, plus(kernel, index.expr, 1), imm_int(kernel.index_type, buffer.elements)};
    out.push_back({place_of(site), with_node(kernel, site.number, index.number, next)});
  });
  return out;
}

Mutants even_read(const Kernel& kernel, const Facts& facts) {
  Mutants out;
  for_each_access(kernel, [&](const Site& site, const Node& index, const Buffer&, bool store) {
    const NodeFacts& seen = facts.node(site.number, index.number);
    if (store || !seen.reached() || seen.low < 0 || seen.low == seen.high) return;
    const Expr even = Bin{BinOp::Mul, Bin{BinOp::Div, index.expr, imm_int(kernel.index_type, 2)}, imm_int(kernel.index_type, 2)};
    out.push_back({place_of(site), with_node(kernel, site.number, index.number, even)});
  });
  return out;
}

Mutants offset_off(const Kernel& kernel, const Facts&) {
  Mutants out;
  for (const Site& site : sites(kernel)) {
    if (!moves_elements(kernel, site)) continue;
    for (const Node& node : nodes(*site.stmt)) {
      const auto* sum = as<Bin>(node);
      std::int64_t offset = 0;
      if (sum == nullptr || (sum->op != BinOp::Add && sum->op != BinOp::Sub) || !is_int(sum->b, offset)) continue;
      out.push_back({place_of(site), with_node(kernel, site.number, node.number, Bin{sum->op, sum->a, imm_int(kernel.index_type, offset + 1)})});
    }
  }
  return out;
}

Mutants wrong_stride(const Kernel& kernel, const Facts& facts) {
  Mutants out;
  for (const Site& site : sites(kernel)) {
    if (!moves_elements(kernel, site)) continue;
    for (const Node& node : nodes(*site.stmt)) {
      const auto* product = as<Bin>(node);
      std::int64_t stride = 0;
      if (product == nullptr || product->op != BinOp::Mul || !is_int(product->b, stride) || stride < 2) continue;
      const NodeFacts& seen = facts.node(site.number, node.number);
      if (seen.reached() && seen.high == 0) continue;  // only ever zero times the stride
      const std::int64_t wrong = out.size() % 2 == 0 ? stride - 1 : stride + 1;
      out.push_back({place_of(site), with_node(kernel, site.number, node.number, Bin{BinOp::Mul, product->a, imm_int(kernel.index_type, wrong)})});
    }
  }
  return out;
}

Mutants axes_swapped(const Kernel& kernel, const Facts& facts) {
  Mutants out;
  for (const Site& site : sites(kernel)) {
    for (const Node& node : nodes(*site.stmt)) {
      // a * C + b  ->  b * C + a
      const auto* sum = as<Bin>(node);
      if (sum == nullptr || sum->op != BinOp::Add) continue;
      const auto* product = std::get_if<Bin>(&sum->a->kind);
      std::int64_t stride = 0;
      if (product == nullptr || product->op != BinOp::Mul || !is_int(product->b, stride) || stride < 2 || is_int(sum->b, stride)) continue;
      const NodeFacts& a = facts.node(site.number, node.number + 2);
      const NodeFacts& b = facts.node(site.number, node.number + 1 + size_of(sum->a));
      if (!a.reached() || !b.reached() || (a.low == b.low && a.high == b.high)) continue;  // may be one and the same
      const Expr swapped = Bin{BinOp::Add, Bin{BinOp::Mul, sum->b, product->b}, product->a};
      out.push_back({place_of(site), with_node(kernel, site.number, node.number, swapped)});
    }
  }
  return out;
}

Mutants clamp_dropped(const Kernel& kernel, const Facts& facts) {
  Mutants out;
  for (const Site& site : sites(kernel)) {
    for (const Node& node : nodes(*site.stmt)) {
      if (as<For>(site) != nullptr) continue;  // loop bounds have rules of their own
      if (const auto* bin = as<Bin>(node); bin != nullptr && (bin->op == BinOp::Min || bin->op == BinOp::Max)) {
        const NodeFacts& seen = facts.node(site.number, node.number);
        if (bin->op == BinOp::Min ? seen.above : seen.below) out.push_back({place_of(site), with_node(kernel, site.number, node.number, bin->a)});
      }
      const auto* scalar = as<Scalar>(node);
      if (scalar == nullptr || !is_integer(scalar->dtype) || scalar->args.size() != 2) continue;
      std::int64_t limit = 0;
      const bool clamp = scalar->op == graph::Opcode::Minimum || scalar->op == graph::Opcode::Maximum;
      if (clamp && is_int(scalar->args[1], limit) && !guarded(site, scalar->args[0])) out.push_back({place_of(site), with_node(kernel, site.number, node.number, scalar->args[0])});
    }
  }
  return out;
}

Mutants clamp_off(const Kernel& kernel, const Facts&) {
  Mutants out;
  for (const Site& site : sites(kernel)) {
    for (const Node& node : nodes(*site.stmt)) {
      const auto* scalar = as<Scalar>(node);
      if (scalar == nullptr || !is_integer(scalar->dtype) || scalar->args.size() != 2) continue;
      std::int64_t limit = 0;
      const bool low = scalar->op == graph::Opcode::Maximum;
      if ((!low && scalar->op != graph::Opcode::Minimum) || !is_int(scalar->args[1], limit)) continue;
      const auto* below = std::get_if<Scalar>(&scalar->args[0]->kind);  // max(min(x, high), low)
      if (!from_memory(kernel, low && below != nullptr ? below->args[0] : scalar->args[0])) continue;
      const Expr inside = imm_int(scalar->dtype, low ? limit + 1 : limit - 1);
      out.push_back({place_of(site), with_node(kernel, site.number, node.number, Scalar{scalar->op, scalar->dtype, {scalar->args[0], inside}})});
    }
  }
  return out;
}

}  // namespace seam::codegen::test
