#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "analysis/index_math.h"
#include "codegen/kernel.h"

namespace seam::test {
namespace {

using codegen::Bin;
using codegen::BinOp;
using codegen::Expr;
using codegen::IndexMath;
using codegen::Ranges;

struct Space {
  Ranges ranges;
  IndexMath math{DType::S32, ranges};
  Expr var(const char* name, std::int64_t extent) {
    ranges.set(name, {0, extent - 1});
    return math.var(name);
  }
};

TEST(IndexMath, TakesApartWhatItPutTogether) {
  Space s;
  const Expr r = s.var("r", 12);
  const Expr c = s.var("c", 768);
  const Expr linear = s.math.add(s.math.mul(r, 768), c);
  EXPECT_EQ(codegen::print(s.math.div(linear, 768)), "r");
  EXPECT_EQ(codegen::print(s.math.mod(linear, 768)), "c");
}

TEST(IndexMath, ReshapesAreTheSameLinearIndex) {
  Space s;
  const Expr i = s.var("i", 4 * 6 * 10);
  const std::int64_t a[] = {4, 6, 10};
  const std::int64_t b[] = {2, 12, 10};
  const auto at = s.math.coordinates(i, a);
  EXPECT_EQ(codegen::print(s.math.linear(at, a)), "i");
  const auto again = s.math.coordinates(s.math.linear(at, a), b);
  EXPECT_EQ(codegen::print(s.math.linear(again, b)), "i");
}

TEST(IndexMath, LeavesOutWhatCannotReachTheNextDigit) {
  Space s;
  const Expr b = s.var("b", 64);
  const Expr w = s.var("w", 8);
  const Expr k = s.var("k", 1024);
  // ((b * 8 + w) * 1024 + k) of [1, 512, 1024] and back to the row.
  const Expr row = s.math.add(s.math.mul(b, 8), w);
  const Expr linear = s.math.add(s.math.mul(row, 1024), k);
  const std::int64_t dims[] = {1, 512, 1024};
  const auto at = s.math.coordinates(linear, dims);
  EXPECT_EQ(codegen::print(at[1]), codegen::print(row));
}

/// Random sums, quotients and remainders mean what they say, at random values of their variables.
TEST(IndexMath, MeansWhatItSays) {
  std::mt19937_64 random(7);
  const auto pick = [&](std::int64_t low, std::int64_t high) { return std::uniform_int_distribution<std::int64_t>(low, high)(random); };
  for (int round = 0; round < 3000; ++round) {
    Space s;
    const std::int64_t extents[] = {pick(1, 9), pick(1, 40), pick(1, 7)};
    std::vector<Expr> pool = {s.var("x", extents[0]), s.var("y", extents[1]), s.var("z", extents[2])};
    std::vector<std::int64_t> value = {pick(0, extents[0] - 1), pick(0, extents[1] - 1), pick(0, extents[2] - 1)};
    for (int step = 0; step < 8; ++step) {
      const auto i = static_cast<std::size_t>(pick(0, static_cast<std::int64_t>(pool.size()) - 1));
      const auto j = static_cast<std::size_t>(pick(0, static_cast<std::int64_t>(pool.size()) - 1));
      const std::int64_t c = pick(1, 3) == 1 ? extents[pick(0, 2)] : pick(1, 12);
      switch (pick(0, 4)) {
        case 0: pool.push_back(s.math.add(pool[i], pool[j])), value.push_back(value[i] + value[j]); break;
        case 1: pool.push_back(s.math.mul(pool[i], c)), value.push_back(value[i] * c); break;
        case 2: pool.push_back(s.math.div(pool[i], c)), value.push_back(value[i] / c); break;
        case 3: pool.push_back(s.math.mod(pool[i], c)), value.push_back(value[i] % c); break;
        default: pool.push_back(s.math.add(s.math.mul(pool[i], c), pool[j])), value.push_back(value[i] * c + value[j]); break;
      }
      if (value.back() > 1'000'000) {
        pool.pop_back();
        value.pop_back();
      }
    }
    for (std::size_t i = 0; i < pool.size(); ++i) {
      // The expression's interval with each name pinned to its value is the value.
      Ranges pinned;
      pinned.set("x", {value[0], value[0]});
      pinned.set("y", {value[1], value[1]});
      pinned.set("z", {value[2], value[2]});
      const codegen::Interval got = pinned.of(pool[i]);
      ASSERT_EQ(got.lo, value[i]) << codegen::print(pool[i]);
      ASSERT_EQ(got.hi, value[i]) << codegen::print(pool[i]);
      ASSERT_TRUE(s.ranges.of(pool[i]).lo <= value[i] && value[i] <= s.ranges.of(pool[i]).hi) << codegen::print(pool[i]);
    }
  }
}

}  // namespace
}  // namespace seam::test
