// What a longer chain costs the choice of layouts: operators with 24 orders on each side, every third with a residual over two of them, every
// fifth with a sibling. Seconds for n operators over seconds for n / 2, the best of several runs each; goal: at most 2.3.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <random>

#include "layout/solve.h"

namespace {

using seam::planner::layout::Factor;
using seam::planner::layout::Network;

Network chain(std::size_t length) {
  constexpr std::size_t kOrders = 24;
  std::mt19937 random(7);
  std::uniform_real_distribution<double> cost(0, 30);
  Network network;
  network.choices.assign(length, kOrders);
  const auto add = [&](std::vector<std::size_t> variables) {
    std::size_t size = 1;
    for (std::size_t i = 0; i < variables.size(); ++i) size *= kOrders;
    Factor factor{std::move(variables), std::vector<double>(size)};
    for (double& c : factor.cost) c = cost(random);
    network.factors.push_back(std::move(factor));
  };
  for (std::size_t v = 1; v < length; ++v) {
    add({v - 1, v});
    if (v % 3 == 0) add({v - 3, v});
    if (v % 5 == 0) add({v - 2, v - 1, v});
  }
  return network;
}

double seconds(std::size_t length) {
  const Network network = chain(length);
  double least = 1e9;
  for (int i = 0; i < 5; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const auto solution = seam::planner::layout::solve(network);
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (!solution.exact) fmt::print("{} operators: not exact, gap {:.2f} us\n", length, solution.cost - solution.lower_bound);
    least = std::min(least, took);
  }
  return least;
}

}  // namespace

int main() {
  double before = seconds(25);
  for (const std::size_t length : {50U, 100U, 200U, 400U}) {
    const double now = seconds(length);
    fmt::print("{:>4} operators: {:7.1f} ms, {:.2f} times the half\n", length, 1e3 * now, now / before);
    before = now;
  }
}
