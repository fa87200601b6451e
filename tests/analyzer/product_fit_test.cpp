// What the library takes as it lies, against the definition: for every choice of what counts as the batch, each tensor's dims of a role must be one stride.
#include "analyzer/product_fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>

namespace seam::analyzer::test {
namespace {

using graph::Order;

ProductFit fit(const ProductDims& dims, const ProductOrders& orders) { return product_fit(dims, orders, 2, 2); }
Order order(std::initializer_list<std::int64_t> list) { return list; }

// [b,h,i,p] x [b,h,j,p] -> [b,h,i,j]
const ProductDims kScores{{8, 16, 512, 64}, {8, 16, 512, 64}, {8, 16, 512, 512}, {{0, 1}, {3}, {0, 1}, {3}}};

TEST(ProductFit, RowMajorIsFree) { EXPECT_TRUE(fit(kScores, {order({0, 1, 2, 3}), order({0, 1, 2, 3}), order({0, 1, 2, 3})}).free()); }

TEST(ProductFit, TransposedOperandsAndStridedBatchesAreFree) {
  EXPECT_TRUE(fit(kScores, {order({0, 1, 3, 2}), order({0, 1, 2, 3}), order({0, 1, 3, 2})}).free());
  // Sequence first, as Megatron has it: the batch of (b, h) has stride p.
  EXPECT_TRUE(fit(kScores, {order({2, 0, 1, 3}), order({2, 0, 1, 3}), order({0, 1, 2, 3})}).free());
  // The paper's PHBJ: p outermost, the batch between.
  const ProductDims paper{{64, 16, 8, 512}, {64, 16, 8, 512}, {16, 8, 512, 512}, {{1, 2}, {0}, {1, 2}, {0}}};
  EXPECT_TRUE(fit(paper, {order({0, 1, 2, 3}), order({0, 1, 2, 3}), order({0, 1, 2, 3})}).free());
}

TEST(ProductFit, TwoBatchStridesNeedACopy) {
  // [b,i,h,p]: b and h do not lie together.
  const ProductFit found = fit(kScores, {order({0, 2, 1, 3}), order({0, 1, 2, 3}), order({0, 1, 2, 3})});
  EXPECT_TRUE(found.copy_lhs);
  EXPECT_FALSE(found.copy_rhs || found.copy_result);
  EXPECT_EQ(found.orders.lhs, order({0, 1, 2, 3}));
}

TEST(ProductFit, ATornContractionNeedsACopy) {
  // [h,b,j,p] x [h,p,n] over (h,p).
  const ProductDims torn{{16, 8, 512, 64}, {16, 64, 1024}, {8, 512, 1024}, {{}, {0, 3}, {}, {0, 1}}};
  const ProductFit found = fit(torn, {order({0, 1, 2, 3}), order({0, 1, 2}), order({0, 1, 2})});
  EXPECT_TRUE(found.copy_lhs);
  EXPECT_TRUE(fit(torn, {order({1, 2, 0, 3}), order({0, 1, 2}), order({0, 1, 2})}).free());
}

TEST(ProductFit, AFreeDimMayBeTheBatch) {
  // x[b,j,n] · w[n,m] written as [j,b,m]: eight products, w with batch stride 0.
  const ProductDims rows{{8, 512, 1024}, {1024, 4096}, {8, 512, 4096}, {{}, {2}, {}, {0}}};
  EXPECT_TRUE(fit(rows, {order({0, 1, 2}), order({0, 1}), order({1, 0, 2})}).free());
}

/// The definition, in strides: with `batch` as the batch axis set, every tensor has one stride per role.
bool one_stride(const std::vector<std::int64_t>& extents, const Order& order, const std::vector<std::vector<std::int64_t>>& roles, bool has_batch) {
  std::vector<std::int64_t> stride(extents.size());
  std::int64_t next = 1;
  for (std::size_t k = order.size(); k-- > 0;) stride[static_cast<std::size_t>(order[k])] = next, next *= extents[static_cast<std::size_t>(order[k])];
  bool unit = extents.empty(), matrix = false;
  for (std::size_t r = 0; r < roles.size(); ++r) {
    // Dims of a role, listed major first: each one's stride is the next one's stride times its extent.
    std::vector<std::int64_t> list;
    for (const std::int64_t d : roles[r])
      if (extents[static_cast<std::size_t>(d)] > 1) list.push_back(d);
    for (std::size_t i = 0; i + 1 < list.size(); ++i)
      if (stride[static_cast<std::size_t>(list[i])] != stride[static_cast<std::size_t>(list[i + 1])] * extents[static_cast<std::size_t>(list[i + 1])]) return false;
    if (list.empty() || (has_batch && r == 0)) continue;
    matrix = true;
    if (stride[static_cast<std::size_t>(list.back())] == 1) unit = true;
  }
  return unit || !matrix;
}

TEST(ProductFit, FreeMeansOneStridePerRole) {
  std::mt19937 random(5);
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  int free = 0, copied = 0;
  for (int i = 0; i < 3000; ++i) {
    // Axes: batch, row, column, contracted; each 0 to 2 dims of 1 to 3 elements. Operands list them in random order.
    struct Axis {
      int role;
      std::int64_t extent, lhs = -1, rhs = -1, result = -1;
    };
    std::vector<Axis> axes;
    for (int role = 0; role < 4; ++role)
      for (std::size_t n = below(3); n-- > 0;) axes.push_back({role, 1 + static_cast<std::int64_t>(below(3))});
    ProductDims dims;
    const auto shuffled = [&] {
      std::vector<std::size_t> order(axes.size());
      std::iota(order.begin(), order.end(), 0);
      std::ranges::shuffle(order, random);
      return order;
    };
    for (const std::size_t a : shuffled())
      if (axes[a].role != 2) axes[a].lhs = std::ssize(dims.lhs), dims.lhs.push_back(axes[a].extent);
    for (const std::size_t a : shuffled())
      if (axes[a].role != 1) axes[a].rhs = std::ssize(dims.rhs), dims.rhs.push_back(axes[a].extent);
    for (Axis& axis : axes)
      if (axis.role == 0) dims.dot.lhs_batch.push_back(axis.lhs), dims.dot.rhs_batch.push_back(axis.rhs), axis.result = std::ssize(dims.result), dims.result.push_back(axis.extent);
    for (Axis& axis : axes)
      if (axis.role == 3) dims.dot.lhs_contract.push_back(axis.lhs), dims.dot.rhs_contract.push_back(axis.rhs);
    for (std::int64_t d = 0; d < std::ssize(dims.lhs); ++d)
      for (Axis& axis : axes)
        if (axis.role == 1 && axis.lhs == d) axis.result = std::ssize(dims.result), dims.result.push_back(axis.extent);
    for (std::int64_t d = 0; d < std::ssize(dims.rhs); ++d)
      for (Axis& axis : axes)
        if (axis.role == 2 && axis.rhs == d) axis.result = std::ssize(dims.result), dims.result.push_back(axis.extent);
    const auto permuted = [&](std::size_t rank) {
      Order out = graph::row_major_order(static_cast<std::int64_t>(rank));
      std::ranges::shuffle(out, random);
      return out;
    };
    const ProductOrders orders{permuted(dims.lhs.size()), permuted(dims.rhs.size()), permuted(dims.result.size())};

    // Some assignment of the batch and some order of each role's axes under which all three have one stride per role.
    const auto is_free = [&](const ProductOrders& lies) {
      std::vector<std::optional<std::size_t>> batches{std::nullopt};
      const bool batched = std::ranges::any_of(axes, [](const Axis& a) { return a.role == 0 && a.extent > 1; });
      for (std::size_t a = 0; a < axes.size() && !batched; ++a)
        if ((axes[a].role == 1 || axes[a].role == 2) && axes[a].extent > 1) batches.emplace_back(a);
      std::vector<std::size_t> sequence(axes.size());
      std::iota(sequence.begin(), sequence.end(), 0);
      do {
        for (const auto& batch : batches) {
          std::vector<std::vector<std::int64_t>> lhs(4), rhs(4), result(4);
          for (const std::size_t a : sequence) {
            const auto role = static_cast<std::size_t>(batch == a ? 0 : axes[a].role);
            if (axes[a].lhs >= 0) lhs[role].push_back(axes[a].lhs);
            if (axes[a].rhs >= 0) rhs[role].push_back(axes[a].rhs);
            if (axes[a].result >= 0) result[role].push_back(axes[a].result);
          }
          const bool has_batch = batched || batch.has_value();
          if (one_stride(dims.lhs, lies.lhs, lhs, has_batch) && one_stride(dims.rhs, lies.rhs, rhs, has_batch) && one_stride(dims.result, lies.result, result, has_batch)) return true;
        }
      } while (std::ranges::next_permutation(sequence).found);
      return false;
    };
    const ProductFit found = fit(dims, orders);
    ASSERT_TRUE(axes.size() > 6 || found.free() == is_free(orders)) << i;
    (found.free() ? free : copied) += 1;
    ASSERT_TRUE(!found.free() || found.orders == orders);
    // What is handed over in the end fits, and only what is copied has moved.
    ASSERT_TRUE(fit(dims, found.orders).free());
    ASSERT_TRUE(found.copy_lhs || found.orders.lhs == orders.lhs);
    ASSERT_TRUE(found.copy_rhs || found.orders.rhs == orders.rhs);
    ASSERT_TRUE(found.copy_result || found.orders.result == orders.result);
  }
  EXPECT_GT(free, 300);
  EXPECT_GT(copied, 300);
}

}  // namespace
}  // namespace seam::analyzer::test
