// A module at another size: which dimensions follow, and what is refused.
#include "graph/text.h"
#include "graph/transform.h"
#include "graph/verify.h"
#include "support.h"

namespace seam::graph::test {
namespace {

constexpr std::string_view kRows = R"(HloModule m
s { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT c = f32[] add(a, b) }
ENTRY e {
  x = f32[8,16,4] parameter(0)
  w = f32[4,32] parameter(1)
  z = f32[] constant(0)
  zs = f32[8,16,32] broadcast(z), dimensions={}
  half = f32[8,16,2] slice(x), slice={[0:8],[0:16],[1:3]}
  d = f32[8,16,32] dot(x, w), lhs_contracting_dims={2}, rhs_contracting_dims={0}
  r = f32[8,16,32] maximum(d, zs)
  sum = f32[32] reduce(r, z), dimensions={0,1}, to_apply=s
  ROOT t = (f32[8,16,2], f32[32], f32[8,16,32]) tuple(half, sum, r)
})";

std::string message(const Result<Graph>& result) { return result ? "accepted" : describe(result.error()); }

TEST(Extents, EveryDimensionOfThatSizeFollows) {
  const Graph small = module(kRows);
  const Result<Graph> large = with_extents(small, {{8, 3}, {16, 128}});
  ASSERT_TRUE(large) << message(large);
  EXPECT_TRUE(verify(*large));
  const Computation& c = large->entry_computation();
  EXPECT_EQ(print(c.ops[c.root].shape), "(f32[3,128,2], f32[32], f32[3,128,32])");
  const Op& half = c.ops[c.find("half").value()];
  EXPECT_EQ(half.attributes.limits, (std::vector<std::int64_t>{3, 128, 3}));
  EXPECT_EQ(half.attributes.starts, (std::vector<std::int64_t>{0, 0, 1}));
  const Result<Graph> back = with_extents(*large, {{3, 8}, {128, 16}});
  ASSERT_TRUE(back) << message(back);
  EXPECT_EQ(*back, small);
}

TEST(Extents, ChangesHappenAtOnce) {
  const Graph small = module(kRows);
  const Result<Graph> swapped = with_extents(small, {{8, 16}, {16, 8}});
  ASSERT_TRUE(swapped) << message(swapped);
  EXPECT_EQ(print(swapped->entry_computation().ops[Id<Op>(0)].shape), "f32[16,8,4]");
}

TEST(Extents, WhatWouldMeanSomethingElseIsRefused) {
  const Graph small = module(kRows);
  EXPECT_NE(message(with_extents(small, {{8, 0}})).find("at least 1"), std::string::npos);
  EXPECT_NE(message(with_extents(small, {{8, 2}, {8, 3}})).find("extent 8 is to become 2 and 3"), std::string::npos);
  EXPECT_NE(message(with_extents(small, {{7, 2}})).find("no dimension of 'm' has 7 elements"), std::string::npos);
  EXPECT_NE(message(with_extents(small, {{4, 6}})).find("slice 'half' takes a part of a dimension of 4"), std::string::npos);
  EXPECT_NE(message(with_extents(small, {{2, 6}})).find("slice 'half' takes 2 of 4"), std::string::npos);
  EXPECT_NE(message(with_extents(small, {{8, std::int64_t{1} << 60}})).find("larger than any machine's memory"), std::string::npos);
  EXPECT_NE(message(with_extents(module("HloModule m\nENTRY e { x = f32[8,4] parameter(0)\n ROOT r = f32[32] reshape(x) }"), {{8, 2}})).find("reshape"), std::string::npos);
  EXPECT_NE(message(with_extents(module("HloModule m\nENTRY e { ROOT c = f32[2] constant({1, 2}) }"), {{2, 3}})).find("constant 'c' holds values"), std::string::npos);
  EXPECT_NE(message(with_extents(module("HloModule m\nENTRY e { x = f32[8,4] parameter(0)\n i = s32[] parameter(1)\n z = s32[] constant(0)\n ROOT r = f32[1,4] dynamic-slice(x, i, z), dynamic_slice_sizes={1,4} }"), {{8, 2}}))
                .find("dynamic-slice 'r' cannot be given other extents"),
            std::string::npos);
}

/// The layer of "Data Movement Is All You Need" at the paper's second size.
TEST(Extents, TheBundledLayerResizes) {
  const Graph layer = read_graph(slurp(SEAM_EXAMPLES "/bert_paper.graph"), "bert_paper.graph").value();
  const Result<Graph> resized = with_extents(layer, {{8, 96}, {512, 128}});
  ASSERT_TRUE(resized) << message(resized);
  const Computation& c = resized->entry_computation();
  EXPECT_EQ(c.ops[c.find("qkt").value()].shape.dims, (std::vector<std::int64_t>{16, 96, 128, 128}));
  EXPECT_EQ(*with_extents(*resized, {{96, 8}, {128, 512}}), layer);
}

}  // namespace
}  // namespace seam::graph::test
