/// Real kernels at real shapes: they run, clean, and large grids are sampled when asked.
#include <gtest/gtest.h>

#include "support.h"

namespace seam::codegen::test {
namespace {

ForeignProgram real(const std::string& model) {
  const std::filesystem::path at = std::filesystem::path(SEAM_UNPACKED) / "real";
  const std::string name = model + ".h100.library";
  return need(read_foreign(at / "optimized" / (name + ".hlo"), at / "ptx" / name, at / "launches" / (name + ".tsv")));
}

TEST(Profile, RealShapes) {
  std::size_t kernels = 0;
  for (const char* model : {"lr.step", "w2v.step", "w2v.dense", "rnn.step", "rnn.infer", "birnn.step", "birnn.mean", "gpt2_block.decode", "nmt.decode"}) {
    const ForeignProgram program = real(model);
    for (const ForeignProfile& profile : profile_kernels(program, {.threads = 2})) {
      ++kernels;
      EXPECT_FALSE(profile.refusal) << model << " " << profile.launch->kernel << ": " << describe(*profile.refusal);
      EXPECT_TRUE(profile.reports.empty()) << model << " " << profile.reports.front();
      EXPECT_EQ(profile.counters.blocks, profile.blocks);
      EXPECT_GT(profile.counters.distinct_bytes_written, 0U);
      std::uint64_t classes = 0;
      for (const std::uint64_t count : profile.classes.instructions) classes += count;
      EXPECT_EQ(classes, profile.counters.instructions) << profile.launch->kernel;
    }
  }
  EXPECT_EQ(kernels, 7U + 12 + 9 + 55 + 32 + 59 + 88 + 17 + 9);
}

TEST(Profile, LargeGridsAreSampled) {
  const ForeignProgram program = real("w2v.step");
  const std::vector<ForeignProfile> whole = profile_kernels(program), part = profile_kernels(program, {.most_instructions = 100'000});
  std::size_t sampled = 0;
  for (std::size_t k = 0; k < whole.size(); ++k) {
    EXPECT_EQ(part[k].blocks, whole[k].blocks);
    if (part[k].counters.blocks == part[k].blocks) continue;
    ++sampled;
    EXPECT_GE(part[k].counters.blocks, 4U);
    EXPECT_LT(part[k].counters.instructions, whole[k].counters.instructions);
  }
  EXPECT_GE(sampled, 2U);
}

/// A kernel that does not end ends the count: one look, and what it said.
TEST(Profile, WhatDoesNotEndIsLookedAtOnce) {
  for (const std::uint32_t blocks : {1U, 64U}) {
    int runs = 0;
    const LaunchProfile profile = profile_launch(
        {blocks},
        [&](const sim::Checks& checks, const std::vector<std::uint64_t>&) -> Result<sim::Outcome> {
          ++runs;
          EXPECT_GT(checks.max_instructions, 0U) << "nothing would stop it";
          sim::Outcome outcome;
          outcome.counters.blocks = 1;
          sim::Report& report = outcome.reports.emplace_back();
          report.kind = "timeout";
          report.message = "does not end";
          return outcome;
        },
        1'000, [](const sim::Report& report) { return report.kind + ": " + report.message; });
    EXPECT_EQ(runs, 1) << blocks;
    EXPECT_EQ(profile.reports, std::vector<std::string>{"timeout: does not end"});
    EXPECT_EQ(profile.classes.instructions, sim::Profile().instructions);
  }
}

/// However small the budget, the few blocks that always run are given room to end.
TEST(Profile, ASmallBudgetIsNoTimeout) {
  for (const ForeignProfile& profile : profile_kernels(real("lr.step"), {.most_instructions = 1})) EXPECT_TRUE(profile.reports.empty()) << profile.reports.front();
}

}  // namespace
}  // namespace seam::codegen::test
