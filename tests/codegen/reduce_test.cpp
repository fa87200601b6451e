#include <fmt/core.h>
#include <gtest/gtest.h>

#include "support.h"

namespace seam::test {
namespace {

using planner::Schedule;
using planner::ScheduleKind;

TEST(Reduce, Rows) {
  for (const int lanes : {1, 32, 128}) {
    for (const int columns : {1, 5, 32, 130, 1000}) {
      SCOPED_TRACE(fmt::format("{} lanes, {} columns", lanes, columns));
      const graph::Graph g = graph_of_ops(fmt::format(R"(
        x = f32[11,{}] parameter(0)
        init = f32[] constant(2.5)
        ROOT r = f32[11] reduce(x, init), dimensions={{1}}, to_apply=add_f32)", columns));
      for (const std::int64_t blocks : {1, 2, 11}) expect_right(g, GroupOf(g).lanes(lanes).blocks(blocks).output("r").group());
    }
  }
}

TEST(Reduce, Columns) {
  for (const int rows : {1, 3, 64, 500}) {
    for (const int columns : {1, 2, 7, 32, 100, 257}) {
      SCOPED_TRACE(fmt::format("{} rows, {} columns", rows, columns));
      const graph::Graph g = graph_of_ops(fmt::format(R"(
        x = f32[{},{}] parameter(0)
        zero = f32[] constant(0)
        ROOT r = f32[{}] reduce(x, zero), dimensions={{0}}, to_apply=add_f32)", rows, columns, columns));
      for (const std::int64_t blocks : {1, 3}) expect_right(g, GroupOf(g).lanes(32).blocks(blocks).output("r").group());
    }
  }
}

TEST(Reduce, ColumnScheduleOwnsColumns) {
  const graph::Graph g = graph_of_ops(R"(
    x = f32[40,24] parameter(0)
    b = f32[24] parameter(1)
    zero = f32[] constant(0)
    bb = f32[40,24] broadcast(b), dimensions={1}
    y = f32[40,24] add(x, bb)
    s = f32[24] reduce(y, zero), dimensions={0}, to_apply=add_f32
    sb = f32[40,24] broadcast(s), dimensions={1}
    z = f32[40,24] subtract(y, sb)
    ROOT out = (f32[40,24], f32[24], f32[40,24]) tuple(y, s, z))");
  for (const std::int64_t blocks : {1, 3, 24}) {
    SCOPED_TRACE(blocks);
    const Schedule column{ScheduleKind::Column, 1, blocks};
    const Schedule row{ScheduleKind::Row, 0, blocks};
    expect_right(g, GroupOf(g).lanes(32).blocks(blocks, ScheduleKind::Column).output("y", column).shared("s", row).output("s", row).output("z", column).group());
  }
}

TEST(Reduce, AllOfIt) {
  for (const int lanes : {1, 32, 128}) {
    const graph::Graph g = graph_of_ops(R"(
      x = f32[13,77] parameter(0)
      zero = f32[] constant(0)
      ROOT r = f32[] reduce(x, zero), dimensions={0,1}, to_apply=add_f32)");
    expect_right(g, GroupOf(g).lanes(lanes).output("r").group());
  }
}

TEST(Reduce, SomeDims) {
  const graph::Graph g = graph_of_ops(R"(
    x = f32[3,4,5,6] parameter(0)
    zero = f32[] constant(0)
    a = f32[4,6] reduce(x, zero), dimensions={0,2}, to_apply=add_f32
    b = f32[3,5] reduce(x, zero), dimensions={1,3}, to_apply=add_f32
    c = f32[3,6] reduce(x, zero), dimensions={1,2}, to_apply=add_f32
    d = f32[3,4,5,6] reduce(x, zero), dimensions={}, to_apply=add_f32
    ROOT out = (f32[4,6], f32[3,5], f32[3,6], f32[3,4,5,6]) tuple(a, b, c, d))");
  for (const int lanes : {1, 32}) {
    for (const std::int64_t blocks : {1, 3}) expect_right(g, GroupOf(g).lanes(lanes).blocks(blocks).output("a").output("b").output("c").output("d").group());
  }
}

TEST(Reduce, Splits) {
  for (const std::string_view dims : {"1", "0"}) {
    for (const std::int64_t splits : {2, 7, 40}) {
      const std::string_view kept = dims == "1" ? "12" : "30";
      const graph::Graph g = graph_of_ops(fmt::format(R"(
        x = f32[12,30] parameter(0)
        y = f32[12,30] parameter(1)
        one = f32[] constant(1)
        low = f32[] constant(-inf)
        p = f32[12,30] multiply(x, y)
        s = f32[{0}] reduce(p, one), dimensions={{{1}}}, to_apply=add_f32
        m = f32[{0}] reduce(x, low), dimensions={{{1}}}, to_apply=max_f32
        ROOT out = (f32[{0}], f32[{0}]) tuple(s, m))", kept, dims));
      SCOPED_TRACE(fmt::format("dims {}, {} splits", dims, splits));
      for (const int lanes : {1, 32, 128}) {
        for (const std::int64_t blocks : {1, 2, 5}) {
          expect_right(g, GroupOf(g).lanes(lanes).blocks(blocks).splits(splits).output("s").output("m").group());
        }
      }
    }
  }
}

TEST(Reduce, Types) {
  for (const std::string_view type : {"f16", "bf16", "f64", "s32", "s8", "u64", "pred"}) {
    const std::string_view combiner = type == "pred" ? "or" : "add";
    const graph::Graph g = graph_of(fmt::format(R"(HloModule m
c {{
  a = {0}[] parameter(0)
  b = {0}[] parameter(1)
  ROOT s = {0}[] {1}(a, b)
}}
d {{
  a = {0}[] parameter(0)
  b = {0}[] parameter(1)
  ROOT s = {0}[] maximum(b, a)
}}
ENTRY e {{
  x = {0}[9,70] parameter(0)
  i = {0}[] parameter(1)
  s = {0}[9] reduce(x, i), dimensions={{1}}, to_apply=c
  t = {0}[70] reduce(x, i), dimensions={{0}}, to_apply=d
  ROOT out = ({0}[9], {0}[70]) tuple(s, t)
}}
)", type, combiner));
    SCOPED_TRACE(type);
    for (const int lanes : {1, 32, 128}) expect_right(g, GroupOf(g).lanes(lanes).blocks(2).output("s").output("t").group());
  }
}

TEST(Reduce, ArgMax) {
  const graph::Graph g = graph_of(R"(HloModule m
argmax {
  a = f32[] parameter(0)
  ai = s32[] parameter(1)
  b = f32[] parameter(2)
  bi = s32[] parameter(3)
  gt = pred[] compare(a, b), direction=GT
  eq = pred[] compare(a, b), direction=EQ
  first = pred[] compare(ai, bi), direction=LT
  tie = pred[] and(eq, first)
  take = pred[] or(gt, tie)
  v = f32[] select(take, a, b)
  i = s32[] select(take, ai, bi)
  ROOT r = (f32[], s32[]) tuple(v, i)
}
ENTRY e {
  x = f32[6,45] parameter(0)
  n = s32[6,45] iota(), iota_dimension=1
  low = f32[] constant(-inf)
  none = s32[] constant(0)
  r = (f32[6], s32[6]) reduce(x, n, low, none), dimensions={1}, to_apply=argmax
  v = f32[6] get-tuple-element(r), index=0
  i = s32[6] get-tuple-element(r), index=1
  ROOT out = (f32[6], s32[6]) tuple(v, i)
}
)");
  const Schedule row{ScheduleKind::Row, 0, 2};
  for (const int lanes : {1, 32, 128}) {
    expect_right(g, GroupOf(g).lanes(lanes).blocks(2, ScheduleKind::Row).shared("r", row).output("v", row).output("i", row).group());
  }
}

}  // namespace
}  // namespace seam::test
