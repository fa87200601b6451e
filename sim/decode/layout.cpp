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

/// Lays out arrays one behind the other as the device does, then spreads them.
class Packer {
 public:
  explicit Packer(SharedLayout& out) : out_(out) {}

  void add(const Variable& variable, std::int64_t* where) {
    const std::int64_t align = std::max(variable.align, 1);
    gap_ = std::max(gap_, align);
    out_.bytes = (out_.bytes + align - 1) / align * align;
    placed_.push_back({out_.bytes, variable.bytes(), where});
    out_.bytes += variable.bytes();
  }

  /// The dynamic part starts behind all static ones, aligned as the strictest asks.
  void finish(std::int64_t dynamic_align) {
    gap_ = std::max(gap_, dynamic_align);
    out_.bytes = (out_.bytes + dynamic_align - 1) / dynamic_align * dynamic_align;
    std::int64_t shift = 0;
    for (const Placed& one : placed_) {
      *one.where = one.at + shift;
      out_.arrays.emplace_back(*one.where, *one.where + one.bytes);
      shift += gap_;
    }
    out_.dynamic_start = out_.bytes + shift;
  }

 private:
  struct Placed {
    std::int64_t at;
    std::int64_t bytes;
    std::int64_t* where;
  };
  SharedLayout& out_;
  std::vector<Placed> placed_;
  std::int64_t gap_ = 128;
};

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
  Packer packer(out);
  std::vector<const Function*> todo{&entry};
  std::set<const Function*> seen{&entry};
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < todo.size(); ++i) {
    const Function& function = *todo[i];
    for (std::size_t k = 0; k < function.variables.size(); ++k) {
      const Variable& variable = function.variables[k];
      if (variable.space == Space::Shared) packer.add(variable, &out.local[{&function, k}]);
    }
    for (const Statement& statement : function.statements) {
      collect_names(statement.operands, names);
      const Function* called = function_named(syntax, callee(statement));
      if (called && seen.insert(called).second) todo.push_back(called);
    }
  }
  std::int64_t dynamic_align = 16;
  for (const Variable& variable : syntax.variables) {
    if (variable.space != Space::Shared || !names.contains(variable.name)) continue;
    if (variable.unsized) {
      dynamic_align = std::max<std::int64_t>(dynamic_align, variable.align);
    } else {
      packer.add(variable, &out.global[variable.name]);
    }
  }
  packer.finish(dynamic_align);
  for (const Variable& variable : syntax.variables) {
    if (variable.space == Space::Shared && variable.unsized) {
      out.global[variable.name] = out.dynamic_start;  // all dynamic arrays are one
    }
  }
  return out;
}

}  // namespace seam::sim
