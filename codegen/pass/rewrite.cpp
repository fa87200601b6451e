#include "pass/rewrite.h"

namespace seam::codegen {

std::vector<std::string> defined_by(const Stmt& s) {
  return match(
      s, [](const Let& n) { return std::vector{n.name}; }, [](const Declare& n) { return std::vector{n.name}; },
      [](const Shuffle& n) { return std::vector{n.name}; }, [](const LastBlock& n) { return std::vector{n.name}; },
      [](const auto&) { return std::vector<std::string>{}; });
}

std::unordered_set<std::string> loaded_buffers(const Body& body) {
  std::unordered_set<std::string> out;
  for_each_stmt(body, [&](const Stmt& s) {
    for_each_expr(s, [&](const Expr& e) {
      for_each_node(e, [&](const Expr& node) {
        if (const auto* load = std::get_if<Load>(&node->kind)) out.insert(load->buffer);
      });
    });
    if (const auto* last = std::get_if<LastBlock>(&s->kind)) out.insert(last->flag);
  });
  return out;
}

Expr substituted(const Expr& e, const std::unordered_map<std::string, Expr>& values, const IndexMath& math) {
  if (const auto* var = std::get_if<Var>(&e->kind)) {
    const auto found = values.find(var->name);
    return found == values.end() ? e : found->second;
  }
  Expr mapped = map_children(e, [&](const Expr& child) { return substituted(child, values, math); });
  if (mapped.same_node(e)) return e;
  const auto* bin = std::get_if<Bin>(&mapped->kind);
  if (bin == nullptr) return mapped;
  std::int64_t constant = 0;
  switch (bin->op) {
    case BinOp::Add: return math.add(bin->a, bin->b);
    case BinOp::Sub: return math.sub(bin->a, bin->b);
    case BinOp::Mul: return is_int(bin->b, constant) ? math.mul(bin->a, constant) : mapped;
    case BinOp::Div: return is_int(bin->b, constant) ? math.div(bin->a, constant) : mapped;
    case BinOp::Mod: return is_int(bin->b, constant) ? math.mod(bin->a, constant) : mapped;
    case BinOp::Min: return math.min(bin->a, bin->b);
    case BinOp::Max: return math.max(bin->a, bin->b);
    default: return mapped;
  }
}

}  // namespace seam::codegen
