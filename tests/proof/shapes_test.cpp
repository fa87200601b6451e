/// Ordinary small programs over a grid of shapes: everything that is planned is proven right, whatever falls on one row or one block.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "codegen/prove.h"
#include "programs.h"

namespace seam::codegen::test {
namespace {

constexpr const char* kCombiners = "max { x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT s = f32[] maximum(x, y) }\nadd { x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT s = f32[] add(x, y) }\n";

struct Dims {
  std::vector<std::int64_t> all;
  std::size_t reduced = 0;
  [[nodiscard]] std::string whole() const { return fmt::format("f32[{}]", fmt::join(all, ",")); }
  [[nodiscard]] std::string rest() const {
    std::vector<std::int64_t> out = all;
    out.erase(out.begin() + static_cast<std::ptrdiff_t>(reduced));
    return fmt::format("f32[{}]", fmt::join(out, ","));
  }
  [[nodiscard]] std::string kept() const {
    std::string out;
    for (std::size_t d = 0; d < all.size(); ++d)
      if (d != reduced) out += fmt::format("{}{}", out.empty() ? "" : ",", d);
    return out;
  }
};

std::string softmax(const Dims& d) {
  return fmt::format("HloModule m\n{0}ENTRY e {{\n  p = {1} parameter(0)\n  low = f32[] constant(-inf)\n  zero = f32[] constant(0)\n  m = {2} reduce(p, low), dimensions={{{4}}}, to_apply=max\n"
                     "  mb = {1} broadcast(m), dimensions={{{3}}}\n  d = {1} subtract(p, mb)\n  x = {1} exponential(d)\n  s = {2} reduce(x, zero), dimensions={{{4}}}, to_apply=add\n"
                     "  sb = {1} broadcast(s), dimensions={{{3}}}\n  ROOT o = {1} divide(x, sb)\n}}\n",
                     kCombiners, d.whole(), d.rest(), d.kept(), d.reduced);
}

/// What is reduced is computed and read again beside the result.
std::string less_its_sum(const Dims& d) {
  return fmt::format("HloModule m\n{0}ENTRY e {{\n  p = {1} parameter(0)\n  v = {1} negate(p)\n  zero = f32[] constant(0)\n  m = {2} reduce(v, zero), dimensions={{{4}}}, to_apply=add\n"
                     "  mb = {1} broadcast(m), dimensions={{{3}}}\n  ROOT o = {1} subtract(v, mb)\n}}\n",
                     kCombiners, d.whole(), d.rest(), d.kept(), d.reduced);
}

/// Every kernel of the module's plan passes.
void expect_proven(const std::filesystem::path& module, const Compiler& nvrtc) {
  const auto it = planned(module, "stitch", nvrtc);
  const auto verdicts = prove_all(it->program, {.instruction_budget = 20'000'000});
  ASSERT_TRUE(verdicts) << describe(verdicts.error());
  for (const Verdict& v : *verdicts) EXPECT_EQ(v.outcome(), Outcome::Passed) << v.kernel << ": " << v.ir.detail << "; " << v.sim.detail << "; " << v.values.detail;
}

TEST(Shapes, ReducesAndWhatReadsThem) {
  const auto nvrtc = compiler();
  if (!nvrtc) GTEST_SKIP() << "no NVRTC: kernels are neither compiled nor proven";
  const std::vector<Dims> shapes = {{{8, 16, 128}, 2}, {{2, 37, 37}, 2}, {{4, 4, 77}, 2}, {{2, 12, 64}, 2}, {{33, 17, 31}, 2}, {{6, 5, 300}, 2}, {{1, 1, 7}, 2}, {{16, 16}, 0},  {{32, 32}, 0},
                                    {{31, 64}, 0},     {{64, 64}, 0},    {{16, 16, 16}, 0}, {{7, 3, 5}, 1},   {{5, 64, 40}, 1},  {{128, 65}, 1},  {{3, 1000}, 1}};
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "seam_shapes.hlo";
  for (const Dims& dims : shapes) {
    for (const std::string& text : {softmax(dims), less_its_sum(dims)}) {
      SCOPED_TRACE(text);
      ASSERT_TRUE(write_file(file, text));
      expect_proven(file, *nvrtc);
    }
  }
  std::filesystem::remove(file);
}

/// Small programs that lowering or a proof once turned down wrongly.
TEST(Shapes, WhatWasOnceRefusedPasses) {
  const auto nvrtc = compiler();
  if (!nvrtc) GTEST_SKIP() << "no NVRTC: kernels are neither compiled nor proven";
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(SEAM_TEST_DIR) / "once_refused")) {
    SCOPED_TRACE(entry.path().filename());
    ++files;
    expect_proven(entry.path(), *nvrtc);
  }
  EXPECT_GE(files, 8U);
}

/// Pieces of a value are branches of branches: hundreds of them are nothing unusual (an unrolled recurrence stacks its steps).
TEST(Shapes, ManyPiecesInOneKernel) {
  const auto nvrtc = compiler();
  if (!nvrtc) GTEST_SKIP() << "no NVRTC: kernels are neither compiled nor proven";
  std::string text = "HloModule m\nENTRY e {\n", names;
  for (int i = 0; i < 260; ++i) {
    text += fmt::format("  p{0} = f32[3] parameter({0})\n  n{0} = f32[3] negate(p{0})\n", i);
    names += fmt::format("{}n{}", i > 0 ? ", " : "", i);
  }
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "seam_pieces.hlo";
  ASSERT_TRUE(write_file(file, text + "  ROOT c = f32[780] concatenate(" + names + "), dimensions={0}\n}\n"));
  expect_proven(file, *nvrtc);
  std::filesystem::remove(file);
}

/// Many updates on one row: their order is nobody's, and the sum is as long as they are many.
TEST(Shapes, ScatteredSumsAreAsLongAsWhatLandsOnThem) {
  const auto nvrtc = compiler();
  if (!nvrtc) GTEST_SKIP() << "no NVRTC: kernels are neither compiled nor proven";
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "seam_scatter.hlo";
  ASSERT_TRUE(write_file(file, std::string("HloModule m, input_output_alias={ {}: (0, {}, may-alias) }\n") + kCombiners +
                                   "ENTRY e {\n  t = f32[2,16] parameter(0)\n  i = s32[4096,1] parameter(1)\n  u = f32[4096,16] parameter(2)\n"
                                   "  ROOT s = f32[2,16] scatter(t, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add\n}\n"));
  expect_proven(file, *nvrtc);
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace seam::codegen::test
