// What a stitched kernel reads, keeps and shares, beyond the paper.
#include <algorithm>

#include "facts/small_dot.h"
#include "support.h"

namespace seam::planner::test {
namespace {

std::size_t outputs_of(const Part& part) {
  return static_cast<std::size_t>(std::ranges::count_if(part.ops, [](const PlannedOp& op) { return op.output; }));
}

const FusionGroup& only_group(const Case& c) {
  if (c.plan.computations.size() != 1 || c.plan.computations[0].groups.size() != 1) throw std::runtime_error("not one kernel");
  return c.plan.computations[0].groups[0];
}

/// Two tables, each updated with rows looked up in the other: neither may be copied for it, the rows are read before.
TEST(Traffic, ATableThatIsUpdatedInPlaceIsReadBefore) {
  const Case c = planned(slurp(std::filesystem::path(SEAM_TEST_DATA) / "xla/w2v.step.hlo"), options_for("stitch"));
  EXPECT_EQ(complaint(c), "");
  EXPECT_EQ(c.plan.totals.copies, 0);
  EXPECT_EQ(c.plan.totals.kernels, 3);
}

constexpr const char* kGate = "HloModule m\nENTRY e {\n  x = f32[64,512] parameter(0)\n  c = f32[64,512] parameter(1)\n  b = f32[512] parameter(2)\n  bw = f32[64,512] broadcast(b), dimensions={1}\n"
                              "  s = f32[64,512] add(x, bw)\n  t = f32[64,512] tanh(s)\n  n = f32[64,512] multiply(t, c)\n  u = f32[64,512] tanh(n)\n";

/// Outputs that share values are one loop: the hyperbolic tangent is evaluated once per element.
TEST(Traffic, OutputsThatShareValuesAreOnePart) {
  const Case c = planned(std::string(kGate) + "  ROOT r = (f32[64,512], f32[64,512]) tuple(n, u)\n}\n", options_for("stitch"));
  EXPECT_EQ(complaint(c), "");
  const FusionGroup& group = only_group(c);
  ASSERT_EQ(group.parts.size(), 1U);
  EXPECT_EQ(outputs_of(group.parts[0]), 2U);
  EXPECT_EQ(group.parts[0].blocks, 128) << "one element a thread";
}

TEST(Traffic, OutputsThatShareNothingStayApart) {
  const Case c = planned("HloModule m\nENTRY e {\n  x = f32[64,512] parameter(0)\n  y = f32[64,512] parameter(1)\n  z = f32[512,32] parameter(2)\n  a = f32[64,512] tanh(x)\n  b = f32[64,512] tanh(y)\n"
                         "  c = f32[512,32] tanh(z)\n  ROOT r = (f32[64,512], f32[64,512], f32[512,32]) tuple(a, b, c)\n}\n", options_for("stitch"));
  EXPECT_EQ(complaint(c), "");
  EXPECT_EQ(only_group(c).parts.size(), 3U);
}

/// Pieces of a larger value are not the same elements: each keeps its own locality.
TEST(Traffic, PiecesOfOneValueStayApart) {
  const Case c = planned("HloModule m\nENTRY e {\n  x = f32[2,64,512] parameter(0)\n  s = f32[1,64,512] slice(x), slice={[0:1], [0:64], [0:512]}\n  t = f32[1,64,512] slice(x), slice={[1:2], [0:64], [0:512]}\n"
                         "  a = f32[1,64,512] tanh(s)\n  b = f32[1,64,512] tanh(t)\n  ROOT r = (f32[1,64,512], f32[1,64,512]) tuple(a, b)\n}\n", options_for("stitch"));
  EXPECT_EQ(complaint(c), "");
  EXPECT_EQ(only_group(c).parts.size(), 2U);
}

/// q, k, v of one product with its bias: v is needed a level later. Its slice of the product is read then, not written before and read again.
TEST(Traffic, ALaterSliceIsReadFromWhatItIsASliceOf) {
  const Case c = planned(R"(HloModule m
ENTRY e {
  x = f32[128,256] parameter(0)
  w = f32[256,3072] parameter(1)
  b = f32[3072] parameter(2)
  p = f32[128,3072] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  bw = f32[128,3072] broadcast(b), dimensions={1}
  s = f32[128,3072] add(p, bw)
  q = f32[128,1024] slice(s), slice={[0:128], [0:1024]}
  k = f32[128,1024] slice(s), slice={[0:128], [1024:2048]}
  v = f32[128,1024] slice(s), slice={[0:128], [2048:3072]}
  tv = f32[1024,128] transpose(v), dimensions={1,0}
  eq = f32[128,1024] tanh(q)
  ek = f32[128,1024] tanh(k)
  a = f32[128,128] dot(eq, ek), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  ea = f32[128,128] exponential(a)
  ev = f32[1024,128] tanh(tv)
  ROOT r = f32[128,1024] dot(ea, ev), lhs_contracting_dims={1}, rhs_contracting_dims={1}
}
)", options_for("stitch"));
  EXPECT_EQ(complaint(c), "");
  // q, k and v once from the product, their bias, the scores; written once each.
  const std::int64_t third = 128 * 1024 * 4, scores = 128 * 128 * 4;
  EXPECT_LE(c.plan.totals.bytes_read, 3 * third + 3 * 4096 + scores);
  EXPECT_EQ(c.plan.totals.bytes_written, 3 * third + scores);
}

/// The mean square of normalized rows: each row's share in the kernel that made the row, which leaves one number per row to read.
TEST(Traffic, SumsOverEverythingSumRowsWhereRowsAreMade) {
  const Case c = planned(R"(HloModule m
add { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT s = f32[] add(a, b) }
ENTRY e {
  x = f32[64,1024] parameter(0)
  zero = f32[] constant(0)
  n = f32[] constant(1024)
  sum = f32[64] reduce(x, zero), dimensions={1}, to_apply=add
  ns = f32[64] broadcast(n), dimensions={}
  mean = f32[64] divide(sum, ns)
  means = f32[64,1024] broadcast(mean), dimensions={0}
  y = f32[64,1024] subtract(x, means)
  squares = f32[64,1024] multiply(y, y)
  loss = f32[] reduce(squares, zero), dimensions={0,1}, to_apply=add
  ROOT r = (f32[64,1024], f32[]) tuple(y, loss)
}
)", options_for("stitch"));
  EXPECT_EQ(complaint(c), "");
  EXPECT_EQ(c.plan.totals.bytes_read, 64 * 1024 * 4 + 64 * 4);
  EXPECT_EQ(c.plan.totals.bytes_written, 64 * 1024 * 4 + 64 * 4 + 4);
}

/// A factor put together from pieces is read 27 times an element: it is kept, not put together 27 times.
TEST(Traffic, WhatAProductReadsOftenIsKept) {
  const Case c = planned(slurp(std::filesystem::path(SEAM_TEST_DATA) / "xla/dlrm.infer.hlo"), options_for("stitch"));
  EXPECT_EQ(complaint(c), "");
  EXPECT_EQ(c.plan.totals.library_calls, 6);
  const graph::Computation& entry = c.graph.entry_computation();
  std::size_t products = 0;
  for (const graph::Op& op : entry.ops) {
    if (op.opcode != graph::Opcode::Dot || op.operands[0] != op.operands[1]) continue;
    ++products;
    EXPECT_EQ(planned_op(c, entry.ops[op.operands[0]].name).placement, Placement::Shared);
  }
  EXPECT_EQ(products, 1U);
}

// Prices of products.

graph::Graph product(const std::string& lhs, const std::string& rhs, const std::string& out, const std::string& dims) {
  return module("HloModule m\nENTRY e {\n  a = f32[" + lhs + "] parameter(0)\n  b = f32[" + rhs + "] parameter(1)\n  ROOT d = f32[" + out + "] dot(a, b), " + dims + "\n}\n");
}
constexpr const char* kBatched = "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}";

DotPrice price(const graph::Graph& graph, const OnChip& factors, const char* device = "h100") {
  const graph::Computation& entry = graph.entry_computation();
  return price_of_dot(entry, entry.ops[entry.root], factors, device_named(device).value());
}

TEST(DotPrice, ManyMultiplyAddsAreTheLibrarys) {
  const DotPrice small = price(product("64,8,64", "64,64,8", "64,8,8", kBatched), {}), large = price(product("2048,32,64", "2048,64,32", "2048,32,32", kBatched), {});
  EXPECT_TRUE(small.pays()) << small.kernel_us << " " << small.library_us;
  EXPECT_FALSE(large.pays()) << large.kernel_us << " " << large.library_us;
}

TEST(DotPrice, AFactorMadeOnChipCostsTheCallAKernelAndTheWayThroughMemory) {
  const graph::Graph graph = product("512,17,17", "512,17,128", "512,17,128", kBatched);
  const DotPrice read = price(graph, {}), made = price(graph, {.any = true, .bytes = 512 * 17 * 17 * 4});
  EXPECT_GT(made.library_us, read.library_us + 1);
  EXPECT_GT(price(graph, {.any = true, .bytes = 1 << 26}).library_us, made.library_us + 10);
}

/// Few products in a batch: a kernel that keeps whole ones in a block has no more blocks than that.
TEST(DotPrice, FewBlocksAreSlow) {
  const graph::Graph graph = product("8,50,512", "8,512,64", "8,50,64", kBatched);
  EXPECT_GT(price(graph, {.any = true}).kernel_us, 2 * price(graph, {}).kernel_us);
}

TEST(DotPrice, IsInTheVeto) {
  const Case c = planned(product("2048,32,64", "2048,64,32", "2048,32,32", kBatched), options_for("stitch"));
  ASSERT_EQ(c.plan.totals.library_calls, 1);
  ASSERT_TRUE(has_veto(c.plan, VetoCode::LibraryCall));
  const auto veto = std::ranges::find(c.plan.vetoes, VetoCode::LibraryCall, &Veto::code);
  EXPECT_GT(veto->numbers.at("kernel_us"), 1.1 * veto->numbers.at("library_us"));
}

}  // namespace
}  // namespace seam::planner::test
