/// Every model of ours with known values, end to end: each planned kernel is proven, and the whole planned program, kernels on the simulator and
/// library calls by the evaluator, gives the outputs that XLA computed.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "codegen/program_check.h"
#include "codegen/prove.h"
#include "codegen/run.h"
#include "programs.h"

namespace seam::codegen::test {
namespace {

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

TEST(OracleData, IsComplete) { EXPECT_EQ(cases().size(), 30 + 5 + 8); }

}  // namespace
}  // namespace seam::codegen::test
