#include "places.h"

#include <fmt/core.h>

#include <algorithm>

#include "pass/rewrite.h"

namespace seam::codegen::test {
namespace {

void collect(const Body& body, Site& at, std::vector<Site>& out) {
  for (std::size_t i = 0; i < body.size(); ++i) {
    Site site = at;
    site.number = out.size();
    site.stmt = &body[i];
    site.body = &body;
    site.index = i;
    out.push_back(std::move(site));
    const auto inner = [&](const Body& block, bool taken) {
      at.around.push_back(&body[i]);
      at.taken.push_back(taken);
      collect(block, at, out);
      at.around.pop_back();
      at.taken.pop_back();
    };
    if (const auto* loop = std::get_if<For>(&body[i]->kind)) inner(loop->body, true);
    if (const auto* branch = std::get_if<If>(&body[i]->kind)) {
      inner(branch->then, true);
      inner(branch->otherwise, false);
    }
  }
}

/// Counts statements as collect() does; puts `instead` where number 0 is left.
Body replaced(const Body& body, std::size_t& left, bool& done, const Body& instead) {
  Body out;
  for (const Stmt& s : body) {
    if (!done && left-- == 0) {
      done = true;
      out.insert(out.end(), instead.begin(), instead.end());
      continue;
    }
    out.push_back(match(
        s, [&](const For& n) -> Stmt { return For{n.var, n.begin, n.end, n.step, replaced(n.body, left, done, instead)}; },
        [&](const If& n) -> Stmt {
          Body then = replaced(n.then, left, done, instead);
          return If{n.condition, std::move(then), replaced(n.otherwise, left, done, instead)};
        },
        [&](const auto&) -> Stmt { return s; }));
  }
  return out;
}

void walk(const Expr& e, bool index, bool in_load, std::vector<Node>& out) {
  out.push_back({out.size(), e, index, in_load});
  const bool load = std::holds_alternative<Load>(e->kind);
  // Index arithmetic on pred or index values; a select or a convert inside is data again.
  const bool inner = load || (index && !std::holds_alternative<Scalar>(e->kind));
  for_each_child(e, [&](const Expr& child) { walk(child, inner, in_load || load, out); });
}

/// Which of a statement's direct expressions are indices: in the order of for_each_expr.
std::vector<bool> index_roles(const Stmt& s) {
  return match(
      s, [](const Let& n) { return std::vector{std::holds_alternative<Bin>(n.value->kind)}; }, [](const Declare&) { return std::vector{false}; },
      [](const Assign&) { return std::vector{false}; }, [](const For&) { return std::vector{true, true}; },
      [](const If&) { return std::vector{true}; }, [](const Store&) { return std::vector{true, false}; },
      [](const Atomic&) { return std::vector{true, false}; }, [](const Barrier&) { return std::vector<bool>{}; },
      [](const Shuffle&) { return std::vector{false}; }, [](const LastBlock&) { return std::vector{true}; },
      [](const Note&) { return std::vector<bool>{}; });
}

Expr with(const Expr& e, std::size_t& left, bool& done, const Expr& instead) {
  if (done) return e;
  if (left-- == 0) {
    done = true;
    return instead;
  }
  return map_children(e, [&](const Expr& child) { return with(child, left, done, instead); });
}

std::string_view kind_name(const Stmt& s) {
  return match(
      s, [](const Let&) { return "let"; }, [](const Declare&) { return "var"; }, [](const Assign&) { return "set"; }, [](const For&) { return "for"; },
      [](const If&) { return "if"; }, [](const Store&) { return "store"; }, [](const Atomic&) { return "atomic"; }, [](const Barrier&) { return "barrier"; },
      [](const Shuffle&) { return "shuffle"; }, [](const LastBlock&) { return "last"; }, [](const Note&) { return "note"; });
}

std::string subject(const Stmt& s) {
  return match(
      s, [](const Let& n) { return n.name; }, [](const Declare& n) { return n.name; }, [](const Assign& n) { return n.name; },
      [](const For& n) { return n.var; }, [](const If& n) { return print(n.condition); }, [](const Store& n) { return n.buffer; },
      [](const Atomic& n) { return n.buffer; }, [](const Barrier&) { return std::string(); }, [](const Shuffle& n) { return n.name; },
      [](const LastBlock& n) { return n.counters; }, [](const Note&) { return std::string(); });
}

}  // namespace

std::vector<Site> sites(const Kernel& kernel) {
  std::vector<Site> out;
  Site at;
  collect(kernel.body, at, out);
  return out;
}

Kernel with_statement(const Kernel& kernel, std::size_t number, const Body& instead) {
  Kernel out = kernel;
  bool done = false;
  out.body = replaced(kernel.body, number, done, instead);
  return out;
}

std::vector<Node> nodes(const Stmt& stmt) {
  std::vector<Node> out;
  const std::vector<bool> roles = index_roles(stmt);
  std::size_t which = 0;
  for_each_expr(stmt, [&](const Expr& e) { walk(e, roles.at(which++), false, out); });
  return out;
}

Kernel with_node(const Kernel& kernel, std::size_t statement, std::size_t node, const Expr& instead) {
  const Site site = sites(kernel).at(statement);
  bool done = false;
  const Stmt changed = map_stmt(
      *site.stmt, [&](const Expr& e) { return with(e, node, done, instead); }, [](const Body& body) { return body; });
  return with_statement(kernel, statement, {changed});
}

bool mentions(const Expr& e, const std::string& name) {
  bool found = false;
  for_each_node(e, [&](const Expr& node) {
    const auto* var = std::get_if<Var>(&node->kind);
    found = found || (var != nullptr && var->name == name);
  });
  return found;
}

bool accesses_by(const Stmt& stmt, const std::string& name) {
  bool found = false;
  for_each_stmt({stmt}, [&](const Stmt& s) {
    if (const auto* store = std::get_if<Store>(&s->kind)) found = found || mentions(store->index, name);
    if (const auto* atomic = std::get_if<Atomic>(&s->kind)) found = found || mentions(atomic->index, name);
    for_each_expr(s, [&](const Expr& e) {
      for_each_node(e, [&](const Expr& node) {
        const auto* load = std::get_if<Load>(&node->kind);
        found = found || (load != nullptr && mentions(load->index, name));
      });
    });
  });
  return found;
}

bool may_hold_the_same(const Kernel& kernel, const Store& store) {
  const Buffer& buffer = *kernel.find(store.buffer);
  const auto end = [](const Buffer& b) { return b.offset + b.elements * bytes(b.dtype); };
  const bool laid_over = std::ranges::any_of(kernel.buffers, [&](const Buffer& other) {
    return other.space == Space::Shared && other.name != buffer.name && other.offset < end(buffer) && buffer.offset < end(other);
  });
  const auto* var = std::get_if<Var>(&store.value->kind);
  if (buffer.space != Space::Shared || !laid_over || var == nullptr) return false;
  bool found = false;
  for_each_stmt(kernel.body, [&](const Stmt& s) {
    const auto* let = std::get_if<Let>(&s->kind);
    const auto* made = let == nullptr || let->name != var->name ? nullptr : std::get_if<Scalar>(&let->value->kind);
    using graph::Opcode;
    found = found || (made != nullptr && (made->op == Opcode::Select || made->op == Opcode::Maximum || made->op == Opcode::Minimum));
  });
  return found;
}

std::string place_of(const Site& site) {
  std::string what = subject(*site.stmt);
  if (what.size() > 44) what = what.substr(0, 41) + "...";
  return fmt::format("#{} {}{}{}", site.number, kind_name(*site.stmt), what.empty() ? "" : " ", what);
}

}  // namespace seam::codegen::test
