/// What input sets hold, and what the rounding check lets pass: the parts of a proof's third tier that mutants showed to be missing.
#include "codegen/inputs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "validate/compare.h"

namespace seam::codegen {
namespace {

double at(const Array& array, std::int64_t i) {
  return load_as_double(array.dtype, &array.data[static_cast<std::size_t>(i * bytes(array.dtype))]);
}

std::set<std::int64_t> integers(Distribution distribution, std::uint64_t seed = 1) {
  const Array array = random_array(DType::S32, {400}, distribution, seed, 0, 99);
  std::set<std::int64_t> out;
  for (std::int64_t i = 0; i < array.elements(); ++i) out.insert(static_cast<std::int64_t>(at(array, i)));
  return out;
}

TEST(Inputs, IndicesComeToEveryEdgeAndBeyond) {
  const std::set<std::int64_t> edges = {0, 1, 98, 99};
  EXPECT_EQ(integers(Distribution::Positive), edges);
  EXPECT_EQ(integers(Distribution::Special), edges);
  const std::set<std::int64_t> outside = {-102, -101, -2, -1, 100, 101};
  EXPECT_EQ(integers(Distribution::Above), outside);
  EXPECT_EQ(integers(Distribution::Below), outside);
  EXPECT_EQ(integers(Distribution::Tame), (std::set<std::int64_t>{-1, 0, 1}));
  for (const std::int64_t i : integers(Distribution::Normal)) EXPECT_TRUE(i >= 0 && i < 100);
}

TEST(Inputs, ALoneIndexComesFromBothSides) {
  const auto one = [](Distribution d, int time) {
    return at(random_array(DType::S32, {}, d, input_seed(extra_set(d, time), 1), 0, 99), 0);
  };
  for (int time = 0; time < 3; ++time) EXPECT_GE(one(Distribution::Above, time), 100);
  // Far below and just below in turn.
  EXPECT_NE(one(Distribution::Below, 0) < -100, one(Distribution::Below, 1) < -100);
  EXPECT_EQ(one(Distribution::Below, 0) < -100, one(Distribution::Below, 2) < -100);
}

TEST(Inputs, LargeRowsHaveTheirPeakAtEitherEndOrNone) {
  constexpr std::int64_t kColumns = 50;
  const Array array = random_array(DType::F32, {3, kColumns}, Distribution::Large, 5, 0, 9);
  std::set<std::int64_t> peaks;
  int flat = 0;
  for (std::int64_t row = 0; row < 3; ++row) {
    std::vector<double> values;
    for (std::int64_t c = 0; c < kColumns; ++c) values.push_back(at(array, row * kColumns + c));
    EXPECT_LE(std::ranges::max(values), -2000) << "a maximum that starts from 0 must show";
    if (std::ranges::min(values) == std::ranges::max(values)) {
      ++flat;
      continue;
    }
    const auto peak = std::ranges::max_element(values);
    EXPECT_GE(*peak, *std::ranges::max_element(values, {}, [&](const double& v) { return &v == &*peak ? -1e9 : v; }) + 2000);
    peaks.insert(peak - values.begin());
  }
  EXPECT_EQ(flat, 1);
  EXPECT_EQ(peaks, (std::set<std::int64_t>{0, kColumns - 1}));
}

TEST(Inputs, CoarseNumbersTie) {
  const Array array = random_array(DType::F32, {300}, Distribution::Coarse, 3, 0, 9);
  std::set<double> seen;
  for (std::int64_t i = 0; i < array.elements(); ++i) seen.insert(at(array, i));
  EXPECT_EQ(seen, (std::set<double>{-0x1p-9, 0, 0x1p-9}));
}

/// 1,000 bf16 numbers near 1, `off` of which lie one place beside the reference: within the tolerance of bf16 each.
Comparison with_some_off(std::int64_t off, RoundingCheck check) {
  Array actual = make_array(DType::BF16, {1000});
  graph::Value reference;
  reference.shape.dtype = DType::BF16;
  Indices all;
  for (std::int64_t i = 0; i < 1000; ++i) {
    all.push_back(i);
    reference.numbers.push_back(1);
    store_from_double(DType::BF16, &actual.data[static_cast<std::size_t>(2 * i)], i < off ? 1.0078125 : 1);
  }
  return compare(actual, all, reference, reference, 1, check);
}

TEST(Rounding, FewElementsMayFallToTheOtherSideOfATie) {
  const RoundingCheck bf16{0x1p-8};
  EXPECT_EQ(with_some_off(5, bf16).wrong, 0U);
  EXPECT_EQ(with_some_off(100, bf16).wrong, 100U);
  EXPECT_EQ(with_some_off(100, {}).wrong, 0U) << "the tolerance table alone does not see it";
}

TEST(Rounding, MoreMayFallBehindALongSum) {
  const RoundingCheck f16{0x1p-11};
  EXPECT_LT(most_moved(f16, DType::F16, 1, 100'000), most_moved(f16, DType::F16, 4096, 100'000));
  EXPECT_LT(most_moved(f16, DType::F16, 4096, 100'000), 20'000U);
  EXPECT_EQ(most_moved({}, DType::F32, 1, 100), 100U) << "a group without half types is not asked";
}

}  // namespace
}  // namespace seam::codegen
