// Reductions: what they start from, what joins their terms, how warps join lanes.
#include <cmath>
#include <optional>
#include <set>

#include "pass/rewrite.h"
#include "rules.h"

namespace seam::codegen::test {
namespace {

using graph::Opcode;

bool is_var(const Expr& e, const std::string& name) {
  const auto* var = std::get_if<Var>(&e->kind);
  return var != nullptr && var->name == name;
}

/// The op of `set acc (op acc x)`: acc collects terms.
std::optional<Opcode> collects(const Stmt& stmt) {
  const auto* set = std::get_if<Assign>(&stmt->kind);
  const auto* sum = set == nullptr ? nullptr : std::get_if<Scalar>(&set->value->kind);
  if (sum == nullptr || sum->args.size() != 2 || !is_var(sum->args[0], set->name)) return std::nullopt;
  return sum->op;
}

std::optional<Opcode> collector(const Kernel& kernel, const std::string& name) {
  std::optional<Opcode> op;
  for_each_stmt(kernel.body, [&](const Stmt& s) {
    const auto* set = std::get_if<Assign>(&s->kind);
    if (set != nullptr && set->name == name && collects(s)) op = collects(s);
  });
  return op;
}

std::optional<Opcode> other_op(Opcode op) {
  switch (op) {
    case Opcode::Add: return Opcode::Maximum;
    case Opcode::Multiply: return Opcode::Add;
    case Opcode::Maximum: return Opcode::Minimum;
    case Opcode::Minimum: return Opcode::Maximum;
    case Opcode::And: return Opcode::Or;
    case Opcode::Or: return Opcode::And;
    default: return std::nullopt;
  }
}

/// `shuffle other m x` and the `let sum (op x other)` behind it.
struct Step {
  Site shuffle, join;
  const Shuffle* exchanged;
  const Scalar* joined;
  bool last;  ///< of its tree: no shuffle exchanges its result
};

std::vector<Step> tree_steps(const Kernel& kernel) {
  std::vector<Step> out;
  const std::vector<Site> all = sites(kernel);
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    const auto* shuffle = as<Shuffle>(all[i]);
    const auto* let = as<Let>(all[i + 1]);
    const auto* join = let == nullptr ? nullptr : std::get_if<Scalar>(&let->value->kind);
    if (shuffle == nullptr || join == nullptr || join->args.size() != 2 || !(join->args[0] == shuffle->value) || !is_var(join->args[1], shuffle->name)) continue;
    bool last = true;
    for (std::size_t k = 0; k < all[i].body->size(); ++k) {
      const auto* later = std::get_if<Shuffle>(&(*all[i].body)[k]->kind);
      last = last && (later == nullptr || k <= all[i].index || !is_var(later->value, let->name));
    }
    out.push_back({all[i], all[i + 1], shuffle, join, last});
  }
  return out;
}

}  // namespace

Mutants wrong_neutral(const Kernel& kernel, const Facts&) {
  Mutants out;
  for (const Site& site : sites(kernel)) {
    const auto* declare = as<Declare>(site);
    const auto* imm = declare == nullptr ? nullptr : std::get_if<Imm>(&declare->init->kind);
    const std::optional<Opcode> op = imm == nullptr ? std::nullopt : collector(kernel, declare->name);
    if (!op) continue;
    // One for sums, zero for everything else: products, maxima, minima.
    const bool sum = *op == Opcode::Add || *op == Opcode::Or;
    const Expr wrong = is_float(imm->dtype) ? imm_float(imm->dtype, sum ? 1 : 0) : imm_int(imm->dtype, sum ? 1 : 0);
    if (wrong == declare->init) continue;
    out.push_back({place_of(site), with_statement(kernel, site.number, {Declare{declare->name, wrong}})});
  }
  return out;
}

Mutants sum_op_swapped(const Kernel& kernel, const Facts&) {
  Mutants out;
  for (const Site& site : sites(kernel)) {
    const std::optional<Opcode> op = collects(*site.stmt);
    std::optional<Opcode> wrong = op ? other_op(*op) : std::nullopt;
    if (!wrong) continue;
    if (*op == Opcode::Add) wrong = Opcode::Multiply;  // nothing but 0 comes of it; of a single positive term, the maximum with 0 is the sum
    const auto& set = std::get<Assign>((*site.stmt)->kind);
    const auto& sum = std::get<Scalar>(set.value->kind);
    out.push_back({place_of(site), with_statement(kernel, site.number, {Assign{set.name, Scalar{*wrong, sum.dtype, sum.args}}})});
  }
  return out;
}

Mutants tree_op_swapped(const Kernel& kernel, const Facts&) {
  Mutants out;
  for (const Step& step : tree_steps(kernel)) {
    const std::optional<Opcode> wrong = other_op(step.joined->op);
    if (!wrong || !step.last) continue;
    const std::string& name = as<Let>(step.join)->name;
    out.push_back({place_of(step.join), with_statement(kernel, step.join.number, {Let{name, Scalar{*wrong, step.joined->dtype, step.joined->args}}})});
  }
  return out;
}

Mutants shuffle_mask(const Kernel& kernel, const Facts&) {
  Mutants out;
  for (const Step& step : tree_steps(kernel)) {
    if (!step.last) continue;
    const int wrong = step.exchanged->mask == 16 ? 8 : 2 * step.exchanged->mask;
    out.push_back({place_of(step.shuffle), with_statement(kernel, step.shuffle.number, {Shuffle{step.exchanged->name, step.exchanged->value, wrong}})});
  }
  return out;
}

Mutants tree_step_dropped(const Kernel& kernel, const Facts&) {
  Mutants out;
  for (const Step& step : tree_steps(kernel)) {
    if (!step.last) continue;
    out.push_back({place_of(step.join), with_statement(kernel, step.join.number, {Let{as<Let>(step.join)->name, step.joined->args[0]}})});
  }
  return out;
}

Mutants assign_dropped(const Kernel& kernel, const Facts&) {
  Mutants out;
  for (const Site& site : sites(kernel)) {
    if (as<Assign>(site) != nullptr) out.push_back({place_of(site), with_statement(kernel, site.number, {})});
  }
  return out;
}

}  // namespace seam::codegen::test
