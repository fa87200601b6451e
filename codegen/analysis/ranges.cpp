#include "analysis/ranges.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace seam::codegen {
namespace {

constexpr std::int64_t kInf = Interval::kInfinity;
__extension__ using Wide = __int128;

std::int64_t saturate(Wide v) { return v >= kInf ? kInf : v <= -kInf ? -kInf : static_cast<std::int64_t>(v); }
std::int64_t sum(std::int64_t a, std::int64_t b) {
  if (a <= -kInf || b <= -kInf) return a >= kInf || b >= kInf ? 0 : -kInf;
  return saturate(Wide{a} + b);
}
std::int64_t product(std::int64_t a, std::int64_t b) { return saturate(Wide{a} * b); }

Interval type_range(DType dtype) {
  if (dtype == DType::Pred) return {0, 1};
  if (!is_integer(dtype) || bits(dtype) >= 64) return {};
  const int n = bits(dtype);
  if (is_unsigned(dtype)) return {0, (std::int64_t{1} << n) - 1};
  return {-(std::int64_t{1} << (n - 1)), (std::int64_t{1} << (n - 1)) - 1};
}

Interval scalar_range(const Ranges& ranges, const Scalar& n) {
  const Interval whole = type_range(n.dtype);
  if (!is_integer(n.dtype)) return whole;
  using graph::Opcode;
  switch (n.op) {
    case Opcode::Convert: {
      if (!is_integer(dtype_of(n.args[0])) && dtype_of(n.args[0]) != DType::Pred) return whole;
      const Interval inner = ranges.of(n.args[0]);
      return inner.within(whole.lo, whole.hi) ? inner : whole;
    }
    case Opcode::Maximum: {
      const Interval a = ranges.of(n.args[0]);
      const Interval b = ranges.of(n.args[1]);
      return {std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
    }
    case Opcode::Minimum: {
      const Interval a = ranges.of(n.args[0]);
      const Interval b = ranges.of(n.args[1]);
      return {std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
    }
    default: return whole;
  }
}

}  // namespace

Interval operator+(Interval a, Interval b) {
  return {a.lo <= -kInf || b.lo <= -kInf ? -kInf : sum(a.lo, b.lo), a.hi >= kInf || b.hi >= kInf ? kInf : sum(a.hi, b.hi)};
}
Interval operator-(Interval a, Interval b) { return a + Interval{-b.hi, -b.lo}; }
Interval operator*(Interval a, Interval b) {
  const std::int64_t corners[] = {product(a.lo, b.lo), product(a.lo, b.hi), product(a.hi, b.lo), product(a.hi, b.hi)};
  return {*std::ranges::min_element(corners), *std::ranges::max_element(corners)};
}
Interval meet(Interval a, Interval b) { return {std::max(a.lo, b.lo), std::min(a.hi, b.hi)}; }
Interval join(Interval a, Interval b) { return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)}; }

Interval Ranges::of(const Expr& e) const { return of(e, 0); }

Interval Ranges::of(const Expr& e, int depth) const {
  constexpr int kDeepest = 2;  // definitions behind definitions
  return match(
      e,
      [](const Imm& n) -> Interval {
        if (is_float(n.dtype)) return {};
        const std::int64_t v = saturate(std::bit_cast<std::int64_t>(n.bits));
        return {v, v};
      },
      [&](const Var& n) -> Interval {
        const auto found = names_.find(n.name);
        const Interval known = found == names_.end() ? type_range(n.dtype) : meet(found->second, type_range(n.dtype));
        if (definitions_ == nullptr || depth >= kDeepest) return known;
        const auto definition = definitions_->find(n.name);
        return definition == definitions_->end() ? known : meet(known, of(definition->second, depth + 1));
      },
      [&](const Bin& n) -> Interval {
        const Interval a = of(n.a, depth);
        const Interval b = of(n.b, depth);
        switch (n.op) {
          case BinOp::Add: return a + b;
          case BinOp::Sub: return a - b;
          case BinOp::Mul: return a * b;
          case BinOp::Div:
            if (a.lo < 0 || b.lo <= 0) return {};
            return {a.lo / b.hi, a.hi >= kInf ? kInf : a.hi / b.lo};
          case BinOp::Mod:
            if (a.lo < 0 || b.lo <= 0) return {};
            if (b.lo == b.hi && a.hi < kInf && a.lo / b.lo == a.hi / b.lo) return {a.lo % b.lo, a.hi % b.lo};
            return {a.hi < b.lo ? a.lo : 0, std::min(a.hi, b.hi - 1)};
          case BinOp::Min: return {std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
          case BinOp::Max: return {std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
          case BinOp::Lt: return a.hi < b.lo ? Interval{1, 1} : a.lo >= b.hi ? Interval{0, 0} : Interval{0, 1};
          case BinOp::Le: return a.hi <= b.lo ? Interval{1, 1} : a.lo > b.hi ? Interval{0, 0} : Interval{0, 1};
          case BinOp::Eq:
          case BinOp::Ne: {
            const bool apart = a.hi < b.lo || b.hi < a.lo;
            const bool same = a.lo == a.hi && a == b;
            if (!apart && !same) return {0, 1};
            const std::int64_t v = (n.op == BinOp::Eq) == same ? 1 : 0;
            return {v, v};
          }
          case BinOp::And: return {std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
          case BinOp::Or: return {std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
        }
        return {};
      },
      [&](const Load& n) -> Interval { return type_range(n.dtype); },
      [&](const Scalar& n) -> Interval { return scalar_range(*this, n); });
}

void Ranges::narrow(const Expr& e, Interval range) {
  if (const auto* var = std::get_if<Var>(&e->kind)) {
    names_[var->name] = meet(of(e), range);
    return;
  }
  // x + c <= k  says  x <= k - c.
  const auto* bin = std::get_if<Bin>(&e->kind);
  std::int64_t c = 0;
  if (bin != nullptr && bin->op == BinOp::Add && is_int(bin->b, c)) narrow(bin->a, range - Interval{c, c});
  if (bin != nullptr && bin->op == BinOp::Sub && is_int(bin->b, c)) narrow(bin->a, range + Interval{c, c});
}

void Ranges::assume(const Expr& condition, bool holds) {
  const auto* bin = std::get_if<Bin>(&condition->kind);
  if (bin == nullptr) return;
  const Interval a = of(bin->a);
  const Interval b = of(bin->b);
  switch (bin->op) {
    case BinOp::And:
      if (!holds) return;
      assume(bin->a, true);
      assume(bin->b, true);
      return;
    case BinOp::Or:
      if (holds) return;
      assume(bin->a, false);
      assume(bin->b, false);
      return;
    case BinOp::Lt:
    case BinOp::Le: {
      const std::int64_t strict = bin->op == BinOp::Lt ? 1 : 0;
      if (holds) {
        narrow(bin->a, {-kInf, b.hi >= kInf ? kInf : b.hi - strict});
        narrow(bin->b, {a.lo <= -kInf ? -kInf : a.lo + strict, kInf});
      } else {
        narrow(bin->a, {b.lo <= -kInf ? -kInf : b.lo + (1 - strict), kInf});
        narrow(bin->b, {-kInf, a.hi >= kInf ? kInf : a.hi - (1 - strict)});
      }
      return;
    }
    case BinOp::Eq:
      if (!holds) return;
      narrow(bin->a, b);
      narrow(bin->b, a);
      return;
    default: return;
  }
}

}  // namespace seam::codegen
