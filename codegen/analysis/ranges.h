#pragma once
/// Interval analysis of index expressions: which integers can this be? Sound, not tight: an interval may be too wide, never
/// too narrow.
#include <cstdint>
#include <string>
#include <unordered_map>

#include "codegen/expr.h"

namespace seam::codegen {

/// All integers from lo to hi. Bounds saturate at +-2^62, which stand for "unknown".
struct Interval {
  static constexpr std::int64_t kInfinity = std::int64_t{1} << 62;
  std::int64_t lo = -kInfinity, hi = kInfinity;
  [[nodiscard]] bool within(std::int64_t low, std::int64_t high) const { return lo >= low && hi <= high; }
  friend bool operator==(const Interval&, const Interval&) = default;
};
[[nodiscard]] Interval operator+(Interval a, Interval b);
[[nodiscard]] Interval operator-(Interval a, Interval b);
[[nodiscard]] Interval operator*(Interval a, Interval b);
[[nodiscard]] Interval meet(Interval a, Interval b);  ///< values in both
[[nodiscard]] Interval join(Interval a, Interval b);  ///< values in either

/// What is known of the names in scope. A value: copy it to enter a scope.
class Ranges {
 public:
  void set(const std::string& name, Interval range) { names_[name] = range; }
  /// Names that stand for an expression of others that never change: what is found out of those later (in a branch) holds for it too. Not owned.
  void define(const std::unordered_map<std::string, Expr>& definitions) { definitions_ = &definitions; }
  [[nodiscard]] Interval of(const Expr& e) const;
  /// What holds where `condition` is true (or false): narrows names that are compared with something.
  void assume(const Expr& condition, bool holds);

 private:
  void narrow(const Expr& e, Interval range);
  [[nodiscard]] Interval of(const Expr& e, int depth) const;
  const std::unordered_map<std::string, Expr>* definitions_ = nullptr;
  std::unordered_map<std::string, Interval> names_;
};

}  // namespace seam::codegen
