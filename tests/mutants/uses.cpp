#include "uses.h"

#include <set>

namespace seam::codegen::test {
namespace {

using graph::Opcode;

bool comes_to_something(const Kernel& kernel, const std::string& name, std::set<std::string>& seen) {
  if (!seen.insert(name).second) return false;
  bool found = false;
  for_each_use(kernel, name, [&](const Stmt& s, const Scalar* op) {
    if (op != nullptr && op->op == Opcode::Multiply && std::ranges::any_of(op->args, is_zero)) return;
    const auto* let = std::get_if<Let>(&s->kind);
    found = found || let == nullptr || comes_to_something(kernel, let->name, seen);
  });
  return found;
}

}  // namespace

bool is_zero(const Expr& e) {
  const auto* imm = std::get_if<Imm>(&e->kind);
  return imm != nullptr && (is_float(imm->dtype) ? float_value(*imm) == 0 : imm->bits == 0);
}

bool matters(const Kernel& kernel, const std::string& name) {
  std::set<std::string> seen;
  return comes_to_something(kernel, name, seen);
}

bool sign_matters(const Kernel& kernel, const std::string& name) {
  bool found = false;
  for_each_use(kernel, name, [&](const Stmt& s, const Scalar* op) {
    const auto* store = std::get_if<Store>(&s->kind);
    found = found || (op == nullptr && store != nullptr && kernel.find(store->buffer)->space == Space::Global);
    found = found || (op != nullptr && (op->op == Opcode::Exp || op->op == Opcode::Add || op->op == Opcode::Subtract || op->op == Opcode::Maximum));
    const auto* let = std::get_if<Let>(&s->kind);
    found = found || (op != nullptr && op->op == Opcode::Convert && let != nullptr && sign_matters(kernel, let->name));
  });
  return found;
}

}  // namespace seam::codegen::test
