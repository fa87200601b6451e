#include "pipeline/memory_gate.h"

#include <gtest/gtest.h>

#include <atomic>

#include "base/parallel.h"

namespace seam::report {
namespace {

TEST(MemoryGate, NeverMoreThanTheLimitAtOnce) {
  MemoryGate gate(100);
  std::atomic<int> now{0};
  std::atomic<int> most{0};
  parallel_for(200, 8, [&](std::size_t) {
    const MemoryGate::Pass pass(gate, 40);
    const int here = now += 40;
    for (int seen = most; here > seen && !most.compare_exchange_weak(seen, here);) {
    }
    now -= 40;
  });
  EXPECT_LE(most, 100);
  EXPECT_GT(most, 0);
}

TEST(MemoryGate, WhatIsLargerThanTheLimitRunsAlone) {
  MemoryGate gate(100);
  { const MemoryGate::Pass pass(gate, 1'000'000); }
  const MemoryGate::Pass pass(gate, 100);
}

}  // namespace
}  // namespace seam::report
