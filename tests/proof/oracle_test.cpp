/// Every model of ours with known values, end to end: each planned kernel is proven, and the whole planned program, kernels on the simulator and
/// library calls by the evaluator, gives the outputs that XLA computed.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <set>
#include <string>

#include "base/files.h"
#include "codegen/program_check.h"
#include "codegen/prove.h"
#include "codegen/run.h"
#include "graph/orders.h"
#include "graph/text.h"
#include "planner/layouts.h"
#include "programs.h"
#include "support/need.h"

namespace seam::codegen::test {
namespace {

using seam::test::need;

std::filesystem::path oracle() { return std::filesystem::path(SEAM_UNPACKED) / "oracle"; }

struct Case {
  std::string module, policy;
  planner::Layouts layouts = planner::Layouts::AsWritten;
};

class Oracle : public testing::TestWithParam<Case> {};

TEST_P(Oracle, KernelsAndProgram) {
  const auto nvrtc = compiler();
  if (!nvrtc) GTEST_SKIP() << "no NVRTC: kernels are neither compiled nor proven";
  const std::filesystem::path folder = oracle() / GetParam().module;
  const auto it = planned(folder / "before.hlo", GetParam().policy, *nvrtc, GetParam().layouts);

  const auto verdicts = prove_all(it->program);
  ASSERT_TRUE(verdicts) << describe(verdicts.error());
  for (const Verdict& v : *verdicts) {
    EXPECT_EQ(v.outcome(), Outcome::Passed) << v.kernel << ": " << v.ir.detail << " | " << v.sim.detail << " | " << v.values.detail;
    EXPECT_TRUE(v.bytes_compared) << v.kernel << " ran only in part";
  }

  const auto ran = run(it->program, arrays(folder, "in", it->graph));
  ASSERT_TRUE(ran) << describe(ran.error());
  ASSERT_TRUE(ran->reports.empty()) << ran->reports.front();
  EXPECT_EQ(static_cast<std::int64_t>(ran->kernels), it->plan.totals.kernels);
  EXPECT_EQ(static_cast<std::int64_t>(ran->library_calls), it->plan.totals.library_calls);
  EXPECT_EQ(static_cast<std::int64_t>(ran->copies), it->plan.totals.copies);
  EXPECT_LE(ran->peak_bytes, ran->allocated_bytes);
  const ProgramCheck check = check_outputs(it->graph, ran->outputs, arrays(folder, "out", it->graph), {});
  EXPECT_EQ(check.outcome, Outcome::Passed) << check.reason;
}

std::vector<Case> cases() {
  std::set<std::string> names;
  if (std::filesystem::exists(oracle())) {
    for (const auto& entry : std::filesystem::directory_iterator(oracle())) names.insert(entry.path().filename());
  }
  std::vector<Case> out;
  for (const std::string& name : names) out.push_back({name, "stitch"});
  // Dims in the orders that cost least, and those where products get copies.
  for (const char* name : {"bert_layer.fwd", "bert_layer.fwdbwd", "gpt2_block.fwdbwd", "nmt.unrolled", "speech.chunk"}) out.push_back({name, "stitch", planner::Layouts::Chosen});
  // Other people's rules make other groups: their kernels must be right too.
  for (const char* name : {"lr.step", "w2v.step", "gpt2_block.decode", "bert_layer.fwd"}) {
    out.push_back({name, "xla2018"});
    out.push_back({name, "none"});
  }
  return out;
}

INSTANTIATE_TEST_SUITE_P(Modules, Oracle, testing::ValuesIn(cases()), [](const auto& tested) {
  std::string name = tested.param.module + "_" + tested.param.policy;
  if (tested.param.layouts != planner::Layouts::AsWritten) name += "_" + std::string(planner::name(tested.param.layouts));
  for (char& c : name) {
    if (c == '.') c = '_';
  }
  return name;
});

/// Every value of the module in an order drawn at random.
planner::LayoutOrders random_orders(const graph::Graph& ready, std::uint32_t seed) {
  std::mt19937 random(seed);
  planner::LayoutOrders out;
  for (const graph::Computation& computation : graph::with_own_broadcasts(ready).computations) {
    for (const graph::Op& op : computation.ops) {
      if (!graph::may_reorder(op)) continue;
      graph::Order order = graph::row_major_order(op.shape.rank());
      std::ranges::shuffle(order, random);
      out[computation.name][op.name] = std::move(order);
    }
  }
  return out;
}

// Kernels and products in orders that nobody would choose: copies everywhere, and the same values.
TEST(AnyOrder, GivesTheSameOutputs) {
  const auto nvrtc = compiler();
  if (!nvrtc) GTEST_SKIP() << "no NVRTC: kernels are neither compiled nor proven";
  for (const char* name : {"bert_layer.fwd.float32", "bert_layer.step.float32", "gpt2_block.fwdbwd.float32", "gpt2_block.decode.float32", "speech.chunk", "nmt.decode", "nmt.unrolled", "dlrm.step", "birnn.step", "w2v.step"}) {
    const std::filesystem::path folder = oracle() / name;
    planner::PlanOptions options;
    options.device = need(device_named("h100"));
    options.layouts = planner::Layouts::Chosen;
    const graph::Graph module = need(graph::read_graph(need(read_file(folder / "before.hlo")), name));
    for (const std::uint32_t seed : {1U, 2U, 3U}) {
      options.orders = random_orders(need(planner::before_layouts(module, options)), seed);
      const planner::Planning planning = need(planner::plan_module(module, options));
      const Result<void> legal = planner::verify(planning.plan, planning.graph, options.device);
      ASSERT_TRUE(legal) << name << ": " << describe(legal.error());
      const Program program = need(build(planning.graph, planning.plan, options.device, *nvrtc));
      const auto ran = run(program, arrays(folder, "in", planning.graph));
      ASSERT_TRUE(ran) << name << ": " << describe(ran.error());
      ASSERT_TRUE(ran->reports.empty()) << name << ": " << ran->reports.front();
      const ProgramCheck check = check_outputs(planning.graph, ran->outputs, arrays(folder, "out", planning.graph), {});
      EXPECT_EQ(check.outcome, Outcome::Passed) << name << " seed " << seed << ": " << check.reason;
    }
  }
}

TEST(OracleData, IsComplete) { EXPECT_EQ(cases().size(), 30 + 5 + 8); }

}  // namespace
}  // namespace seam::codegen::test
