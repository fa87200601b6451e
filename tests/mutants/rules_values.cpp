// Arithmetic on elements, and the types it is done in.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "pass/rewrite.h"
#include "rules.h"
#include "uses.h"

namespace seam::codegen::test {
namespace {

using graph::Opcode;

bool half(DType dtype) { return dtype == DType::F16 || dtype == DType::BF16; }

/// Values by name, for looking through names. Names may be used again in another block: those are left out.
std::map<std::string, Expr> values_of(const Kernel& kernel) {
  std::map<std::string, Expr> out;
  std::map<std::string, int> times;
  for_each_stmt(kernel.body, [&](const Stmt& s) {
    if (const auto* let = std::get_if<Let>(&s->kind)) {
      out.insert_or_assign(let->name, let->value);
      ++times[let->name];
    }
  });
  std::erase_if(out, [&](const auto& entry) { return times[entry.first] > 1; });
  return out;
}

bool arithmetic(const Scalar& n) {
  return n.op == Opcode::Add || n.op == Opcode::Subtract || n.op == Opcode::Multiply || n.op == Opcode::Divide;
}

/// Values that fit in any type: constants that do, and what selects, products and quotients of such make (1, 1/2, 0).
bool few_bits(const std::map<std::string, Expr>& values, const Expr& e) {
  if (const auto* imm = std::get_if<Imm>(&e->kind)) return !is_float(imm->dtype) || round_to(DType::BF16, float_value(*imm)) == float_value(*imm);
  if (const auto* var = std::get_if<Var>(&e->kind)) {
    const auto found = values.find(var->name);
    return found != values.end() && few_bits(values, found->second);
  }
  const auto* scalar = std::get_if<Scalar>(&e->kind);
  if (scalar == nullptr) return false;
  const auto all = [&](std::size_t from) {
    return std::all_of(scalar->args.begin() + static_cast<std::ptrdiff_t>(from), scalar->args.end(), [&](const Expr& arg) { return few_bits(values, arg); });
  };
  if (scalar->op == Opcode::Select) return all(1);
  return (scalar->op == Opcode::Multiply || scalar->op == Opcode::Divide) && all(0);
}

/// Whether a value is of half precision, or was before it was converted.
bool was_half(const std::map<std::string, Expr>& values, const Expr& e) {
  if (half(dtype_of(e))) return true;
  const auto* var = std::get_if<Var>(&e->kind);
  const auto found = var == nullptr ? values.end() : values.find(var->name);
  const auto* made = found == values.end() ? nullptr : std::get_if<Scalar>(&found->second->kind);
  return made != nullptr && made->op == Opcode::Convert && half(dtype_of(made->args[0]));
}

bool all_wide(const Kernel& kernel) {
  return std::ranges::none_of(kernel.buffers, [](const Buffer& b) { return half(b.dtype); });
}

/// Times a power of two: nothing to round.
bool scales_exactly(const Scalar& n) {
  if (n.op != Opcode::Multiply && n.op != Opcode::Divide) return false;
  return std::ranges::any_of(n.args, [](const Expr& arg) {
    const auto* imm = std::get_if<Imm>(&arg->kind);
    int exponent = 0;
    return imm != nullptr && is_float(imm->dtype) && std::abs(std::frexp(float_value(*imm), &exponent)) == 0.5;
  });
}

/// `make` for each scalar op of the kernel: the wrong expression, if it makes one.
template <class F>
Mutants wrong_scalars(const Kernel& kernel, F&& make) {
  Mutants out;
  for (const Site& site : sites(kernel)) {
    for (const Node& node : nodes(*site.stmt)) {
      const auto* scalar = as<Scalar>(node);
      const auto* let = as<Let>(site);
      if (scalar == nullptr || (let != nullptr && !matters(kernel, let->name))) continue;
      const std::optional<Expr> wrong = make(site, *scalar);
      if (wrong) out.push_back({place_of(site), with_node(kernel, site.number, node.number, *wrong)});
    }
  }
  return out;
}

}  // namespace

Mutants operands_exchanged(const Kernel& kernel, const Facts&) {
  return wrong_scalars(kernel, [&](const Site& site, const Scalar& n) -> std::optional<Expr> {
    const bool ordered = n.op == Opcode::Subtract || n.op == Opcode::Divide || n.op == Opcode::Power || n.op == Opcode::Remainder;
    if (!ordered || n.args[0] == n.args[1]) return std::nullopt;
    const auto* let = as<Let>(site);
    if (n.op == Opcode::Subtract && (let == nullptr || !sign_matters(kernel, let->name))) return std::nullopt;
    return Scalar{n.op, n.dtype, {n.args[1], n.args[0]}};
  });
}

Mutants op_swapped(const Kernel& kernel, const Facts&) {
  return wrong_scalars(kernel, [](const Site& site, const Scalar& n) -> std::optional<Expr> {
    // Sums and the trees of warps have rules of their own.
    const bool joins = site.index > 0 && std::holds_alternative<Shuffle>((*site.body)[site.index - 1]->kind);
    if (as<Let>(site) == nullptr || joins || !is_float(n.dtype)) return std::nullopt;
    const auto as_op = [&](Opcode op) { return Expr(Scalar{op, n.dtype, n.args}); };
    switch (n.op) {
      case Opcode::Add: return is_zero(n.args[0]) || is_zero(n.args[1]) ? std::nullopt : std::optional(as_op(Opcode::Subtract));
      case Opcode::Subtract: return is_zero(n.args[1]) ? std::nullopt : std::optional(as_op(Opcode::Add));
      case Opcode::Multiply: return as_op(Opcode::Add);
      case Opcode::Divide: return as_op(Opcode::Multiply);
      case Opcode::Maximum: return as_op(Opcode::Minimum);
      case Opcode::Minimum: return as_op(Opcode::Maximum);
      case Opcode::Rsqrt: return as_op(Opcode::Sqrt);
      case Opcode::Sqrt: return as_op(Opcode::Rsqrt);
      case Opcode::Negate: return n.args[0];
      case Opcode::Tanh: return as_op(Opcode::Logistic);
      case Opcode::Logistic: return as_op(Opcode::Tanh);
      default: return std::nullopt;
    }
  });
}

Mutants compare_reversed(const Kernel& kernel, const Facts&) {
  return wrong_scalars(kernel, [](const Site&, const Scalar& n) -> std::optional<Expr> {
    const auto direction = static_cast<graph::Direction>(n.detail);
    if (n.op != Opcode::Compare || direction == graph::Direction::EQ || direction == graph::Direction::NE || n.args[0] == n.args[1]) return std::nullopt;
    return Scalar{n.op, n.dtype, {n.args[1], n.args[0]}, n.detail, n.detail2};
  });
}

Mutants select_exchanged(const Kernel& kernel, const Facts&) {
  return wrong_scalars(kernel, [](const Site&, const Scalar& n) -> std::optional<Expr> {
    if (n.op != Opcode::Select || n.args[1] == n.args[2]) return std::nullopt;
    return Scalar{n.op, n.dtype, {n.args[0], n.args[2], n.args[1]}};
  });
}

namespace {

/// select(is-finite(x), x, c): c stands for an infinity, and whatever is computed from it is infinite all the same.
bool for_infinities(const Kernel& kernel, const Expr& e) {
  const auto* select = std::get_if<Scalar>(&e->kind);
  const auto* asked = select == nullptr || select->op != Opcode::Select ? nullptr : std::get_if<Var>(&select->args[0]->kind);
  if (asked == nullptr) return false;
  const auto values = values_of(kernel);
  const auto found = values.find(asked->name);
  const auto* condition = found == values.end() ? nullptr : std::get_if<Scalar>(&found->second->kind);
  return condition != nullptr && condition->op == Opcode::IsFinite;
}

}  // namespace

Mutants wrong_constant(const Kernel& kernel, const Facts&) {
  Mutants out;
  for (const Site& site : sites(kernel)) {
    const auto* let = as<Let>(site);
    if (as<Declare>(site) != nullptr) continue;  // what reductions start from has a rule of its own
    if (let != nullptr && (!matters(kernel, let->name) || for_infinities(kernel, let->value))) continue;
    for (const Node& node : nodes(*site.stmt)) {
      const auto* imm = as<Imm>(node);
      if (imm == nullptr || !is_float(imm->dtype) || !std::isfinite(float_value(*imm))) continue;
      const double value = float_value(*imm);
      out.push_back({place_of(site), with_node(kernel, site.number, node.number, imm_float(imm->dtype, value == 0 ? 1 : value * 2))});
    }
  }
  return out;
}

Mutants rounding_dropped(const Kernel& kernel, const Facts&) {
  const std::map<std::string, Expr> values = values_of(kernel);
  /// A half value before it was rounded, as f32; nothing if it was never more than half.
  const auto unrounded = [&](const Expr& e) -> std::optional<Expr> {
    const auto* var = std::get_if<Var>(&e->kind);
    const auto found = var == nullptr ? values.end() : values.find(var->name);
    const auto* made = found == values.end() ? nullptr : std::get_if<Scalar>(&found->second->kind);
    if (made == nullptr || !half(made->dtype)) return std::nullopt;
    if (made->op == Opcode::Convert && dtype_of(made->args[0]) == DType::F32) {
      return was_half(values, made->args[0]) ? std::nullopt : std::optional(made->args[0]);
    }
    if (!arithmetic(*made) || scales_exactly(*made)) return std::nullopt;
    std::vector<Expr> args;
    for (const Expr& arg : made->args) args.push_back(Scalar{Opcode::Convert, DType::F32, {arg}});
    return Scalar{made->op, DType::F32, args};
  };
  return wrong_scalars(kernel, [&](const Site&, const Scalar& n) -> std::optional<Expr> {
    if (n.op == Opcode::Convert && !half(n.dtype)) {
      const std::optional<Expr> wide = unrounded(n.args[0]);
      if (!wide) return std::nullopt;
      return n.dtype == DType::F32 ? *wide : Expr(Scalar{Opcode::Convert, n.dtype, {*wide}});
    }
    if (!half(n.dtype) || !arithmetic(n)) return std::nullopt;
    bool any = false;
    std::vector<Expr> args;
    for (const Expr& arg : n.args) {
      const std::optional<Expr> wide = unrounded(arg);
      any = any || wide.has_value();
      args.push_back(wide ? *wide : Expr(Scalar{Opcode::Convert, DType::F32, {arg}}));
    }
    if (!any) return std::nullopt;
    return Scalar{Opcode::Convert, n.dtype, {Scalar{n.op, DType::F32, args}}};
  });
}

namespace {

Expr through_bf16(const Expr& e) { return Scalar{Opcode::Convert, DType::F32, {Scalar{Opcode::Convert, DType::BF16, {e}}}}; }

}  // namespace

Mutants rounding_added(const Kernel& kernel, const Facts&) {
  if (!all_wide(kernel)) return {};  // what is rounded again at once may not notice
  const std::map<std::string, Expr> values = values_of(kernel);
  return wrong_scalars(kernel, [&](const Site& site, const Scalar& n) -> std::optional<Expr> {
    if (as<Let>(site) == nullptr || n.dtype != DType::F32 || few_bits(values, n) || !arithmetic(n) || std::ranges::any_of(n.args, is_zero)) return std::nullopt;
    return through_bf16(n);
  });
}

Mutants accumulator_narrowed(const Kernel& kernel, const Facts& facts) {
  Mutants out;
  const std::vector<Site> all = sites(kernel);
  for (const Site& site : all) {
    const auto* set = as<Assign>(site);
    const auto* sum = set == nullptr ? nullptr : std::get_if<Scalar>(&set->value->kind);
    if (sum == nullptr || sum->op != Opcode::Add || sum->dtype != DType::F32) continue;
    // A single term may be of half precision itself.
    const auto loop = std::ranges::find_if(all, [&](const Site& outer) { return !site.around.empty() && outer.stmt == site.around.back(); });
    const bool several = loop != all.end() && as<For>(*loop) != nullptr && facts.loop(loop->number).most_trips > 1;
    if (!several && !all_wide(kernel)) continue;
    out.push_back({place_of(site), with_statement(kernel, site.number, {Assign{set->name, through_bf16(set->value)}})});
  }
  return out;
}

Mutants convert_missing(const Kernel& kernel, const Facts&) {
  return wrong_scalars(kernel, [](const Site&, const Scalar& n) -> std::optional<Expr> {
    if (n.op != Opcode::Convert || dtype_of(n.args[0]) == n.dtype) return std::nullopt;
    return n.args[0];
  });
}

}  // namespace seam::codegen::test
