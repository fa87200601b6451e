// What the rules stand on: places of a kernel, and what its index arithmetic really does.
#include "facts.h"

#include <gtest/gtest.h>

#include "places.h"

namespace seam::codegen::test {
namespace {

constexpr std::string_view kKernel = R"(kernel k grid 2 threads 64 shared 256 index s32
in p_x f32[100]
in p_at s32[100]
out p_y f32[100]
shared s f32[64] at 0
body
  let i (add (mul block 64:s32) thread)
  if (lt i 100:s32)
    let x (load p_x:f32 i)
    store s thread x:f32
  end
  barrier
  for k thread 100:s32 step 64
    let at (load p_at:s32 k)
    if (lt at 7:s32)
      let z (load s:f32 (mod thread 8:s32))
      store p_y k z:f32
    end
  end
end
)";

Kernel kernel() { return *parse_kernel(kKernel, "k.kernel"); }

TEST(Places, AreNumberedAsTheTextReads) {
  const Kernel k = kernel();
  const std::vector<Site> all = sites(k);
  ASSERT_EQ(all.size(), 10U);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i].number, i);
  EXPECT_EQ(place_of(all[4]), "#4 barrier");
  EXPECT_EQ(place_of(all[9]), "#9 store p_y");
  EXPECT_EQ(all[9].around.size(), 2U);
}

TEST(Places, OneIsChangedAndNothingElse) {
  const Kernel k = kernel();
  for (const Site& site : sites(k)) {
    EXPECT_EQ(with_statement(k, site.number, {*site.stmt}), k) << place_of(site);
    EXPECT_NE(with_statement(k, site.number, {}), k) << place_of(site);
    for (const Node& node : nodes(*site.stmt)) {
      EXPECT_EQ(with_node(k, site.number, node.number, node.expr), k) << place_of(site) << " node " << node.number;
      const Expr other = imm_int(DType::S32, 4711);
      EXPECT_EQ(nodes(*sites(with_node(k, site.number, node.number, other)).at(site.number).stmt).at(node.number).expr, other);
    }
  }
}

TEST(Facts, GuardsAreSeenToHoldAndToFail) {
  const Kernel k = kernel();
  const Facts facts(k);
  const NodeFacts& guard = facts.node(1, 0);  // i < 100: thread 36 of block 1 stands at the bound
  EXPECT_EQ(guard.low, 0);
  EXPECT_EQ(guard.high, 1);
  EXPECT_TRUE(guard.equal && guard.just_below && guard.above && guard.below);
  EXPECT_EQ(facts.node(2, 1).high, 99) << "behind the guard";
}

TEST(Facts, LoopsAreCounted) {
  const Facts facts(kernel());
  EXPECT_EQ(facts.loop(5).most_trips, 2);
  EXPECT_TRUE(facts.loop(5).last_reached);
}

TEST(Facts, DataIsUnknownUnlessGiven) {
  const Kernel k = kernel();
  const Facts unknown(k);
  EXPECT_FALSE(unknown.node(7, 0).reached()) << "nobody knows what memory holds";
  EXPECT_EQ(unknown.threads(9).size(), 128U) << "so both ways are open";
  EXPECT_EQ(unknown.accesses(8, 0).size(), 200U);
  EXPECT_EQ(Facts(k, 0).threads(9).size(), 128U);
  EXPECT_EQ(Facts(k, 7).threads(9).size(), 0U) << "7 < 7 holds for nobody";
}

}  // namespace
}  // namespace seam::codegen::test
