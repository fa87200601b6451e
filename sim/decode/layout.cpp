#include "decode/layout.h"

#include <algorithm>
#include <set>

namespace seam::sim {
namespace {

void collect_names(const std::vector<Operand>& operands, std::set<std::string_view>& names) {
  for (const Operand& one : operands) {
    if (!one.name.empty()) names.insert(one.name);
    collect_names(one.elements, names);
  }
}

std::int64_t place(std::int64_t& end, const Variable& variable) {
  const std::int64_t align = std::max(variable.align, 1);
  const std::int64_t at = (end + align - 1) / align * align;
  end = at + (variable.unsized ? 0 : variable.bytes());
  return at;
}

}  // namespace

const Function* function_named(const Syntax& syntax, std::string_view name) {
  const Function* declared = nullptr;
  for (const Function& function : syntax.functions) {
    if (function.name != name || function.entry) continue;
    if (function.defined) return &function;
    declared = &function;
  }
  return declared;
}

std::string_view callee(const Statement& statement) {
  if (statement.opcode != "call" && statement.opcode != "call.uni") return {};
  for (const Operand& operand : statement.operands) {
    if (operand.kind == Operand::Kind::Name) return operand.name;
  }
  return {};
}

SharedLayout shared_layout(const Syntax& syntax, const Function& entry) {
  SharedLayout out;
  std::vector<const Function*> todo{&entry};
  std::set<const Function*> seen{&entry};
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < todo.size(); ++i) {
    const Function& function = *todo[i];
    for (std::size_t k = 0; k < function.variables.size(); ++k) {
      const Variable& variable = function.variables[k];
      if (variable.space == Space::Shared) out.local[{&function, k}] = place(out.bytes, variable);
    }
    for (const Statement& statement : function.statements) {
      collect_names(statement.operands, names);
      const Function* called = function_named(syntax, callee(statement));
      if (called && seen.insert(called).second) todo.push_back(called);
    }
  }
  for (const Variable& variable : syntax.variables) {
    if (variable.space != Space::Shared || variable.unsized || !names.contains(variable.name)) continue;
    out.global[variable.name] = place(out.bytes, variable);
  }
  // All dynamic arrays are one: they start behind the static ones, aligned as the strictest asks.
  std::int64_t align = 16;
  for (const Variable& variable : syntax.variables) {
    if (variable.space == Space::Shared && variable.unsized && names.contains(variable.name)) {
      align = std::max<std::int64_t>(align, variable.align);
    }
  }
  out.bytes = (out.bytes + align - 1) / align * align;
  for (const Variable& variable : syntax.variables) {
    if (variable.space == Space::Shared && variable.unsized) out.global[variable.name] = out.bytes;
  }
  return out;
}

}  // namespace seam::sim
