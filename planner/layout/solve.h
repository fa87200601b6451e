#pragma once
/// The least sum of costs over choices: variables (which order a value lies in), factors (what a choice of a few of them costs). On a chain this is the
/// shortest path through the configuration graph of "Data Movement Is All You Need" (one node per layout of a cut, one edge per operator); residuals and
/// siblings (dX and dW of one product) only make factors that close loops.
///
/// Bucket elimination (Dechter, "Bucket elimination: a unifying framework for reasoning", 1999) in min-size order: exact while every table has at
/// most `most_entries`; beyond it buckets are split (mini-buckets), which gives a lower bound, and the choice that the tables lead to is improved
/// one variable at a time.
#include <cstdint>
#include <vector>

namespace seam::planner::layout {

struct Factor {
  std::vector<std::size_t> variables;  ///< ascending, no variable twice
  std::vector<double> cost;            ///< one per combination, the last variable fastest
};
struct Network {
  std::vector<std::size_t> choices;    ///< per variable, at least one
  std::vector<Factor> factors;
  [[nodiscard]] double cost(const std::vector<std::size_t>& chosen) const;
};
struct Solution {
  std::vector<std::size_t> chosen;
  double cost = 0;
  double lower_bound = 0;  ///< no choice costs less; equal to cost if exact
  bool exact = true;
};
[[nodiscard]] Solution solve(const Network& network, std::size_t most_entries = std::size_t{1} << 20U);

}  // namespace seam::planner::layout
