/// Which elements a proof compares: enough of everywhere, and all of an update in place that matter.
#include "validate/choose.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "graph/hlo.h"

namespace seam::codegen {
namespace {

TEST(Choose, ThinnedIsAscendingBoundedAndTouchesBothEnds) {
  for (const std::int64_t count : {0, 1, 7, 1000, 65'536, 1'000'003}) {
    for (const std::int64_t most : {1, 2, 15, 100, 5000, 250'000, 2'000'000}) {
      const Indices at = thinned(count, most);
      EXPECT_LE(std::ssize(at), std::min(count, most));
      EXPECT_TRUE(std::ranges::is_sorted(at, std::ranges::less_equal{}));
      if (count == 0) continue;
      ASSERT_FALSE(at.empty()) << count << " " << most;
      EXPECT_EQ(at.front(), 0);
      EXPECT_LT(at.back(), count);
      if (most >= 2) {
        EXPECT_EQ(at.back(), count - 1) << count << " " << most;
      }
    }
  }
}

constexpr const char* kUpdates = R"(
add { x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y) }
ENTRY main { base = f32[3000,1000] parameter(0)
  rows = s32[2,1] parameter(1)
  new = f32[2,1000] parameter(2)
  at = s32[] parameter(3)
  tile = f32[2,3] parameter(4)
  s = f32[3000,1000] scatter(base, rows, new), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
  d = f32[3000,1000] dynamic-update-slice(base, tile, at, at)
  ROOT r = (f32[3000,1000], f32[3000,1000]) tuple(s, d) })";

class Updates : public testing::Test {
 protected:
  Updates() : graph_(*graph::parse_hlo(kUpdates, "updates")), entry_(graph_.entry_computation()) {
    for (const Id<graph::Op> p : entry_.parameters) arrays_.push_back(make_array(entry_.ops[p].shape.dtype, entry_.ops[p].shape.dims));
    set_integer(1, 0, 1234);
    set_integer(1, 1, 9999);  // outside: dropped
    set_integer(3, 0, 998);   // clamped to 997 in the second dimension
    std::map<Id<graph::Op>, const Array*> inputs;
    for (std::size_t i = 0; i < arrays_.size(); ++i) inputs[entry_.parameters[i]] = &arrays_[i];
    demand_.emplace(graph_, entry_, inputs);
  }
  void set_integer(std::size_t array, std::size_t at, std::int32_t value) { std::memcpy(&arrays_[array].data[at * 4], &value, 4); }
  Indices chosen(const char* op, const Array& after) const {
    return *elements_to_compare(*demand_, entry_, {.output = *entry_.find(op), .before = &arrays_[0], .after = &after, .budget = 10'000});
  }

  graph::Graph graph_;
  const graph::Computation& entry_;
  std::vector<Array> arrays_;
  std::optional<Demand> demand_;
};

TEST_F(Updates, WhatShouldHaveChangedIsCompared) {
  const Indices scatter = chosen("s", arrays_[0]);
  EXPECT_LT(scatter.size(), 10'000U);
  EXPECT_GE(std::ranges::count_if(scatter, [](std::int64_t e) { return e / 1000 == 1234; }), 500);
  const Indices slice = chosen("d", arrays_[0]);
  for (const std::int64_t e : {998'997, 998'998, 998'999, 999'997, 999'998, 999'999}) EXPECT_TRUE(std::ranges::binary_search(slice, e)) << e;
}

TEST_F(Updates, WhatChangedIsCompared) {
  Array after = arrays_[0];
  const float one = 1;
  std::memcpy(&after.data[std::size_t{2'222'222} * 4], &one, 4);
  EXPECT_TRUE(std::ranges::binary_search(chosen("s", after), 2'222'222));
}

}  // namespace
}  // namespace seam::codegen
