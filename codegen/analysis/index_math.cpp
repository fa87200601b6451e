#include "analysis/index_math.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/check.h"

namespace seam::codegen {
namespace {

/// Beyond any index.
constexpr std::int64_t kMostLift = std::int64_t{1} << 40;


std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0); }

const Bin* as_bin(const Expr& e, BinOp op) {
  const auto* bin = std::get_if<Bin>(&e->kind);
  return bin != nullptr && bin->op == op ? bin : nullptr;
}

}  // namespace

void IndexMath::accumulate(Sum& into, std::int64_t factor, const Expr& term) {
  const auto found = std::ranges::find_if(into.terms, [&](const auto& t) { return t.second == term; });
  if (found == into.terms.end()) {
    into.terms.emplace_back(factor, term);
  } else {
    found->first += factor;
    if (found->first == 0) into.terms.erase(found);
  }
}

void IndexMath::accumulate_sum(Sum& into, std::int64_t factor, const Sum& other) const {
  into.constant += factor * other.constant;
  for (const auto& [f, term] : other.terms) accumulate(into, factor * f, term);
}

IndexMath::Sum IndexMath::sum_of(const Expr& e) const {
  Sum sum;
  std::int64_t c = 0;
  if (is_int(e, c)) {
    sum.constant = c;
    return sum;
  }
  if (const auto* bin = std::get_if<Bin>(&e->kind)) {
    if (bin->op == BinOp::Add || bin->op == BinOp::Sub) {
      sum = sum_of(bin->a);
      accumulate_sum(sum, bin->op == BinOp::Add ? 1 : -1, sum_of(bin->b));
      return sum;
    }
    if (bin->op == BinOp::Mul && is_int(bin->b, c)) {
      if (c != 0) accumulate_sum(sum, c, sum_of(bin->a));
      return sum;
    }
  }
  sum.terms.emplace_back(1, e);
  return sum;
}

/// m*d * (F / d) + m * (F % d)  is  m * F;  m*d * (F / d % e) + m * (F % d)  is  m * (F % (d * e)).
void IndexMath::merge_digits(Sum& sum) const {
  const auto merged = [&]() -> bool {
    for (std::size_t low = 0; low < sum.terms.size(); ++low) {
      const Bin* digit = as_bin(sum.terms[low].second, BinOp::Mod);
      std::int64_t d = 0;
      if (digit == nullptr || !is_int(digit->b, d)) continue;
      const std::int64_t m = sum.terms[low].first;
      const Expr whole = digit->a;
      const Expr quotient = div(whole, d);
      for (std::size_t high = 0; high < sum.terms.size(); ++high) {
        if (high == low || sum.terms[high].first != m * d) continue;
        const Expr& upper = sum.terms[high].second;
        const Bin* upper_digit = as_bin(upper, BinOp::Mod);
        std::int64_t e = 0;
        std::optional<Expr> replacement;
        if (upper == quotient) replacement = whole;
        if (upper_digit != nullptr && is_int(upper_digit->b, e) && upper_digit->a == quotient) replacement = mod(whole, d * e);
        if (!replacement) continue;
        sum.terms.erase(sum.terms.begin() + static_cast<std::ptrdiff_t>(std::max(low, high)));
        sum.terms.erase(sum.terms.begin() + static_cast<std::ptrdiff_t>(std::min(low, high)));
        accumulate_sum(sum, m, sum_of(*replacement));
        return true;
      }
    }
    return false;
  };
  while (sum.terms.size() > 1 && merged()) {
  }
}

Expr IndexMath::build(const Sum& sum) const {
  // Big strides first: reads as row * columns + column, and is the same text for the same sum.
  std::vector<std::pair<std::int64_t, Expr>> terms = sum.terms;
  std::ranges::stable_sort(terms, [](const auto& a, const auto& b) { return a.first > b.first; });
  std::optional<Expr> out;
  for (const auto& [factor, term] : terms) {
    if (out && factor < 0) {
      const Expr part = factor == -1 ? term : Expr(Bin{BinOp::Mul, term, imm(-factor)});
      out = Bin{BinOp::Sub, *out, part};
      continue;
    }
    const Expr part = factor == 1 ? term : Expr(Bin{BinOp::Mul, term, imm(factor)});
    out = out ? Expr(Bin{BinOp::Add, *out, part}) : part;
  }
  if (!out) return imm(sum.constant);
  if (sum.constant > 0) return Bin{BinOp::Add, *out, imm(sum.constant)};
  if (sum.constant < 0) return Bin{BinOp::Sub, *out, imm(-sum.constant)};
  return *out;
}

Interval IndexMath::range_of(const Sum& sum) const {
  Interval range{sum.constant, sum.constant};
  for (const auto& [factor, term] : sum.terms) range = range + Interval{factor, factor} * ranges_->of(term);
  return range;
}

std::pair<IndexMath::Sum, IndexMath::Sum> IndexMath::split(const Sum& sum, std::int64_t divisor) {
  Sum whole;
  Sum rest;
  whole.constant = floor_div(sum.constant, divisor);
  rest.constant = sum.constant - whole.constant * divisor;
  for (const auto& [factor, term] : sum.terms) {
    if (factor % divisor == 0) {
      whole.terms.emplace_back(factor / divisor, term);
    } else {
      rest.terms.emplace_back(factor, term);
    }
  }
  return {whole, rest};
}

/// A part that counts down ("15 - thread") is negative on its own and not with a multiple of the divisor that the whole lends it. Only where the sum of
/// both is never negative: division rounds towards zero.
void IndexMath::lift(Sum& whole, Sum& rest, std::int64_t divisor) const {
  const Interval range = range_of(rest);
  Sum all = rest;
  all.constant += whole.constant * divisor;
  for (const auto& [factor, term] : whole.terms) all.terms.emplace_back(factor * divisor, term);
  if (range.lo >= 0 || range.lo < -kMostLift || range_of(all).lo < 0) return;
  const std::int64_t times = (-range.lo + divisor - 1) / divisor;
  rest.constant += times * divisor;
  whole.constant -= times;
}

/// sum = g * high + low with 0 <= low < g, where g divides the divisor and is as large as can be: then sum / divisor is
/// high / (divisor / g), and sum % divisor is g * (high % (divisor / g)) + low.
IndexMath::Coarsened IndexMath::coarsened(const Sum& sum, std::int64_t divisor) const {
  std::vector<std::pair<std::int64_t, Expr>> terms = sum.terms;
  std::ranges::stable_sort(terms, [](const auto& a, const auto& b) { return a.first > b.first; });
  std::int64_t g = divisor;
  for (std::size_t kept = 0; kept <= terms.size(); ++kept) {
    if (kept > 0) g = std::gcd(g, terms[kept - 1].first);
    if (g == 1) break;
    if (kept == 0) continue;
    Coarsened out{g, {}, {}};
    out.high.constant = floor_div(sum.constant, g);
    out.low.constant = sum.constant - out.high.constant * g;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (i < kept) {
        out.high.terms.emplace_back(terms[i].first / g, terms[i].second);
      } else {
        out.low.terms.push_back(terms[i]);
      }
    }
    if (range_of(out.low).within(0, g - 1)) return out;
  }
  return {1, sum, {}};
}

Expr IndexMath::add(const Expr& a, const Expr& b) const {
  Sum sum = sum_of(a);
  accumulate_sum(sum, 1, sum_of(b));
  merge_digits(sum);
  return build(sum);
}

Expr IndexMath::sub(const Expr& a, const Expr& b) const {
  Sum sum = sum_of(a);
  accumulate_sum(sum, -1, sum_of(b));
  merge_digits(sum);
  return build(sum);
}

Expr IndexMath::mul(const Expr& a, std::int64_t factor) const {
  Sum sum;
  if (factor != 0) accumulate_sum(sum, factor, sum_of(a));
  return build(sum);
}

Expr IndexMath::div(const Expr& a, std::int64_t divisor) const {
  SEAM_CHECK(divisor > 0, "index division by a non-positive constant");
  if (divisor == 1) return a;
  auto [whole, rest] = split(sum_of(a), divisor);
  lift(whole, rest, divisor);
  const Interval range = range_of(rest);
  // One quotient for all that the rest can be: it need not be 0, where a branch says how large an index is.
  if (range.lo >= 0 && range.lo / divisor == range.hi / divisor) {
    whole.constant += range.lo / divisor;
    return build(whole);
  }
  if (range.lo < 0) return Bin{BinOp::Div, a, imm(divisor)};
  const auto [g, smaller, low] = coarsened(rest, divisor);
  if (range_of(smaller).lo < 0) return Bin{BinOp::Div, a, imm(divisor)};
  const std::int64_t c = divisor / g;
  Sum out = whole;
  if (c == 1) {
    accumulate_sum(out, 1, smaller);
    return build(out);
  }
  Expr inner = build(smaller);
  std::int64_t k = 0;
  if (const Bin* quotient = as_bin(inner, BinOp::Div); quotient != nullptr && is_int(quotient->b, k)) {
    accumulate_sum(out, 1, sum_of(div(quotient->a, k * c)));
    return build(out);
  }
  if (const Bin* digit = as_bin(inner, BinOp::Mod); digit != nullptr && is_int(digit->b, k) && k % c == 0) {
    accumulate_sum(out, 1, sum_of(mod(div(digit->a, c), k / c)));
    return build(out);
  }
  accumulate(out, 1, Bin{BinOp::Div, inner, imm(c)});
  return build(out);
}

Expr IndexMath::mod(const Expr& a, std::int64_t divisor) const {
  SEAM_CHECK(divisor > 0, "index remainder by a non-positive constant");
  if (divisor == 1) return imm(0);
  auto [whole, rest] = split(sum_of(a), divisor);
  lift(whole, rest, divisor);
  const Interval range = range_of(rest);
  if (range.lo >= 0 && range.lo / divisor == range.hi / divisor) {
    rest.constant -= range.lo / divisor * divisor;
    return build(rest);
  }
  if (range.lo < 0) return Bin{BinOp::Mod, a, imm(divisor)};
  const auto [g, smaller, low] = coarsened(rest, divisor);
  if (range_of(smaller).lo < 0) return Bin{BinOp::Mod, a, imm(divisor)};
  const std::int64_t c = divisor / g;
  Sum out = low;
  if (c == 1) return build(out);
  Expr inner = build(smaller);
  std::int64_t k = 0;
  if (const Bin* digit = as_bin(inner, BinOp::Mod); digit != nullptr && is_int(digit->b, k) && k % c == 0) inner = digit->a;
  accumulate_sum(out, g, sum_of(Bin{BinOp::Mod, inner, imm(c)}));
  return build(out);
}

Expr IndexMath::min(const Expr& a, const Expr& b) const {
  const Interval x = ranges_->of(a);
  const Interval y = ranges_->of(b);
  if (x.hi <= y.lo || a == b) return a;
  if (y.hi <= x.lo) return b;
  return Bin{BinOp::Min, a, b};
}

Expr IndexMath::max(const Expr& a, const Expr& b) const {
  const Interval x = ranges_->of(a);
  const Interval y = ranges_->of(b);
  if (x.lo >= y.hi || a == b) return a;
  if (y.lo >= x.hi) return b;
  return Bin{BinOp::Max, a, b};
}

Expr IndexMath::guard(BinOp op, const Expr& a, const Expr& b) const {
  const Expr e = Bin{op, a, b};
  const Interval range = ranges_->of(e);
  return range.lo == range.hi ? imm_pred(range.lo != 0) : e;
}

Expr IndexMath::both(const Expr& a, const Expr& b) const {
  std::int64_t v = 0;
  if (is_int(a, v)) return v != 0 ? b : a;
  if (is_int(b, v)) return v != 0 ? a : b;
  return Bin{BinOp::And, a, b};
}

std::vector<Expr> IndexMath::coordinates(const Expr& linear, std::span<const std::int64_t> dims) const {
  std::vector<Expr> out(dims.size(), imm(0));
  std::int64_t stride = 1;
  for (std::size_t i = dims.size(); i-- > 0;) {
    if (dims[i] == 1) continue;
    const Expr quotient = div(linear, stride);
    // The first dimension of size > 1 needs no remainder: the index is inside the shape.
    bool outermost = true;
    for (std::size_t j = 0; j < i; ++j) outermost = outermost && dims[j] == 1;
    out[i] = outermost ? quotient : mod(quotient, dims[i]);
    stride *= dims[i];
  }
  return out;
}

Expr IndexMath::linear(std::span<const Expr> coordinates, std::span<const std::int64_t> dims) const {
  Sum sum;
  std::int64_t stride = 1;
  for (std::size_t i = dims.size(); i-- > 0;) {
    if (dims[i] != 1) accumulate_sum(sum, stride, sum_of(coordinates[i]));
    stride *= dims[i];
  }
  merge_digits(sum);
  return build(sum);
}

}  // namespace seam::codegen
