/// What runs on several threads at once, small enough for the thread sanitizer (scripts/sanitize tsan).
#include <algorithm>
#include <numeric>
#include <random>
#include <stdexcept>
#include <thread>

#include "base/parallel.h"
#include "sim/device.h"

namespace seam::sim::test {
namespace {

constexpr const char* kHead = ".version 8.4\n.target sm_90\n.address_size 64\n";

TEST(Threads, JobsRunOnceEachAndTheirExceptionArrives) {
  std::vector<int> runs(1000, 0);
  parallel_for(runs.size(), 4, [&](std::size_t i) { ++runs[i]; });
  EXPECT_EQ(std::accumulate(runs.begin(), runs.end(), 0), 1000);
  EXPECT_EQ(*std::ranges::max_element(runs), 1);
  EXPECT_THROW(parallel_for(1000, 4, [](std::size_t i) {
    if (i == 10) throw std::runtime_error("job 10");
  }), std::runtime_error);
}

TEST(Threads, TwoLaunchesAtOnceGiveWhatOneGives) {
  const auto module = load(std::string(kHead) +
                           ".global .align 4 .u32 counter;\n.visible .entry k(.param .u64 po, .param .u64 pi) {\n.reg .u64 %o, %i, %off; .reg .u32 %t, %x, %g; .reg .f32 %f, %s; .reg .pred %p;\n.shared .align 4 .b8 tile[512];\n"
                           "ld.param.u64 %o, [po]; ld.param.u64 %i, [pi]; mov.u32 %t, %tid.x; mov.u32 %x, %ctaid.x; mad.lo.u32 %g, %x, 128, %t; mul.wide.u32 %off, %g, 4; add.u64 %i, %i, %off; add.u64 %o, %o, %off;\n"
                           "ld.global.f32 %f, [%i]; fma.rm.f32 %f, %f, %f, %f; shl.b32 %x, %t, 2; mov.u32 %g, tile; add.u32 %g, %g, %x; st.shared.f32 [%g], %f; bar.sync 0; mov.f32 %s, 0f00000000; mov.u32 %x, 0;\n"
                           "L: mov.u32 %g, tile; add.u32 %g, %g, %x; ld.shared.f32 %f, [%g]; add.rz.f32 %s, %s, %f; add.u32 %x, %x, 4; setp.lt.u32 %p, %x, 512; @%p bra L;\n"
                           "atom.global.add.u32 %x, [counter], 1; st.global.f32 [%o], %s; ret; }\n");
  ASSERT_TRUE(module);
  const auto once = [&](unsigned seed, std::vector<float>& out, Counters& counters) {
    Memory memory;
    std::vector<float> in(128 * 64);
    std::mt19937 random(seed);
    for (float& x : in) x = static_cast<float>(random() % 1000) / 7;
    const auto target = output<float>(memory, "out", in.size());
    Launch launch;
    launch.kernel = "k";
    launch.grid.x = 64;
    launch.block.x = 128;
    launch.parameters = Arguments(*module, "k").add(target).add(input(memory, "in", in)).bytes();
    const auto outcome = sim::launch(*module, memory, launch);
    ASSERT_TRUE(outcome);
    EXPECT_TRUE(outcome->clean()) << text(*outcome);
    out = values<float>(memory, target);
    counters = outcome->counters;
  };
  std::vector<float> alone[2];
  std::vector<float> together[2];
  Counters counted[4];
  once(1, alone[0], counted[0]);
  once(2, alone[1], counted[1]);
  for (int round = 0; round < 3; ++round) {
    std::thread first([&] { once(1, together[0], counted[2]); });
    std::thread second([&] { once(2, together[1], counted[3]); });
    first.join();
    second.join();
    EXPECT_EQ(alone[0], together[0]);
    EXPECT_EQ(alone[1], together[1]);
    EXPECT_EQ(counted[0].instructions, counted[2].instructions);
    EXPECT_EQ(counted[1].sectors_read, counted[3].sectors_read);
  }
}

}  // namespace
}  // namespace seam::sim::test
