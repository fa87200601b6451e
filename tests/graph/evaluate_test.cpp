// What each op means, one small module each. The traps are those where a plausible guess is wrong.
#include <cmath>
#include <limits>

#include "graph/transform.h"
#include "support.h"

namespace seam::graph::test {
namespace {

using Numbers = std::vector<double>;
const double kInf = std::numeric_limits<double>::infinity();
const double kNaN = std::numeric_limits<double>::quiet_NaN();

/// One op on parameters a, b, …: `line` is its text, `shapes` the parameters'.
std::string entry(std::string_view line, const std::vector<std::string>& shapes, std::string_view before = "") {
  std::string text(before);
  text += "ENTRY e {\n";
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    text += std::string(1, static_cast<char>('a' + i)) + " = " + shapes[i] + " parameter(" + std::to_string(i) + ")\n";
  }
  return text + "ROOT r = " + std::string(line) + "\n}";
}

constexpr std::string_view kAdd = "add { x = f32[] parameter(0)\n y = f32[] parameter(1)\n ROOT s = f32[] add(x, y) }\n";
constexpr std::string_view kMax = "max { x = f32[] parameter(0)\n y = f32[] parameter(1)\n ROOT s = f32[] maximum(x, y) }\n";

TEST(Evaluate, FloatToIntSaturatesAndNaNIsZero) {
  const Value x = value("f32[6]", {1e20, -1e20, kNaN, -2.9, 3e9, -kInf});
  EXPECT_EQ(run(entry("s32[6] convert(a)", {"f32[6]"}), {x}), (Numbers{2147483647, -2147483648.0, 0, -2, 2147483647, -2147483648.0}));
  EXPECT_EQ(run(entry("u8[6] convert(a)", {"f32[6]"}), {x}), (Numbers{255, 0, 0, 0, 255, 0}));
}

TEST(Evaluate, IntegerDivisionNeverTraps) {
  const Value a = value("s32[4]", {7, -2147483648.0, -7, 5}), b = value("s32[4]", {0, -1, 2, 3});
  EXPECT_EQ(run(entry("s32[4] divide(a, b)", {"s32[4]", "s32[4]"}), {a, b}), (Numbers{-1, -2147483648.0, -3, 1}));
  EXPECT_EQ(run(entry("s32[4] remainder(a, b)", {"s32[4]", "s32[4]"}), {a, b}), (Numbers{7, 0, -1, 2}));
  const Value ua = value("u32[2]", {7, 4294967295.0}), ub = value("u32[2]", {0, 2});
  EXPECT_EQ(run(entry("u32[2] divide(a, b)", {"u32[2]", "u32[2]"}), {ua, ub}), (Numbers{4294967295.0, 2147483647}));
}

TEST(Evaluate, IntegerPowersBelowZeroAreTruncated) {
  const Value a = value("s32[5]", {0, 1, -1, -1, 7}), b = value("s32[5]", {-2, -3, -3, -4, -1});
  EXPECT_EQ(run(entry("s32[5] power(a, b)", {"s32[5]", "s32[5]"}), {a, b}), (Numbers{0, 1, -1, 1, 0}));
}

TEST(Evaluate, ShiftsTooFarGiveZeroOrTheSign) {
  const Value a = value("s32[3]", {-8, -8, 5}), by = value("s32[3]", {1, 40, 33});
  EXPECT_EQ(run(entry("s32[3] shift-right-arithmetic(a, b)", {"s32[3]", "s32[3]"}), {a, by}), (Numbers{-4, -1, 0}));
  EXPECT_EQ(run(entry("s32[3] shift-right-logical(a, b)", {"s32[3]", "s32[3]"}), {a, by}), (Numbers{2147483644, 0, 0}));
  EXPECT_EQ(run(entry("s32[3] shift-left(a, b)", {"s32[3]", "s32[3]"}), {a, by}), (Numbers{-16, 0, 0}));
}

TEST(Evaluate, IntegersWrapAround) {
  const Value a = value("u8[2]", {200, 3}), b = value("u8[2]", {100, 5});
  EXPECT_EQ(run(entry("u8[2] add(a, b)", {"u8[2]", "u8[2]"}), {a, b}), (Numbers{44, 8}));
  EXPECT_EQ(run(entry("u8[2] subtract(b, a)", {"u8[2]", "u8[2]"}), {a, b}), (Numbers{156, 2}));
  const Value s = value("s8[2]", {100, -128});
  EXPECT_EQ(run(entry("s8[2] multiply(a, a)", {"s8[2]"}), {s}), (Numbers{16, 0}));
  EXPECT_EQ(run(entry("s8[2] abs(a)", {"s8[2]"}), {s}), (Numbers{100, -128}));
}

TEST(Evaluate, HighProductAndBitCounts) {
  const Value a = value("u32[2]", {4294967295.0, 65536}), b = value("u32[2]", {4294967295.0, 65536});
  EXPECT_EQ(run(entry("u32[2] mulhi(a, b)", {"u32[2]", "u32[2]"}), {a, b}), (Numbers{4294967294.0, 1}));
  EXPECT_EQ(run(entry("u32[2] popcnt(a)", {"u32[2]"}), {a}), (Numbers{32, 1}));
  EXPECT_EQ(run(entry("u32[2] count-leading-zeros(a)", {"u32[2]"}), {a}), (Numbers{0, 15}));
}

TEST(Evaluate, MaximumPropagatesNaN) {
  const Value a = value("f32[3]", {kNaN, 1, 2}), b = value("f32[3]", {1, kNaN, 3});
  const Numbers found = run(entry("f32[3] maximum(a, b)", {"f32[3]", "f32[3]"}), {a, b});
  EXPECT_TRUE(std::isnan(found[0]) && std::isnan(found[1]));
  EXPECT_EQ(found[2], 3);
}

TEST(Evaluate, ComparesWithNaN) {
  const Value a = value("f32[2]", {kNaN, 1});
  EXPECT_EQ(run(entry("pred[2] compare(a, a), direction=NE", {"f32[2]"}), {a}), (Numbers{1, 0}));
  EXPECT_EQ(run(entry("pred[2] compare(a, a), direction=EQ", {"f32[2]"}), {a}), (Numbers{0, 1}));
  EXPECT_EQ(run(entry("pred[2] compare(a, a), direction=EQ, type=TOTALORDER", {"f32[2]"}), {a}), (Numbers{1, 1}));
  const Value zeros = value("f32[2]", {-0.0, 0.0}), plus = value("f32[2]", {0.0, 0.0});
  EXPECT_EQ(run(entry("pred[2] compare(a, b), direction=LT, type=TOTALORDER", {"f32[2]", "f32[2]"}), {zeros, plus}), (Numbers{1, 0}));
  const Value u = value("u32[1]", {4294967295.0}), one = value("u32[1]", {1});
  EXPECT_EQ(run(entry("pred[1] compare(a, b), direction=GT", {"u32[1]", "u32[1]"}), {u, one}), (Numbers{1}));
}

TEST(Evaluate, ClampTakesLowValueHigh) {
  const Value low = value("f32[]", {-1}), x = value("f32[3]", {-5, 0.5, 7}), high = value("f32[]", {2});
  EXPECT_EQ(run(entry("f32[3] clamp(a, b, c)", {"f32[]", "f32[3]", "f32[]"}), {low, x, high}), (Numbers{-1, 0.5, 2}));
}

TEST(Evaluate, RoundingModesDiffer) {
  const Value x = value("f32[4]", {0.5, 1.5, 2.5, -2.5});
  EXPECT_EQ(run(entry("f32[4] round-nearest-even(a)", {"f32[4]"}), {x}), (Numbers{0, 2, 2, -2}));
  EXPECT_EQ(run(entry("f32[4] round-nearest-afz(a)", {"f32[4]"}), {x}), (Numbers{1, 2, 3, -3}));
}

TEST(Evaluate, ReducePrecisionIsAHalf) {
  const Value x = value("f32[5]", {1.0009765625, 65520, 65519, 1e-8, -3.14159265});
  EXPECT_EQ(run(entry("f32[5] reduce-precision(a), exponent_bits=5, mantissa_bits=10", {"f32[5]"}), {x}),
            (Numbers{1.0009765625, kInf, 65504, 0, -3.140625}));
}

TEST(Evaluate, RoundedModeRoundsEachOp) {
  const Value x = value("bf16[1]", {1}), tiny = value("bf16[1]", {0.00390625});
  const std::string text = entry("bf16[1] add(a, b)", {"bf16[1]", "bf16[1]"});
  EXPECT_EQ(run(text, {x, tiny}, Rounding::Wide), (Numbers{1.00390625}));
  EXPECT_EQ(run(text, {x, tiny}, Rounding::Rounded), (Numbers{1}));
}

TEST(Evaluate, MovesElements) {
  const Value m = value("f32[2,3]", {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(run(entry("f32[3,2] transpose(a), dimensions={1,0}", {"f32[2,3]"}), {m}), (Numbers{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(run(entry("f32[2,3] reverse(a), dimensions={1}", {"f32[2,3]"}), {m}), (Numbers{3, 2, 1, 6, 5, 4}));
  EXPECT_EQ(run(entry("f32[2,2] slice(a), slice={[0:2], [0:3:2]}", {"f32[2,3]"}), {m}), (Numbers{1, 3, 4, 6}));
  EXPECT_EQ(run(entry("f32[2,2,3] broadcast(a), dimensions={1,2}", {"f32[2,3]"}), {m}), (Numbers{1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(run(entry("f32[4,3] concatenate(a, a), dimensions={0}", {"f32[2,3]"}), {m}), (Numbers{1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(run(entry("s32[2,3] iota(), iota_dimension=1", {})), (Numbers{0, 1, 2, 0, 1, 2}));
}

TEST(Evaluate, PadsCropsAndSpreads) {
  const Value v = value("f32[3]", {1, 2, 3}), zero = value("f32[]", {9});
  EXPECT_EQ(run(entry("f32[7] pad(a, b), padding=1_1_1", {"f32[3]", "f32[]"}), {v, zero}), (Numbers{9, 1, 9, 2, 9, 3, 9}));
  EXPECT_EQ(run(entry("f32[2] pad(a, b), padding=-1_0", {"f32[3]", "f32[]"}), {v, zero}), (Numbers{2, 3}));
  EXPECT_EQ(run(entry("f32[3] pad(a, b), padding=-1_-1_1", {"f32[3]", "f32[]"}), {v, zero}), (Numbers{9, 2, 9}));
  EXPECT_EQ(run(entry("f32[2] pad(a, b), padding=5_-6", {"f32[3]", "f32[]"}), {v, zero}), (Numbers{9, 9}));
}

TEST(Evaluate, BitcastLooksAtLayouts) {
  const Value m = value("f32[2,3]", {1, 2, 3, 4, 5, 6});
  // Column-major memory of the transposed matrix is the row-major memory of the matrix.
  EXPECT_EQ(run(entry("f32[3,2]{0,1} bitcast(a)", {"f32[2,3]{1,0}"}), {m}), (Numbers{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(run(entry("f32[6]{0} bitcast(a)", {"f32[2,3]{1,0}"}), {m}), (Numbers{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(run(entry("s32[1] bitcast-convert(a)", {"f32[1]"}), {value("f32[1]", {1})}), (Numbers{0x3f800000}));
}

TEST(Evaluate, SlicesAtClampedStarts) {
  const Value v = value("f32[5]", {0, 1, 2, 3, 4}), far = value("s32[]", {9}), negative = value("s32[]", {-3});
  const std::string slice = entry("f32[2] dynamic-slice(a, b), dynamic_slice_sizes={2}", {"f32[5]", "s32[]"});
  EXPECT_EQ(run(slice, {v, far}), (Numbers{3, 4}));
  EXPECT_EQ(run(slice, {v, negative}), (Numbers{0, 1}));
  const Value update = value("f32[2]", {8, 9});
  EXPECT_EQ(run(entry("f32[5] dynamic-update-slice(a, b, c)", {"f32[5]", "f32[2]", "s32[]"}), {v, update, far}), (Numbers{0, 1, 2, 8, 9}));
}

TEST(Evaluate, GathersRowsAndClamps) {
  const Value table = value("f32[3,2]", {1, 2, 3, 4, 5, 6}), rows = value("s32[3]", {2, -1, 7});
  EXPECT_EQ(run(entry("f32[3,2] gather(a, b), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,2}",
                      {"f32[3,2]", "s32[3]"}), {table, rows}),
            (Numbers{5, 6, 1, 2, 5, 6}));
}

TEST(Evaluate, GathersNothingFromNothing) {
  EXPECT_EQ(run(entry("f32[3,2] gather(a, b), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={0,2}",
                      {"f32[0,2]", "s32[3]"}), {value("f32[0,2]", {}), value("s32[3]", {0, 1, 2})}),
            (Numbers{0, 0, 0, 0, 0, 0}));
}

TEST(Evaluate, GathersWithBatchingDims) {
  const Value table = value("f32[2,3]", {1, 2, 3, 4, 5, 6}), which = value("s32[2,1]", {2, 0});
  EXPECT_EQ(run(entry("f32[2] gather(a, b), offset_dims={}, collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0}, "
                      "start_indices_batching_dims={0}, index_vector_dim=1, slice_sizes={1,1}",
                      {"f32[2,3]", "s32[2,1]"}), {table, which}),
            (Numbers{3, 4}));
}

TEST(Evaluate, ScatterAddsAndDropsWhatLeaves) {
  const Value table = value("f32[3,2]", {0, 0, 0, 0, 0, 0}), rows = value("s32[4]", {1, 1, 5, -1});
  const Value updates = value("f32[4,2]", {1, 2, 10, 20, 7, 7, 7, 7});
  EXPECT_EQ(run(entry("f32[3,2] scatter(a, b, c), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add",
                      {"f32[3,2]", "s32[4]", "f32[4,2]"}, kAdd), {table, rows, updates}),
            (Numbers{0, 0, 11, 22, 0, 0}));
}

TEST(Evaluate, Reduces) {
  const Value m = value("f32[2,3]", {1, 2, 3, 4, 5, 6}), zero = value("f32[]", {0});
  EXPECT_EQ(run(entry("f32[2] reduce(a, b), dimensions={1}, to_apply=add", {"f32[2,3]", "f32[]"}, kAdd), {m, zero}), (Numbers{6, 15}));
  EXPECT_EQ(run(entry("f32[3] reduce(a, b), dimensions={0}, to_apply=add", {"f32[2,3]", "f32[]"}, kAdd), {m, zero}), (Numbers{5, 7, 9}));
  EXPECT_EQ(run(entry("f32[] reduce(a, b), dimensions={0,1}, to_apply=add", {"f32[2,3]", "f32[]"}, kAdd), {m, zero}), (Numbers{21}));
  EXPECT_EQ(run(entry("f32[2,3] reduce(a, b), dimensions={}, to_apply=add", {"f32[2,3]", "f32[]"}, kAdd), {m, zero}), (Numbers{1, 2, 3, 4, 5, 6}));
}

TEST(Evaluate, ReducesSeveralAtOnce) {
  constexpr std::string_view kArgMax = R"(argmax { v0 = f32[] parameter(0)
  i0 = s32[] parameter(1)
  v1 = f32[] parameter(2)
  i1 = s32[] parameter(3)
  first = pred[] compare(v0, v1), direction=GE
  v = f32[] select(first, v0, v1)
  i = s32[] select(first, i0, i1)
  ROOT t = (f32[], s32[]) tuple(v, i) }
)";
  const Value m = value("f32[2,3]", {1, 9, 3, 7, 5, 6}), low = value("f32[]", {-kInf}), zero = value("s32[]", {0});
  const Value at = value("s32[2,3]", {0, 1, 2, 0, 1, 2});
  EXPECT_EQ(run(entry("(f32[2], s32[2]) reduce(a, b, c, d), dimensions={1}, to_apply=argmax", {"f32[2,3]", "s32[2,3]", "f32[]", "s32[]"}, kArgMax),
                {m, at, low, zero}),
            (Numbers{9, 7, 1, 0}));
}

TEST(Evaluate, WindowsPoolAndScatterBack) {
  const Value v = value("f32[4]", {1, 5, 2, 3}), low = value("f32[]", {-kInf}), zero = value("f32[]", {0});
  EXPECT_EQ(run(entry("f32[2] reduce-window(a, b), window={size=2 stride=2}, to_apply=max", {"f32[4]", "f32[]"}, kMax), {v, low}), (Numbers{5, 3}));
  EXPECT_EQ(run(entry("f32[4] reduce-window(a, b), window={size=3 pad=1_1}, to_apply=add", {"f32[4]", "f32[]"}, kAdd), {v, zero}), (Numbers{6, 8, 10, 5}));
  constexpr std::string_view kGe = "ge { x = f32[] parameter(0)\n y = f32[] parameter(1)\n ROOT s = pred[] compare(x, y), direction=GE }\n";
  EXPECT_EQ(run(entry("f32[4] select-and-scatter(a, b, c), window={size=2 stride=2}, select=ge, scatter=add", {"f32[4]", "f32[2]", "f32[]"},
                      std::string(kGe) + std::string(kAdd)), {v, value("f32[2]", {10, 20}), zero}),
            (Numbers{0, 10, 0, 20}));
}

TEST(Evaluate, DotsInAllPositions) {
  const Value a = value("f32[2,3]", {1, 2, 3, 4, 5, 6}), b = value("f32[3,2]", {1, 0, 0, 1, 1, 1});
  EXPECT_EQ(run(entry("f32[2,2] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}", {"f32[2,3]", "f32[3,2]"}), {a, b}), (Numbers{4, 5, 10, 11}));
  EXPECT_EQ(run(entry("f32[3,3] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={1}", {"f32[2,3]", "f32[3,2]"}), {a, b}), (Numbers{1, 4, 5, 2, 5, 7, 3, 6, 9}));
  EXPECT_EQ(run(entry("f32[2] dot(a, a), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={1}, rhs_contracting_dims={1}", {"f32[2,3]"}), {a}), (Numbers{14, 77}));
  const Value i = value("s8[1,2]", {100, 100});
  EXPECT_EQ(run(entry("s32[1,1] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={1}", {"s8[1,2]"}), {i}), (Numbers{20000}));
}

TEST(Evaluate, ConvolvesWithStridesDilationAndGroups) {
  const Value x = value("f32[1,4,1]", {1, 2, 3, 4}), k = value("f32[2,1,1]", {1, 10});
  EXPECT_EQ(run(entry("f32[1,3,1] convolution(a, b), window={size=2}, dim_labels=b0f_0io->b0f", {"f32[1,4,1]", "f32[2,1,1]"}), {x, k}), (Numbers{21, 32, 43}));
  EXPECT_EQ(run(entry("f32[1,3,1] convolution(a, b), window={size=2 rhs_reversal=1}, dim_labels=b0f_0io->b0f", {"f32[1,4,1]", "f32[2,1,1]"}), {x, k}), (Numbers{12, 23, 34}));
  EXPECT_EQ(run(entry("f32[1,3,1] convolution(a, b), window={size=2 stride=2 pad=1_1}, dim_labels=b0f_0io->b0f", {"f32[1,4,1]", "f32[2,1,1]"}), {x, k}), (Numbers{10, 32, 4}));
  EXPECT_EQ(run(entry("f32[1,2,1] convolution(a, b), window={size=2 rhs_dilate=2}, dim_labels=b0f_0io->b0f", {"f32[1,4,1]", "f32[2,1,1]"}), {x, k}), (Numbers{31, 42}));
  EXPECT_EQ(run(entry("f32[1,6,1] convolution(a, b), window={size=2 lhs_dilate=2}, dim_labels=b0f_0io->b0f", {"f32[1,4,1]", "f32[2,1,1]"}), {x, k}), (Numbers{1, 20, 2, 30, 3, 40}));
  // Two groups: each output channel sees one input channel.
  const Value two = value("f32[1,1,2]", {3, 5}), depth = value("f32[1,1,2]", {10, 100});
  EXPECT_EQ(run(entry("f32[1,1,2] convolution(a, b), window={size=1}, dim_labels=b0f_0io->b0f, feature_group_count=2", {"f32[1,1,2]", "f32[1,1,2]"}), {two, depth}), (Numbers{30, 500}));
}

TEST(Evaluate, SortsStably) {
  constexpr std::string_view kLess = R"(less { x = s32[] parameter(0)
  y = s32[] parameter(1)
  u = s32[] parameter(2)
  v = s32[] parameter(3)
  ROOT c = pred[] compare(x, y), direction=LT }
)";
  const Value keys = value("s32[4]", {3, 1, 3, 0}), values = value("s32[4]", {0, 1, 2, 3});
  EXPECT_EQ(run(entry("(s32[4], s32[4]) sort(a, b), dimensions={0}, is_stable=true, to_apply=less", {"s32[4]", "s32[4]"}, kLess), {keys, values}),
            (Numbers{0, 1, 3, 3, 3, 1, 0, 2}));
}

TEST(Evaluate, LoopsBranchesAndCalls) {
  const std::string loop = R"(
cond { s = (s32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(5)
  ROOT c = pred[] compare(i, n), direction=LT }
body { s = (s32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[] get-tuple-element(s), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  y = f32[] add(x, x)
  ROOT t = (s32[], f32[]) tuple(j, y) }
ENTRY e { z = s32[] constant(0)
  x = f32[] parameter(0)
  t = (s32[], f32[]) tuple(z, x)
  w = (s32[], f32[]) while(t), condition=cond, body=body
  ROOT r = f32[] get-tuple-element(w), index=1 })";
  EXPECT_EQ(run(loop, {value("f32[]", {3})}), (Numbers{96}));
  const std::string branch = R"(
neg { x = f32[] parameter(0)
  ROOT r = f32[] negate(x) }
twice { x = f32[] parameter(0)
  ROOT r = f32[] add(x, x) }
ENTRY e { i = s32[] parameter(0)
  x = f32[] parameter(1)
  ROOT r = f32[] conditional(i, x, x), branch_computations={neg, twice} })";
  EXPECT_EQ(run(branch, {value("s32[]", {0}), value("f32[]", {3})}), (Numbers{-3}));
  EXPECT_EQ(run(branch, {value("s32[]", {1}), value("f32[]", {3})}), (Numbers{6}));
  EXPECT_EQ(run(branch, {value("s32[]", {-7}), value("f32[]", {3})}), (Numbers{6})) << "out of range takes the last";
}

TEST(Evaluate, LibraryCallsAsTheyAreConfigured) {
  const std::string gemm = R"((f32[2,2]{1,0}, s8[4096]{0}) custom-call(a, b, c, d), custom_call_target="__cublas$lt$matmul", backend_config={"gemm_backend_config":{"alpha_real":2,"beta":1,"dot_dimension_numbers":{"lhs_contracting_dimensions":["1"],"rhs_contracting_dimensions":["0"],"lhs_batch_dimensions":[],"rhs_batch_dimensions":[]},"alpha_imag":0,"epilogue":"BIAS_RELU"}})";
  const Value a = value("f32[2,2]", {1, 2, 3, 4}), b = value("f32[2,2]", {1, 0, 0, 1}), c = value("f32[2,2]", {1, 1, 1, 1}), bias = value("f32[2]", {-10, 100});
  EXPECT_EQ(run(entry(gemm, {"f32[2,2]", "f32[2,2]", "f32[2,2]", "f32[2]"}), {a, b, c, bias}), (Numbers{0, 105, 0, 109}));
}

TEST(Evaluate, RefusesByNameAndPlace) {
  const auto refused = [](std::string_view text, std::string_view why) {
    const Graph graph = module(text);
    const Result<Value> result = evaluate(graph, {});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, Error::Code::Unsupported);
    EXPECT_TRUE(result.error().at);
    EXPECT_NE(result.error().message.find(why), std::string::npos) << result.error().message;
  };
  refused("ENTRY e { a = f32[] constant(0)\n b = f32[] constant(1)\n ROOT r = f32[4] rng(a, b), distribution=rng_uniform }", "rng 'r'");
  refused("ENTRY e { ROOT r = f32[4] constant({...}) }", "elided");
  refused("ENTRY e { ROOT r = f32[4] custom-call(), custom_call_target=\"Mystery\" }", "\"Mystery\"");
  refused("ENTRY e { ROOT r = f32[1000000,1000000] iota(), iota_dimension=0 }", "too large");
  refused("ENTRY e { a = f32[4] constant({1,2,3,4})\n ROOT r = f32[8] all-gather(a), dimensions={0} }", "other devices");
}

TEST(Evaluate, RefusesInputsThatDoNotFit) {
  const Graph graph = module(entry("f32[2] negate(a)", {"f32[2]"}));
  EXPECT_FALSE(evaluate(graph, {}));
  const std::vector<Value> wrong{value("f32[3]", {1, 2, 3})};
  EXPECT_FALSE(evaluate(graph, wrong));
}

TEST(Evaluate, StopsWhenAsked) {
  const Graph graph = module(entry("f32[2] negate(a)", {"f32[2]"}));
  const std::vector<Value> inputs{value("f32[2]", {1, 2})};
  EvaluateOptions options;
  options.progress = [](const Op&) { return false; };
  const Result<Value> result = evaluate(graph, inputs, options);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Error::Code::Cancelled);
}

// Same op, same operands, other sizes than the graph states: shapes come from the op given and the values.
TEST(Evaluate, OneOpTakesItsShapeFromItself) {
  const Graph graph = module(entry("f32[2,3] add(a, b)", {"f32[2,3]", "f32[2,3]"}));
  Op op = graph.entry_computation().ops[graph.entry_computation().root];
  op.shape.dims = {1, 2};
  const Value x = value("f32[1,2]", {1, 2}), y = value("f32[1,2]", {10, 20});
  const Value* operands[] = {&x, &y};
  const Result<Value> sum = evaluate_op(graph, graph.entry_computation(), op, operands, Rounding::Wide);
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->numbers, (Numbers{11, 22}));
}

TEST(Evaluate, ComplexArithmetic) {
  const std::string text = R"(ENTRY e { a = c64[] constant((1, 2))
  b = c64[] constant((3, -1))
  p = c64[] multiply(a, b)
  re = f32[] real(p)
  im = f32[] imag(p)
  n = f32[] abs(a)
  ROOT t = (f32[], f32[], f32[]) tuple(re, im, n) })";
  const Numbers found = run(text);
  EXPECT_EQ(found[0], 5);
  EXPECT_EQ(found[1], 5);
  EXPECT_NEAR(found[2], std::sqrt(5.0), 1e-15);
}

}  // namespace
}  // namespace seam::graph::test
