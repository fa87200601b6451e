// The choice of layouts as a network of costs: against brute force, and what a longer chain costs.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "layout/solve.h"

namespace seam::planner::layout::test {
namespace {

using Random = std::mt19937;

std::size_t below(Random& random, std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); }

void add_factor(Network& network, std::vector<std::size_t> variables, Random& random) {
  std::ranges::sort(variables);
  variables.erase(std::ranges::unique(variables).begin(), variables.end());
  std::size_t size = 1;
  for (const std::size_t v : variables) size *= network.choices[v];
  Factor factor{std::move(variables), std::vector<double>(size)};
  // Small whole numbers: many ties.
  for (double& cost : factor.cost) cost = static_cast<double>(below(random, 9));
  network.factors.push_back(std::move(factor));
}

/// A chain of operators; residuals skip over some; now and then two siblings (dX and dW) read a value and its error.
Network with_residuals_and_siblings(std::size_t length, std::size_t most_choices, Random& random) {
  Network network;
  for (std::size_t v = 0; v < length; ++v) network.choices.push_back(1 + below(random, most_choices));
  for (std::size_t v = 0; v < length; ++v) {
    if (below(random, 2) == 0) add_factor(network, {v}, random);
    if (v > 0) add_factor(network, {v - 1, v}, random);
    if (v > 2 && below(random, 3) == 0) add_factor(network, {v - 1 - below(random, v - 1), v}, random);
    if (v > 1 && below(random, 3) == 0) add_factor(network, {below(random, v), v - 1, v}, random);
  }
  return network;
}

double brute_force(const Network& network) {
  std::vector<std::size_t> chosen(network.choices.size(), 0);
  double least = std::numeric_limits<double>::infinity();
  while (true) {
    least = std::min(least, network.cost(chosen));
    std::size_t v = 0;
    while (v < chosen.size() && ++chosen[v] == network.choices[v]) chosen[v++] = 0;
    if (v == chosen.size()) return least;
  }
}

TEST(LayoutSolve, EqualsBruteForce) {
  Random random(1);
  for (int i = 0; i < 1500; ++i) {
    const Network network = with_residuals_and_siblings(1 + below(random, 7), 4, random);
    const Solution solution = solve(network);
    ASSERT_TRUE(solution.exact);
    ASSERT_EQ(solution.cost, brute_force(network)) << i;
    ASSERT_EQ(solution.cost, network.cost(solution.chosen));
    ASSERT_EQ(solution.lower_bound, solution.cost);
  }
}

TEST(LayoutSolve, BoundsHoldWhereTablesAreTooSmall) {
  Random random(2);
  int inexact = 0, apart = 0;
  for (int i = 0; i < 500; ++i) {
    const Network network = with_residuals_and_siblings(7, 4, random);
    const double least = brute_force(network);
    const Solution solution = solve(network, 6);
    ASSERT_LE(solution.lower_bound, least);
    ASSERT_GE(solution.cost, least);
    ASSERT_EQ(solution.cost, network.cost(solution.chosen));
    inexact += solution.exact ? 0 : 1;
    apart += solution.lower_bound < least ? 1 : 0;
    ASSERT_TRUE(!solution.exact || solution.cost == least);
    const Solution again = solve(network, 6);
    ASSERT_EQ(again.chosen, solution.chosen);
  }
  // Otherwise this test says nothing.
  EXPECT_GT(inexact, 100);
  EXPECT_GT(apart, 20);
}

TEST(LayoutSolve, MoreRoomIsNeverWorseABound) {
  Random random(3);
  const Network network = with_residuals_and_siblings(40, 4, random);
  const double exact = solve(network).cost;
  for (const std::size_t room : {std::size_t{4}, std::size_t{64}, std::size_t{1024}}) {
    const Solution solution = solve(network, room);
    EXPECT_LE(solution.lower_bound, exact);
    EXPECT_GE(solution.cost, exact);
  }
}

TEST(LayoutSolve, EmptyAndConstant) {
  EXPECT_EQ(solve({}).cost, 0);
  EXPECT_EQ(solve({{3}, {{{}, {2.0}}}}).cost, 2.0);
  const Solution free = solve({{3, 2}, {}});
  EXPECT_EQ(free.chosen.size(), 2U);
}

}  // namespace
}  // namespace seam::planner::layout::test
