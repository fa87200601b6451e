#include <fmt/core.h>
#include <gtest/gtest.h>

#include "support.h"

namespace seam::test {
namespace {

using planner::Schedule;
using planner::ScheduleKind;

std::size_t count(const std::string& text, std::string_view what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

constexpr std::string_view kSoftmax = R"(
    x = f32[12,{0}] parameter(0)
    low = f32[] constant(-inf)
    zero = f32[] constant(0)
    m = f32[12] reduce(x, low), dimensions={{1}}, to_apply=max_f32
    mb = f32[12,{0}] broadcast(m), dimensions={{0}}
    d = f32[12,{0}] subtract(x, mb)
    e = f32[12,{0}] exponential(d)
    s = f32[12] reduce(e, zero), dimensions={{1}}, to_apply=add_f32
    sb = f32[12,{0}] broadcast(s), dimensions={{0}}
    ROOT r = f32[12,{0}] divide(e, sb))";

TEST(Stitch, SoftmaxInSharedMemory) {
  for (const int lanes : {1, 32, 128}) {
    for (const int columns : {1, 2, 17, 64, 300}) {
      for (const std::int64_t blocks : {1, 3, 12}) {
        if (blocks == 1 && columns == 300) continue;
        SCOPED_TRACE(fmt::format("{} lanes, {} columns, {} blocks", lanes, columns, blocks));
        const graph::Graph g = graph_of_ops(fmt::format(kSoftmax, columns));
        const Schedule row{ScheduleKind::Row, 0, blocks};
        expect_right(g, GroupOf(g).lanes(lanes).blocks(blocks, ScheduleKind::Row).shared("m", row).shared("e", row).shared("s", row).output("r", row).group());
      }
    }
  }
}

TEST(Stitch, SoftmaxInWarps) {
  for (const int columns : {3, 100}) {
    const graph::Graph g = graph_of_ops(fmt::format(kSoftmax, columns));
    const Schedule row{ScheduleKind::Row, 0, 3};
    const planner::FusionGroup group =
        GroupOf(g).lanes(32).blocks(3, ScheduleKind::Row).warp("m", row).warp("s", row).output("r", row).group();
    expect_right(g, group);
    EXPECT_EQ(count(cuda_of(g, group), "__syncthreads"), 0U) << "values in registers need no barrier";
  }
}

TEST(Stitch, LayerNormForward) {
  const graph::Graph g = graph_of_ops(R"(
    x = f32[6,96] parameter(0)
    gamma = f32[96] parameter(1)
    beta = f32[96] parameter(2)
    zero = f32[] constant(0)
    n = f32[] constant(0.010416667)
    nb = f32[6] broadcast(n), dimensions={}
    eps = f32[] constant(1e-5)
    epsb = f32[6] broadcast(eps), dimensions={}
    sum = f32[6] reduce(x, zero), dimensions={1}, to_apply=add_f32
    mean = f32[6] multiply(sum, nb)
    meanb = f32[6,96] broadcast(mean), dimensions={0}
    c = f32[6,96] subtract(x, meanb)
    c2 = f32[6,96] multiply(c, c)
    sum2 = f32[6] reduce(c2, zero), dimensions={1}, to_apply=add_f32
    var = f32[6] multiply(sum2, nb)
    vare = f32[6] add(var, epsb)
    inv = f32[6] rsqrt(vare)
    invb = f32[6,96] broadcast(inv), dimensions={0}
    nrm = f32[6,96] multiply(c, invb)
    gb = f32[6,96] broadcast(gamma), dimensions={1}
    bb = f32[6,96] broadcast(beta), dimensions={1}
    sc = f32[6,96] multiply(nrm, gb)
    y = f32[6,96] add(sc, bb)
    ROOT out = (f32[6,96], f32[6], f32[6]) tuple(y, mean, inv))");
  for (const int lanes : {32, 128}) {
    for (const std::int64_t blocks : {1, 2, 6}) {
      SCOPED_TRACE(fmt::format("{} lanes, {} blocks", lanes, blocks));
      const Schedule row{ScheduleKind::Row, 0, blocks};
      expect_right(g, GroupOf(g).lanes(lanes).blocks(blocks, ScheduleKind::Row).shared("sum", row).shared("sum2", row).shared("inv", row)
                          .output("y", row).output("mean", row).output("inv", row).group());
      expect_right(g, GroupOf(g).lanes(lanes).blocks(blocks, ScheduleKind::Row).warp("sum", row).warp("sum2", row)
                          .output("y", row).output("mean", row).output("inv", row).group());
    }
  }
}

TEST(Stitch, SharedMemoryIsReusedBehindABarrier) {
  // Figure 3 of FusionStitching: the second reduce takes the first one's place, the quotient that of the exponential.
  const graph::Graph g = graph_of_ops(R"(
    a = f32[34,17] parameter(0)
    v = f32[2,17,5] parameter(1)
    low = f32[] constant(-inf)
    zero = f32[] constant(0)
    m = f32[34] reduce(a, low), dimensions={1}, to_apply=max_f32
    mb = f32[34,17] broadcast(m), dimensions={0}
    d = f32[34,17] subtract(a, mb)
    e = f32[34,17] exponential(d)
    s = f32[34] reduce(e, zero), dimensions={1}, to_apply=add_f32
    sb = f32[34,17] broadcast(s), dimensions={0}
    q = f32[34,17] divide(e, sb)
    p = f32[2,17,17] bitcast(q)
    ROOT r = f32[2,17,5] dot(p, v), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1})");
  const Schedule row{ScheduleKind::Row, 0, 2};
  for (const int lanes : {1, 32}) {
    const planner::FusionGroup group = GroupOf(g).lanes(lanes).blocks(2, ScheduleKind::Row).shared("m", row, 0).shared("e", row, 80)
                                           .shared("s", row, 0).shared("q", row, 80).output("r", row).group();
    expect_right(g, group);
    EXPECT_LE(kernel_of(g, group).shared_bytes, 80 + 289 * 4);
  }
}

TEST(Stitch, TwoReducesOfOneOperandAreOneLoop) {
  const graph::Graph g = graph_of_ops(R"(
    x = f32[8,200] parameter(0)
    low = f32[] constant(-inf)
    one = f32[] constant(1)
    s = f32[8] reduce(x, one), dimensions={1}, to_apply=add_f32
    m = f32[8] reduce(x, low), dimensions={1}, to_apply=max_f32
    ROOT out = (f32[8], f32[8]) tuple(s, m))");
  const planner::FusionGroup group = GroupOf(g).lanes(32).blocks(2).output("s").output("m").group();
  expect_right(g, group);
  EXPECT_EQ(count(cuda_of(g, group), "p_x["), 1U);
}

TEST(Stitch, PackedParts) {
  const graph::Graph g = graph_of_ops(R"(
    x = f32[100] parameter(0)
    y = f32[37,40] parameter(1)
    zero = f32[] constant(0)
    a = f32[100] negate(x)
    s = f32[37] reduce(y, zero), dimensions={1}, to_apply=add_f32
    c = f32[40] reduce(y, zero), dimensions={0}, to_apply=add_f32
    ROOT out = (f32[100], f32[37], f32[40]) tuple(a, s, c))");
  expect_right(g, GroupOf(g).only({"a"}).blocks(2).output("a").next_part().only({"s"}).blocks(5).lanes(32).output("s").next_part().only({"c"}).blocks(3)
                      .lanes(32).output("c").group());
}

}  // namespace
}  // namespace seam::test
