#include <fmt/core.h>
#include <gtest/gtest.h>

#include "support.h"

namespace seam::test {
namespace {

using planner::Schedule;
using planner::ScheduleKind;

/// The op `r` of the text, alone, on ragged blocks.
void right_alone(std::string_view ops, const RunOptions& options = {}) {
  const graph::Graph g = graph_of_ops(ops);
  for (const std::int64_t blocks : {1, 4}) expect_right(g, GroupOf(g).blocks(blocks).output("r").group(), options);
}

TEST(Layout, MovesElements) {
  right_alone("x = f32[3,5,7] parameter(0)\n ROOT r = f32[7,3,5] transpose(x), dimensions={2,0,1}");
  right_alone("x = f32[3,5,7] parameter(0)\n ROOT r = f32[3,5,7] reverse(x), dimensions={0,2}");
  right_alone("x = f32[9,8] parameter(0)\n ROOT r = f32[3,3] slice(x), slice={[1:8:3], [2:8:2]}");
  right_alone("x = f32[5,7] parameter(0)\n ROOT r = f32[4,5,3,7] broadcast(x), dimensions={1,3}");
  right_alone("x = f32[6,4] parameter(0)\n t = f32[4,6] transpose(x), dimensions={1,0}\n q = f32[8,3] reshape(t)\n ROOT r = f32[3,8] transpose(q), dimensions={1,0}");
  right_alone("x = bf16[6,4] parameter(0)\n ROOT r = bf16[6,4] copy(x)");
  right_alone("i = s32[5,6,2] iota(), iota_dimension=1\n ROOT r = s32[5,6,2] negate(i)");
  right_alone("i = f16[5,6,2] iota(), iota_dimension=0\n ROOT r = f16[5,6,2] negate(i)");
}

TEST(Layout, Concatenate) {
  right_alone(R"(a = f32[3,4] parameter(0)
    b = f32[3,1] parameter(1)
    c = f32[3,6] parameter(2)
    ROOT r = f32[3,11] concatenate(a, b, c), dimensions={1})");
  right_alone(R"(a = f32[3,4] parameter(0)
    b = f32[2,4] parameter(1)
    e = f32[2,4] exponential(b)
    n = f32[3,4] negate(a)
    c = f32[8,4] concatenate(n, e, a), dimensions={0}
    s = f32[4,4] slice(c), slice={[3:7], [0:4]}
    ROOT r = f32[4,4] multiply(s, s))");
}

TEST(Layout, Pad) {
  right_alone(R"(x = f32[4,5] parameter(0)
    v = f32[] constant(7)
    ROOT r = f32[7,9] pad(x, v), padding=1_2x0_4)");
  right_alone(R"(x = f32[4,5] parameter(0)
    v = f32[] parameter(1)
    ROOT r = f32[8,10] pad(x, v), padding=1_0_1x-1_-1_2)");
  right_alone(R"(x = f32[4,5] parameter(0)
    v = f32[] parameter(1)
    ROOT r = f32[2,3] pad(x, v), padding=-1_-1x-2_0)");
  // What is padded is computed only where it is needed.
  right_alone(R"(x = f32[4,5] parameter(0)
    v = f32[] constant(0)
    e = f32[4,5] exponential(x)
    p = f32[6,5] pad(e, v), padding=1_1x0_0
    y = f32[6,5] parameter(1)
    ROOT r = f32[6,5] add(p, y))");
}

TEST(Layout, DynamicSliceClampsItsStarts) {
  for (const std::string_view type : {"s32", "s64", "u32", "s8"}) {
    for (const std::int64_t low : {-100, 2, 60}) {
      SCOPED_TRACE(fmt::format("{} {}", type, low));
      right_alone(fmt::format(R"(x = f32[9,8] parameter(0)
        i = {0}[] parameter(1)
        j = {0}[] parameter(2)
        ROOT r = f32[4,3] dynamic-slice(x, i, j), dynamic_slice_sizes={{4,3}})", type),
                  RunOptions{.low = low, .high = low + 5});
    }
  }
}

TEST(Layout, DynamicUpdateSlice) {
  constexpr std::string_view kText = R"(x = f32[9,8] parameter(0)
    u = f32[4,3] parameter(1)
    i = s32[] parameter(2)
    j = s32[] parameter(3)
    n = f32[4,3] negate(u)
    ROOT r = f32[9,8] dynamic-update-slice(x, n, i, j))";
  for (const std::int64_t low : {-100, 2, 60}) {
    const RunOptions options{.low = low, .high = low + 5};
    right_alone(kText, options);
    const graph::Graph g = graph_of_ops(kText);
    expect_right(g, GroupOf(g).blocks(2).output("r").in_place("r", "x").group(), options);
  }
}

TEST(Layout, GatherOfRows) {
  for (const std::string_view type : {"s32", "s64", "u32"}) {
    right_alone(fmt::format(R"(table = f32[20,6] parameter(0)
      rows = {}[5,3] parameter(1)
      ROOT r = f32[5,3,6] gather(table, rows), offset_dims={{2}}, collapsed_slice_dims={{0}}, start_index_map={{0}}, index_vector_dim=2, slice_sizes={{1,6}})", type),
                RunOptions{.low = type == "u32" ? 0 : -4, .high = 25});
  }
}

TEST(Layout, GatherOfWindowsAndBatches) {
  right_alone(R"(x = f32[9,8,7] parameter(0)
    at = s32[2,4] parameter(1)
    ROOT r = f32[3,4,2] gather(x, at), offset_dims={0,2}, collapsed_slice_dims={1}, start_index_map={2,0}, index_vector_dim=0, slice_sizes={3,1,2})",
              RunOptions{.low = -3, .high = 12});
  right_alone(R"(x = f32[5,8,3] parameter(0)
    at = s32[5,4,1] parameter(1)
    ROOT r = f32[5,4,3] gather(x, at), offset_dims={2}, collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,3})",
              RunOptions{.low = -3, .high = 12});
}

std::string scatter_text(std::string_view type, std::string_view index, std::string_view combiner) {
  return fmt::format(R"(HloModule m
c {{
  a = {0}[] parameter(0)
  b = {0}[] parameter(1)
  ROOT s = {0}[] {2}
}}
ENTRY e {{
  table = {0}[20,6] parameter(0)
  rows = {1}[15,1] parameter(1)
  u = {0}[15,6] parameter(2)
  n = {0}[15,6] negate(u)
  ROOT r = {0}[20,6] scatter(table, rows, n), update_window_dims={{1}}, inserted_window_dims={{0}}, scatter_dims_to_operand_dims={{0}}, index_vector_dim=1, to_apply=c
}}
)", type, index, combiner);
}

TEST(Layout, ScatterAddOfRows) {
  for (const std::string_view type : {"f32", "f64", "s32", "u32", "s64", "f16", "bf16"}) {
    for (const std::string_view index : {"s32", "s64"}) {
      SCOPED_TRACE(fmt::format("{} {}", type, index));
      const graph::Graph g = graph_of(scatter_text(type, index, "add(a, b)"));
      expect_right(g, GroupOf(g).blocks(2).output("r").in_place("r", "table").group(), RunOptions{.low = -5, .high = 30});
    }
  }
}

TEST(Layout, ScatterAssigns) {
  // Without two updates of one row: their order would be free.
  const graph::Graph g = graph_of(R"(HloModule m
c {
  a = f32[] parameter(0)
  ROOT b = f32[] parameter(1)
}
ENTRY e {
  table = f32[20,6] parameter(0)
  rows = s32[8] iota(), iota_dimension=0
  three = s32[] constant(3)
  threes = s32[8] broadcast(three), dimensions={}
  at = s32[8] multiply(rows, threes)
  u = f32[8,6] parameter(1)
  ROOT r = f32[20,6] scatter(table, at, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=c
}
)");
  expect_right(g, GroupOf(g).blocks(2).output("r").in_place("r", "table").group());
}

TEST(Layout, ScatterOfWindowsDropsWhatIsOutside) {
  const graph::Graph g = graph_of(R"(HloModule m
c {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY e {
  x = f32[9,8] parameter(0)
  at = s32[4,2] parameter(1)
  u = f32[4,3,2] parameter(2)
  ROOT r = f32[9,8] scatter(x, at, u), update_window_dims={1,2}, inserted_window_dims={}, scatter_dims_to_operand_dims={0,1}, index_vector_dim=1, to_apply=c
}
)");
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    expect_right(g, GroupOf(g).blocks(2).output("r").in_place("r", "x").group(), RunOptions{.seed = seed, .low = -4, .high = 10});
  }
}

TEST(Layout, SmallDots) {
  for (const std::string_view type : {"f32", "f16", "s32"}) {
    right_alone(fmt::format(R"(a = {0}[3,4,5,6] parameter(0)
      b = {0}[4,6,7,3] parameter(1)
      ROOT r = {0}[3,4,5,7] dot(a, b), lhs_batch_dims={{0,1}}, rhs_batch_dims={{3,0}}, lhs_contracting_dims={{3}}, rhs_contracting_dims={{1}})", type));
  }
}

TEST(Layout, SixtyFourBitIndicesOnlyWhereNeeded) {
  const graph::Graph g = graph_of_ops("x = u8[70000,40000] parameter(0)\n ROOT r = u8[70000,40000] not(x)");
  const codegen::Kernel kernel = kernel_of(g, GroupOf(g).blocks(100000).output("r").group());
  EXPECT_EQ(kernel.index_type, DType::S64);
  EXPECT_NE(codegen::emit(kernel).cuda.find("for (long long i"), std::string::npos);
}

}  // namespace
}  // namespace seam::test
