#pragma once
/// Builds index expressions that stay small: sums are kept as coefficient x term, and a linear index that is taken apart into
/// coordinates and put together again (reshape, broadcast, elementwise) comes back as the same linear index.
/// Needs ranges: (r * 768 + c) / 768 is r only where 0 <= c < 768.
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "analysis/ranges.h"

namespace seam::codegen {

class IndexMath {
 public:
  /// `ranges` must outlive this; names added to it later are seen.
  IndexMath(DType type, const Ranges& ranges) : type_(type), ranges_(&ranges) {}

  [[nodiscard]] Expr imm(std::int64_t value) const { return imm_int(type_, value); }
  [[nodiscard]] Expr var(std::string name) const { return Var{std::move(name), type_}; }
  [[nodiscard]] Expr add(const Expr& a, const Expr& b) const;
  [[nodiscard]] Expr add(const Expr& a, std::int64_t b) const { return add(a, imm(b)); }
  [[nodiscard]] Expr sub(const Expr& a, const Expr& b) const;
  [[nodiscard]] Expr mul(const Expr& a, std::int64_t factor) const;
  /// Both want a >= 0 and divisor > 0.
  [[nodiscard]] Expr div(const Expr& a, std::int64_t divisor) const;
  [[nodiscard]] Expr mod(const Expr& a, std::int64_t divisor) const;
  [[nodiscard]] Expr min(const Expr& a, const Expr& b) const;
  [[nodiscard]] Expr max(const Expr& a, const Expr& b) const;
  /// Guards; a constant pred where ranges decide.
  [[nodiscard]] Expr lt(const Expr& a, const Expr& b) const { return guard(BinOp::Lt, a, b); }
  [[nodiscard]] Expr le(const Expr& a, const Expr& b) const { return guard(BinOp::Le, a, b); }
  [[nodiscard]] Expr eq(const Expr& a, const Expr& b) const { return guard(BinOp::Eq, a, b); }
  [[nodiscard]] Expr both(const Expr& a, const Expr& b) const;

  /// Coordinates of a row-major linear index, and back.
  [[nodiscard]] std::vector<Expr> coordinates(const Expr& linear, std::span<const std::int64_t> dims) const;
  [[nodiscard]] Expr linear(std::span<const Expr> coordinates, std::span<const std::int64_t> dims) const;

  [[nodiscard]] const Ranges& ranges() const { return *ranges_; }
  [[nodiscard]] DType type() const { return type_; }

 private:
  /// constant + sum of factor * term; terms are no sums, products or constants, and all different.
  struct Sum {
    std::int64_t constant = 0;
    std::vector<std::pair<std::int64_t, Expr>> terms;
  };
  [[nodiscard]] Sum sum_of(const Expr& e) const;
  static void accumulate(Sum& into, std::int64_t factor, const Expr& term);
  void accumulate_sum(Sum& into, std::int64_t factor, const Sum& other) const;
  void merge_digits(Sum& sum) const;
  [[nodiscard]] Expr build(const Sum& sum) const;
  [[nodiscard]] Interval range_of(const Sum& sum) const;
  /// sum = divisor * first + second, second with a constant in [0, divisor).
  [[nodiscard]] static std::pair<Sum, Sum> split(const Sum& sum, std::int64_t divisor);
  void lift(Sum& whole, Sum& rest, std::int64_t divisor) const;
  struct Coarsened {
    std::int64_t g = 1;
    Sum high, low;
  };
  [[nodiscard]] Coarsened coarsened(const Sum& sum, std::int64_t divisor) const;
  [[nodiscard]] Expr guard(BinOp op, const Expr& a, const Expr& b) const;

  DType type_;
  const Ranges* ranges_;
};

}  // namespace seam::codegen
