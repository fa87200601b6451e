// Regions against sets of elements.
#include <random>
#include <set>

#include "cost/region.h"
#include "cost/touched.h"
#include "support.h"

namespace seam::planner::test {
namespace {

using Dims = std::vector<std::int64_t>;

std::set<std::int64_t> elements(const Region& region) {
  std::set<std::int64_t> out;
  for (const Box& box : region.boxes()) {
    std::vector<std::int64_t> at(box.dims.size(), 0);
    while (true) {
      std::int64_t linear = 0;
      for (std::size_t d = 0; d < box.dims.size(); ++d) linear = linear * region.dims()[d] + box.dims[d].start + at[d] * box.dims[d].stride;
      out.insert(linear);
      std::size_t d = box.dims.size();
      while (d > 0 && ++at[d - 1] == box.dims[d - 1].count) at[--d] = 0;
      if (d == 0) break;
    }
  }
  return out;
}

Region random_region(std::mt19937& random, const Dims& dims) {
  Region region = Region::none(dims);
  for (std::size_t b = 0; b < 1 + random() % 3; ++b) {
    Box box;
    for (const std::int64_t extent : dims) {
      const auto start = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(extent));
      const auto stride = static_cast<std::int64_t>(1 + random() % 2);
      const std::int64_t most = (extent - 1 - start) / stride + 1;
      box.dims.push_back({start, static_cast<std::int64_t>(1 + random() % static_cast<std::uint64_t>(most)), stride});
    }
    region.add(box);
  }
  return region;
}

TEST(Region, CountsItsUnion) {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    const Region region = random_region(random, {4, 5, 3});
    EXPECT_EQ(region.elements(), static_cast<std::int64_t>(elements(region).size())) << round;
  }
}

TEST(Region, ReshapesToTheSameElements) {
  std::mt19937 random(4);
  const std::vector<std::pair<Dims, Dims>> shapes = {{{4, 6}, {24}}, {{24}, {4, 6}}, {{4, 6}, {4, 1, 6}}, {{4, 6}, {2, 2, 6}},
                                                     {{4, 6}, {2, 12}}, {{2, 3, 4}, {6, 4}}, {{6, 4}, {2, 3, 2, 2}}, {{1, 24}, {24, 1, 1}}};
  for (int round = 0; round < 200; ++round)
    for (const auto& [from, to] : shapes) {
      const Region region = random_region(random, from);
      const Region there = reshaped(region, to);
      if (!there.exact()) continue;
      EXPECT_EQ(elements(there), elements(region)) << round;
    }
}

TEST(Region, OperandsOfLayoutOpsAreWhatTheOutputTakes) {
  const graph::Graph g = module(R"(HloModule m
ENTRY e {
  x = f32[6,8] parameter(0)
  y = f32[6,4] parameter(1)
  c = f32[6,12] concatenate(x, y), dimensions={1}
  s = f32[6,5] slice(c), slice={[0:6],[6:11]}
  z = f32[] constant(0)
  p = f32[8,7] pad(s, z), padding=1_1x2_0
  r = f32[8,7] reverse(p), dimensions={0,1}
  ROOT o = f32[3,7] slice(r), slice={[0:3],[0:7]}
})");
  // o: rows 0..2 of r = rows 7..5 of p = rows 6..4 of s and one row of padding: rows 4, 5 of s.
  // s takes columns 6..10 of c: 6, 7 of x and 0..2 of y.
  const Case c = planned(g, options_for("stitch"));
  const FusionGroup& group = c.plan.computations.at(0).groups.at(0);
  EXPECT_EQ(group.estimate.bytes_read, 4 * (2 * 2 + 2 * 3));
  EXPECT_EQ(group.estimate.bytes_written, 4 * 21);
  EXPECT_TRUE(group.estimate.exact);
}

}  // namespace
}  // namespace seam::planner::test
