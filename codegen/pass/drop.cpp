#include <algorithm>
#include <unordered_set>

#include "codegen/passes.h"
#include "pass/rewrite.h"

namespace seam::codegen {
namespace {

std::unordered_set<std::string> used_names(const Body& body) {
  std::unordered_set<std::string> out;
  for_each_stmt(body, [&](const Stmt& s) {
    for_each_expr(s, [&](const Expr& e) {
      for_each_node(e, [&](const Expr& node) {
        if (const auto* var = std::get_if<Var>(&node->kind)) out.insert(var->name);
      });
    });
  });
  return out;
}

bool empty(const Body& body) {
  return std::ranges::all_of(body, [](const Stmt& s) { return std::holds_alternative<Note>(s->kind); });
}

}  // namespace

Result<Kernel> drop_unread_shared(const Kernel& kernel) {
  const std::unordered_set<std::string> loaded = loaded_buffers(kernel.body);
  const auto unread = [&](const std::string& name) {
    const Buffer* b = kernel.find(name);
    return b != nullptr && b->space == Space::Shared && !loaded.contains(name);
  };
  Kernel out = kernel;
  out.body = map_blocks(kernel.body, [&](Body block) {
    std::erase_if(block, [&](const Stmt& s) {
      const auto* store = std::get_if<Store>(&s->kind);
      return store != nullptr && unread(store->buffer);
    });
    return block;
  });
  std::erase_if(out.buffers, [&](const Buffer& b) { return unread(b.name); });
  out.shared_bytes = 0;
  for (const Buffer& b : out.buffers) {
    if (b.space == Space::Shared) out.shared_bytes = std::max(out.shared_bytes, b.offset + b.elements * bytes(b.dtype));
  }
  return out;
}

Result<Kernel> drop_dead_names(const Kernel& kernel) {
  Kernel out = kernel;
  for (bool changed = true; changed;) {
    changed = false;
    const std::unordered_set<std::string> used = used_names(out.body);
    out.body = map_blocks(out.body, [&](Body block) {
      const std::size_t before = block.size();
      std::erase_if(block, [&](const Stmt& s) {
        return match(
            s, [&](const Let& n) { return !used.contains(n.name); }, [&](const Declare& n) { return !used.contains(n.name); },
            [&](const Assign& n) { return !used.contains(n.name); }, [&](const Shuffle& n) { return !used.contains(n.name); },
            [&](const For& n) { return empty(n.body); }, [&](const If& n) { return empty(n.then) && empty(n.otherwise); },
            [](const auto&) { return false; });
      });
      changed = changed || block.size() != before;
      return block;
    });
  }
  return out;
}

}  // namespace seam::codegen
