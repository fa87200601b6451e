/// What the lanes of a warp do together: shuffles, votes, reductions, divergence, barriers.
#include <algorithm>

#include "opcode.h"

namespace seam::sim::test {
namespace {

constexpr const char* kHead = ".version 8.4\n.target sm_90\n.address_size 64\n";

struct Ran {
  Outcome outcome;
  std::vector<std::uint32_t> out;
};

/// The body computes %r from %t (thread) and %x (input); all threads then store %r.
Ran run_body(const std::string& body, std::uint32_t threads = 32, Checks checks = {}, const std::string& tail = "") {
  const std::string ptx = std::string(kHead) + ".visible .entry k(.param .u64 po, .param .u64 pi) {\n"
                          ".reg .u64 %o, %i, %off; .reg .u32 %t, %x, %r, %y, %z, %w; .reg .pred %p, %q;\n"
                          "ld.param.u64 %o, [po]; ld.param.u64 %i, [pi]; mov.u32 %t, %tid.x; mul.wide.u32 %off, %t, 4; add.u64 %o, %o, %off; add.u64 %i, %i, %off;"
                          "ld.global.u32 %x, [%i]; mov.u32 %r, 0;\n" + body + "\nst.global.u32 [%o], %r;\n" + tail + "ret;\n}\n";
  Ran ran;
  const auto module = load(ptx);
  if (!module) return ran;
  Memory memory;
  std::vector<std::uint32_t> in(threads);
  for (std::uint32_t i = 0; i < threads; ++i) in[i] = 1000 + i * 7;
  const auto out = output<std::uint32_t>(memory, "out", threads);
  const auto source = input(memory, "in", in);
  Launch launch;
  launch.kernel = "k";
  launch.block.x = threads;
  launch.parameters = Arguments(*module, "k").add(out).add(source).bytes();
  auto outcome = sim::launch(*module, memory, launch, checks);
  EXPECT_TRUE(outcome) << describe(outcome.error());
  if (!outcome) return ran;
  ran.outcome = *std::move(outcome);
  ran.out = values<std::uint32_t>(memory, out);
  return ran;
}

bool has(const Outcome& outcome, const std::string& kind) {
  return std::ranges::any_of(outcome.reports, [&](const Report& r) { return r.kind == kind; });
}

TEST(Warp, ShufflesAsTheIsaDefinesThem) {
  // The ISA's own pseudo code, lane by lane.
  const auto expected = [](const std::string& mode, int lane, std::uint32_t b, std::uint32_t c, bool& p) {
    const int bval = static_cast<int>(b & 31);
    const int cval = static_cast<int>(c & 31);
    const int mask = static_cast<int>(c >> 8 & 31);
    const int most = (lane & mask) | (cval & ~mask);
    const int least = lane & mask;
    int j = 0;
    if (mode == "up") j = lane - bval, p = j >= most;
    if (mode == "down") j = lane + bval, p = j <= most;
    if (mode == "bfly") j = lane ^ bval, p = j <= most;
    if (mode == "idx") j = least | (bval & ~mask), p = j <= most;
    return p ? j : lane;
  };
  for (const std::string mode : {"up", "down", "bfly", "idx"}) {
    for (const std::uint32_t width : {32U, 16U, 8U, 2U}) {
      for (const std::uint32_t b : {0U, 1U, 2U, 3U, 4U, 8U, 16U, 31U}) {
        const std::uint32_t c = (mode == "up" ? 0U : 31U) | (32 - width) << 8;
        for (const bool literal : {true, false}) {
          const std::string by = literal ? std::to_string(b) : "%y";
          const Ran ran = run_body("mov.u32 %y, " + std::to_string(b) + "; shfl.sync." + mode + ".b32 %r|%p, %x, " + by + ", " + std::to_string(c) +
                                   ", -1; @%p add.u32 %r, %r, 1000000;");
          EXPECT_TRUE(ran.outcome.clean()) << text(ran.outcome);
          for (int lane = 0; lane < 32; ++lane) {
            bool p = false;
            const int source = expected(mode, lane, b, c, p);
            EXPECT_EQ(ran.out[static_cast<std::size_t>(lane)], 1000U + 7U * static_cast<std::uint32_t>(source) + (p ? 1000000U : 0U)) << mode << " " << b << " width " << width;
          }
        }
      }
    }
  }
}

TEST(Warp, ShuffleOfAPartialMaskInADivergentBranch) {
  const Ran ran = run_body("setp.lt.u32 %p, %t, 16; @!%p bra E; shfl.sync.bfly.b32 %r, %x, 8, 31, 0xffff; E:");
  EXPECT_TRUE(ran.outcome.clean()) << text(ran.outcome);
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(ran.out[t], t < 16 ? 1000 + 7 * (t ^ 8) : 0);
}

TEST(Warp, FullMaskInAnOddLastWarpIsNoDeadlock) {
  for (const std::uint32_t threads : {40U, 33U, 7U}) {
    const Ran ran = run_body("shfl.sync.down.b32 %r, %x, 1, 31, -1;", threads);
    EXPECT_TRUE(ran.outcome.clean()) << text(ran.outcome);
    for (std::uint32_t t = 0; t + 1 < threads; ++t) {
      EXPECT_EQ(ran.out[t], 1000 + 7 * (t % 32 == 31 ? t : t + 1));
    }
    // A lane that does not exist has no value: it shows.
    EXPECT_EQ(ran.out[threads - 1], 0xffffffffU);
  }
}

TEST(Warp, LanesThatNeverComeAreADeadlock) {
  EXPECT_TRUE(has(run_body("setp.lt.u32 %p, %t, 16; @!%p bra E; shfl.sync.bfly.b32 %r, %x, 16, 31, -1; E:").outcome, "deadlock"));
  EXPECT_TRUE(has(run_body("setp.lt.u32 %p, %t, 16; @!%p bra E; bar.warp.sync 0xffffffff; E:").outcome, "deadlock"));
}

TEST(Warp, LanesOfOneShuffleMayComeByDifferentWays) {
  // Both sides of the branch reach the same instruction, one after the other.
  const Ran ran = run_body("and.b32 %y, %t, 1; setp.eq.u32 %p, %y, 0; @%p bra A; add.u32 %x, %x, 100; bra B; A: add.u32 %x, %x, 200; B: shfl.sync.bfly.b32 %r, %x, 1, 31, -1;");
  EXPECT_TRUE(ran.outcome.clean()) << text(ran.outcome);
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(ran.out[t], 1000 + 7 * (t ^ 1) + (t % 2 == 0 ? 100 : 200));
}

TEST(Warp, Votes) {
  const Ran ballot = run_body("setp.gt.u32 %p, %t, 10; vote.sync.ballot.b32 %r, %p, -1;");
  for (const std::uint32_t r : ballot.out) EXPECT_EQ(r, ~0U << 11);
  const std::pair<const char*, bool> votes[] = {{"all.pred %q, %p", false}, {"any.pred %q, %p", true}, {"uni.pred %q, %p", false}, {"all.pred %q, !%p", false}};
  for (const auto& [name, yes] : votes) {
    const Ran ran = run_body(std::string("setp.gt.u32 %p, %t, 10; vote.sync.") + name + ", -1; selp.u32 %r, 1, 0, %q;");
    for (const std::uint32_t r : ran.out) EXPECT_EQ(r, yes ? 1U : 0U) << name;
  }
  const Ran active = run_body("setp.gt.u32 %p, %t, 10; @%p activemask.b32 %r;");
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(active.out[t], t > 10 ? ~0U << 11 : 0);
}

TEST(Warp, MatchAndReduce) {
  const Ran any = run_body("and.b32 %y, %t, 3; match.any.sync.b32 %r, %y, -1;");
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(any.out[t], 0x11111111U << (t & 3));
  const Ran all = run_body("shr.u32 %y, %t, 6; match.all.sync.b32 %r|%p, %y, -1;");
  for (const std::uint32_t r : all.out) EXPECT_EQ(r, ~0U);
  const std::pair<const char*, std::function<std::uint32_t(std::uint32_t, std::uint32_t)>> ops[] = {
      {"add.s32", [](std::uint32_t a, std::uint32_t b) { return a + b; }},
      {"min.u32", [](std::uint32_t a, std::uint32_t b) { return std::min(a, b); }},
      {"max.s32", [](std::uint32_t a, std::uint32_t b) { return static_cast<std::uint32_t>(std::max(static_cast<std::int32_t>(a), static_cast<std::int32_t>(b))); }},
      {"xor.b32", [](std::uint32_t a, std::uint32_t b) { return a ^ b; }}};
  for (const auto& [name, f] : ops) {
    const Ran ran = run_body(std::string("sub.u32 %x, %x, 1100; redux.sync.") + name + " %r, %x, -1;");
    std::uint32_t expected = 1000U - 1100U;
    for (std::uint32_t t = 1; t < 32; ++t) expected = f(expected, 1000 + 7 * t - 1100);
    for (const std::uint32_t r : ran.out) EXPECT_EQ(r, expected) << name;
  }
  const Ran chosen = run_body("elect.sync %r|%p, -1; @%p add.u32 %r, %r, 100;");
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(chosen.out[t], t == 0 ? 100U : 0U);
}

TEST(Warp, LoopsOfDifferentLengthMeetAgain) {
  const Ran ran = run_body("mov.u32 %y, 0; L: add.u32 %r, %r, %y; add.u32 %y, %y, 1; setp.le.u32 %p, %y, %t; @%p bra L; shfl.sync.idx.b32 %z, %r, 31, 31, -1; add.u32 %r, %r, %z;");
  EXPECT_TRUE(ran.outcome.clean()) << text(ran.outcome);
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(ran.out[t], t * (t + 1) / 2 + 31 * 32 / 2);
}

TEST(Warp, IndexedBranches) {
  const Ran ran = run_body("and.b32 %y, %t, 3; T: .branchtargets A, B, C, D;\nbrx.idx %y, T; A: add.u32 %r, %r, 1; bra E; B: add.u32 %r, %r, 20; bra E; C: add.u32 %r, %r, 300; D: add.u32 %r, %r, 4000; E:");
  EXPECT_TRUE(ran.outcome.clean()) << text(ran.outcome);
  const std::uint32_t expected[] = {1, 20, 4300, 4000};
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(ran.out[t], expected[t & 3]);
}

TEST(Warp, ASpinningLaneLetsTheOthersOn) {
  // Lane 0 waits for what lane 1 stores behind it.
  const Ran ran = run_body(".shared .align 4 .u32 flag;\nsetp.eq.u32 %p, %t, 0; @%p st.shared.u32 [flag], 0; bar.warp.sync -1;\n"
                           "@!%p bra S; W: ld.volatile.shared.u32 %y, [flag]; setp.eq.u32 %q, %y, 0; @%q bra W; bra E; S: st.volatile.shared.u32 [flag], 9; E: mov.u32 %r, 5;",
                           32, {.races = false});
  for (const std::uint32_t r : ran.out) EXPECT_EQ(r, 5U);
}

TEST(Warp, EndlessLoopsEndAtTheLimit) {
  Checks checks;
  checks.max_instructions = 100000;
  const Ran ran = run_body("L: add.u32 %r, %r, 1; bra L;", 64, checks);
  EXPECT_TRUE(has(ran.outcome, "timeout"));
  EXPECT_LT(ran.outcome.counters.warp_instructions, 200000U);
}

TEST(Warp, TrapAndAssertEndTheLaunch) {
  EXPECT_TRUE(has(run_body("setp.eq.u32 %p, %t, 3; @%p trap;").outcome, "trap"));
  EXPECT_FALSE(has(run_body("setp.eq.u32 %p, %t, 300; @%p trap;").outcome, "trap"));
}

TEST(Barriers, ReduceAcrossTheBlock) {
  const Ran count = run_body("setp.lt.u32 %p, %t, 37; bar.red.popc.u32 %r, 0, %p;", 96);
  for (const std::uint32_t r : count.out) EXPECT_EQ(r, 37U);
  const Ran any = run_body("setp.eq.u32 %p, %t, 90; bar.red.or.pred %q, 0, %p; selp.u32 %r, 1, 0, %q;", 96);
  for (const std::uint32_t r : any.out) EXPECT_EQ(r, 1U);
  const Ran all = run_body("setp.eq.u32 %p, %t, 90; bar.red.and.pred %q, 0, !%p; selp.u32 %r, 1, 0, %q;", 96);
  for (const std::uint32_t r : all.out) EXPECT_EQ(r, 0U);
}

TEST(Barriers, DivergenceIsReported) {
  EXPECT_TRUE(has(run_body("setp.lt.u32 %p, %t, 40; @!%p bra E; bar.sync 0; E:", 96).outcome, "divergent-barrier"));
  EXPECT_TRUE(has(run_body("setp.lt.u32 %p, %t, 32; @%p bra A; bar.sync 0; bra E; A: bar.sync 0; E:", 64).outcome, "divergent-barrier"));
  EXPECT_TRUE(has(run_body("setp.lt.u32 %p, %t, 16; @%p bra A; bar.sync 0; bra E; A: bar.sync 0; E:", 32).outcome, "divergent-barrier"));
  EXPECT_TRUE(run_body("bar.sync 0; barrier.sync 1; barrier.sync.aligned 0;", 96).outcome.clean());
}

}  // namespace
}  // namespace seam::sim::test
