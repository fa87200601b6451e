/// Real kernels broken on purpose: the checks must see it. Each kernel of a few programs has one instruction changed at a time.
#include <gtest/gtest.h>

#include "support.h"

namespace seam::codegen::test {
namespace {

/// `text` with the n-th occurrence of `from` replaced; empty where there are fewer.
std::string replaced(const std::string& text, const std::string& from, const std::string& to, int n) {
  std::size_t at = text.find(from);
  for (; n > 0 && at != std::string::npos; --n) at = text.find(from, at + from.size());
  if (at == std::string::npos) return {};
  return text.substr(0, at) + to + text.substr(at + from.size());
}

struct Tally {
  int caught = 0, all = 0;
  std::string missed;
};

/// `from` turned into `to` at its first `most` places in each kernel, one at a time.
Tally broken(const std::string& model, const std::string& preset, const std::string& from, const std::string& to, int most = 2) {
  const ForeignProgram program = compiled(model, preset);
  Tally tally;
  for (const auto& [name, kernel] : program.kernels) {
    for (int n = 0; n < most; ++n) {
      const std::string text = replaced(*kernel.ptx, from, to, n);
      if (text.empty()) continue;
      ForeignProgram one;
      one.graph = program.graph;
      for (const auto& [instruction, launch] : program.launches) {
        if (launch.kernel == name) one.launches.emplace(instruction, launch);
      }
      ForeignKernel mutant = kernel;
      mutant.ptx = std::make_shared<const std::string>(text);
      mutant.module = need(sim::load_ptx(text, name));
      one.kernels.emplace(name, mutant);
      ++tally.all;
      if (check_kernels(one, {}, 1).at(0).outcome == Outcome::Failed) {
        ++tally.caught;
      } else {
        tally.missed += " " + name + "#" + std::to_string(n);
      }
    }
  }
  return tally;
}

TEST(Broken, AdditionsTurnedIntoSubtractions) {
  const Tally rows = broken("bert_layer.fwdbwd", "h100.library", "add.rn.f32", "sub.rn.f32", 8);
  EXPECT_GE(rows.all, 60);
  EXPECT_EQ(rows.caught, rows.all) << rows.missed;
  // Half of a first step of a recurrence computes gates of a state that is zero: what stands there does not count.
  const Tally steps = broken("rnn.step", "h100.library", "add.rn.f32", "sub.rn.f32", 8);
  EXPECT_GE(steps.all, 60);
  EXPECT_GE(steps.caught, steps.all * 3 / 4) << steps.missed;
}

TEST(Broken, ShufflesFromTheWrongLane) {
  const Tally tally = broken("bert_layer.fwd", "h100.library", "shfl.sync.bfly.b32 \t", "shfl.sync.up.b32 \t");
  EXPECT_GE(tally.all, 4);
  EXPECT_EQ(tally.caught, tally.all) << tally.missed;
}

TEST(Broken, BarriersLeftOut) {
  const Tally tally = broken("bert_layer.fwdbwd", "h100.library", "bar.sync", "// bar.sync");
  EXPECT_GE(tally.all, 4);
  EXPECT_EQ(tally.caught, tally.all) << tally.missed;
}

TEST(Broken, WhatIsNotBrokenPasses) {
  const Tally tally = broken("lr.step", "h100.library", "add.rn.f32", "add.rn.f32");
  EXPECT_GE(tally.all, 4);
  EXPECT_EQ(tally.caught, 0);
}

}  // namespace
}  // namespace seam::codegen::test
