// Kernels measured once: what is in the table is not run again, and layouts settled on measured plans are never slower than row-major.
#include "codegen/meter.h"

#include <gtest/gtest.h>

#include <array>

#include "base/files.h"
#include "graph/text.h"
#include "programs.h"
#include "support/need.h"

namespace seam::codegen::test {
namespace {

using seam::test::need;

constexpr std::string_view kTransposed = R"(HloModule transposed
ENTRY main {
  x = f32[4096,512] parameter(0)
  t = f32[512,4096] transpose(x), dimensions={1,0}
  ROOT y = f32[512,4096] negate(t)
})";
constexpr std::string_view kStraight = R"(HloModule straight
ENTRY main {
  x = f32[512,4096] parameter(0)
  ROOT y = f32[512,4096] negate(x)
})";

class MeterTest : public testing::Test {
 protected:
  void SetUp() override {
    compiler_ = compiler();
    if (!compiler_) GTEST_SKIP() << "no NVRTC: nothing can be measured";
    options_.device = need(device_named("h100"));
  }
  [[nodiscard]] planner::Planning plan(std::string_view text) const { return need(planner::plan_module(need(graph::read_graph(text, "test")), options_)); }

  std::shared_ptr<const Compiler> compiler_;
  planner::PlanOptions options_;
  db::CostTable costs_ = need(db::CostTable::in_memory());
};

TEST_F(MeterTest, RunsEachKernelOnce) {
  const Meter meter(options_.device, compiler_, costs_);
  const planner::Planning across = plan(kTransposed), straight = plan(kStraight);
  const std::array<const planner::Planning*, 3> plans = {&across, &straight, &across};
  const auto first = need(meter.measure(plans));
  EXPECT_EQ(first[0].looked_up + first[1].looked_up + first[2].looked_up, 0U);
  EXPECT_EQ(first[0].kernels, first[2].kernels);
  const auto second = need(meter.measure(plans));
  EXPECT_EQ(second[0].looked_up, 1U);
  EXPECT_EQ(second[1].kernels, first[1].kernels);
  // 4-byte elements a row apart ask for a sector each.
  EXPECT_GT(first[0].kernels[0].sectors, 3 * first[1].kernels[0].sectors);
  EXPECT_GT(time_us(across, first[0], options_.device), time_us(straight, first[1], options_.device));
}

TEST_F(MeterTest, WhatAGpuRecordedIsTaken) {
  const Meter meter(options_.device, compiler_, costs_);
  const planner::Planning straight = plan(kStraight);
  const std::array<const planner::Planning*, 1> plans = {&straight};
  db::Cost cost = need(meter.measure(plans))[0].kernels[0];
  const double modelled = kernel_us(cost, options_.device);
  cost.recorded_us = 1000 * modelled;
  EXPECT_EQ(kernel_us(cost, options_.device), 1000 * modelled);
}

TEST_F(MeterTest, SettledLayoutsAreNeverSlower) {
  const Meter meter(options_.device, compiler_, costs_, 2'000'000);
  for (const char* name : {"bert_layer.fwd", "gpt2_block.fwdbwd", "speech.chunk"}) {
    const auto folder = std::filesystem::path(SEAM_UNPACKED) / "oracle" / name;
    const graph::Graph module = need(graph::read_graph(need(read_file(folder / "before.hlo")), name));
    const SettledLayouts settled = need(settle_layouts(module, options_, meter));
    EXPECT_LE(settled.chosen_us, settled.row_major_us) << name;
    EXPECT_GE(settled.tried, 2);
    const SettledLayouts again = need(settle_layouts(module, options_, meter));
    EXPECT_EQ(again.kernels_run, 0U) << name << ": all of it was in the table";
    EXPECT_EQ(again.chosen.plan, settled.chosen.plan);
  }
}

}  // namespace
}  // namespace seam::codegen::test
