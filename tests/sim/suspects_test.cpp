/// Unordered reads and writes of one block: those that cannot matter are notes, those that can are reports, and running the block again leaves no trace.
#include <algorithm>

#include "opcode.h"

namespace seam::sim::test {
namespace {

constexpr const char* kHead = ".version 8.4\n.target sm_90\n.address_size 64\n";

struct Ran {
  Outcome outcome;
  std::vector<float> data, out;
};

/// %t: thread, %p: address of data[thread] (in place), %q: of out[thread], %f: data[thread] loaded.
Ran run_body(const std::string& body, std::uint32_t threads = 64, bool races = true, std::uint64_t seed = 0, std::uint32_t blocks = 1, bool excuse = true) {
  const std::string ptx = std::string(kHead) + ".visible .entry k(.param .u64 pd, .param .u64 po) {\n"
                          ".shared .align 8 .b8 tile[512];\n"
                          ".reg .b32 %t, %u, %b, %n, %s; .reg .b64 %p, %q, %r, %o, %d, %e; .reg .f32 %f, %g, %h; .reg .pred %on;\n"
                          "ld.param.u64 %d, [pd]; ld.param.u64 %e, [po]; mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mov.u32 %n, %ntid.x; mov.u32 %s, tile;\n"
                          "mad.lo.u32 %u, %b, %n, %t; mul.wide.u32 %o, %u, 4; add.u64 %p, %d, %o; add.u64 %q, %e, %o;\n" + body + "\nret;\n}\n";
  Ran ran;
  const auto module = load(ptx);
  if (!module) return ran;
  Memory memory;
  std::vector<float> in(std::size_t{threads} * blocks);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i) + 1;
  const auto data = input(memory, "data", in, false);
  const auto out = output<float>(memory, "out", in.size());
  Launch launch;
  launch.kernel = "k";
  launch.block.x = threads;
  launch.grid.x = blocks;
  launch.parameters = Arguments(*module, "k").add(data).add(out).bytes();
  Checks checks;
  checks.races = races;
  checks.excuse_races = excuse;
  checks.seed = seed;
  auto outcome = sim::launch(*module, memory, launch, checks);
  EXPECT_TRUE(outcome) << describe(outcome.error());
  if (!outcome) return ran;
  ran.outcome = *std::move(outcome);
  ran.data = values<float>(memory, data);
  ran.out = values<float>(memory, out);
  return ran;
}

bool has(const std::vector<Report>& reports, const std::string& kind) {
  return std::ranges::any_of(reports, [&](const Report& r) { return r.kind == kind; });
}

/// Threads 16 and up hold replicas: they load what threads below 16 load and update in place, and store nothing.
const std::string kReplicas =
    "and.b32 %u, %t, 15; mul.wide.u32 %o, %u, 4; add.u64 %p, %d, %o; ld.global.f32 %f, [%p]; add.f32 %f, %f, 1.0;"
    "shfl.sync.bfly.b32 %g, %f, 1, 31, -1; add.f32 %f, %f, %g; setp.lt.u32 %on, %t, 16; @%on st.global.f32 [%p], %f;";

TEST(Suspects, ReplicasThatStoreNothingAreANote) {
  for (const std::uint64_t seed : {0U, 1U, 2U}) {
    const Ran ran = run_body(kReplicas, 64, true, seed);
    EXPECT_TRUE(ran.outcome.clean()) << text(ran.outcome);
    EXPECT_TRUE(has(ran.outcome.notes, "race-unused"));
    for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(ran.data[i], i < 16 ? static_cast<float>(2 * (i / 2 * 2) + 5) : static_cast<float>(i) + 1) << i;
  }
}

TEST(Suspects, RunningTheBlockAgainLeavesNoTrace) {
  const Ran with = run_body(kReplicas);
  const Ran without = run_body(kReplicas, 64, false);
  EXPECT_EQ(with.data, without.data);
  EXPECT_EQ(with.outcome.counters.instructions, without.outcome.counters.instructions);
  EXPECT_EQ(with.outcome.counters.bytes_written, without.outcome.counters.bytes_written);
  EXPECT_EQ(with.outcome.counters.distinct_bytes_read, without.outcome.counters.distinct_bytes_read);
  EXPECT_EQ(with.outcome.counters.footprint_written, without.outcome.counters.footprint_written);
}

TEST(Suspects, NothingIsExcusedIfNotAsked) {
  const Ran ran = run_body(kReplicas, 64, true, 0, 1, false);
  EXPECT_TRUE(has(ran.outcome.reports, "race-global"));
  EXPECT_TRUE(ran.outcome.notes.empty());
}

TEST(Suspects, AReplicaThatIsUsedIsARace) {
  // The same, but thread 40 tells what it saw.
  const Ran ran = run_body(kReplicas + "setp.eq.u32 %on, %t, 40; @%on st.global.f32 [%q], %f;");
  EXPECT_TRUE(has(ran.outcome.reports, "race-global"));
  // Used as an address, or to decide.
  EXPECT_TRUE(has(run_body(kReplicas + "setp.gt.f32 %on, %f, 0f00000000; @%on st.global.f32 [%q], 0f3f800000;").outcome.reports, "race-global"));
}

/// Lane l takes what lane 31-l loaded and stores it in place: its store needs the other lane's load.
const std::string kReverse = "ld.global.f32 %f, [%p]; shfl.sync.bfly.b32 %g, %f, 31, 31, -1; add.f32 %g, %g, 0f3f800000; xor.b32 %u, %t, 0;";

TEST(Suspects, AStoreThatNeedsTheOtherLanesLoadIsOrdered) {
  // Lane l stores to the place that lane 31-l has loaded, the value of that lane.
  const Ran ran = run_body(kReverse + "sub.u32 %u, 31, %t; mul.wide.u32 %o, %u, 4; add.u64 %r, %d, %o; st.global.f32 [%r], %g;", 32);
  EXPECT_TRUE(ran.outcome.clean()) << text(ran.outcome);
  EXPECT_TRUE(has(ran.outcome.notes, "race-ordered"));
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(ran.data[i], static_cast<float>(i) + 2);
}

TEST(Suspects, AStoreThatDoesNotNeedTheLoadIsARace) {
  // Lane l stores a constant where lane 31-l has loaded a value that it keeps.
  const Ran ran = run_body(kReverse + "sub.u32 %u, 31, %t; mul.wide.u32 %o, %u, 4; add.u64 %r, %d, %o; st.global.f32 [%r], 0f40000000; st.global.f32 [%q], %f;", 32);
  EXPECT_TRUE(has(ran.outcome.reports, "race-global")) << ran.outcome.notes.size();
}

TEST(Suspects, NeighboursInPlaceAreARace) {
  const std::string stencil = "ld.global.f32 %f, [%p]; setp.lt.u32 %on, %t, 63; mov.f32 %g, 0f00000000; @%on ld.global.f32 %g, [%p+4]; add.f32 %f, %f, %g; st.global.f32 [%p], %f;";
  for (const std::uint64_t seed : {0U, 1U, 2U, 3U}) EXPECT_TRUE(has(run_body(stencil, 64, true, seed).outcome.reports, "race-global")) << seed;
  // With a barrier between it is none.
  const Ran fine = run_body("ld.global.f32 %f, [%p]; setp.lt.u32 %on, %t, 63; mov.f32 %g, 0f00000000; @%on ld.global.f32 %g, [%p+4]; bar.sync 0; add.f32 %f, %f, %g; st.global.f32 [%p], %f;");
  EXPECT_TRUE(fine.outcome.clean() && fine.outcome.notes.empty()) << text(fine.outcome);
}

TEST(Suspects, EveryBlockIsJudgedByItself) {
  // Only in block 2 does a replica's value reach memory.
  const std::string body =
      "and.b32 %u, %t, 15; mad.lo.u32 %u, %b, %n, %u; mul.wide.u32 %o, %u, 4; add.u64 %p, %d, %o; ld.global.f32 %f, [%p]; add.f32 %f, %f, 0f3f800000;"
      "setp.lt.u32 %on, %t, 16; @%on st.global.f32 [%p], %f; setp.eq.u32 %on, %b, 2; @%on st.global.f32 [%q], %f;";
  const Ran ran = run_body(body, 64, true, 0, 4);
  EXPECT_TRUE(has(ran.outcome.reports, "race-global"));
  EXPECT_TRUE(has(ran.outcome.notes, "race-unused"));
  ASSERT_FALSE(ran.outcome.reports.empty());
  EXPECT_NE(ran.outcome.reports[0].message.find("block 2"), std::string::npos) << ran.outcome.reports[0].message;
}

TEST(Suspects, StoresThatDifferInRoundingAreANote) {
  const auto store = [](const std::string& value) {
    return "ld.global.f32 %f, [%p]; mov.f32 %g, " + value + "; cvt.rn.f32.u32 %h, %t; and.b32 %u, %t, 31; setp.eq.u32 %on, %u, 5; shr.u32 %b, %t, 5; mad.lo.u32 %s, %b, 8, %s;" ;
  };
  // Lane 5 differs in the last bit.
  const Ran near = run_body(store("0f3f800000") + "@%on mov.f32 %g, 0f3f800001; st.shared.f32 [%s], %g; bar.sync 0; ld.shared.f32 %f, [%s]; st.global.f32 [%q], %f;");
  EXPECT_TRUE(near.outcome.clean()) << text(near.outcome);
  EXPECT_TRUE(has(near.outcome.notes, "race-rounding"));
  const Ran far = run_body(store("0f3f800000") + "@%on mov.f32 %g, 0f3f900000; st.shared.f32 [%s], %g; bar.sync 0; ld.shared.f32 %f, [%s]; st.global.f32 [%q], %f;");
  EXPECT_TRUE(has(far.outcome.reports, "race-shared"));
  // Small integers are no floats.
  const Ran whole = run_body(store("0f3f800000") + "st.shared.u32 [%s], %u; bar.sync 0; ld.shared.f32 %f, [%s]; st.global.f32 [%q], %f;");
  EXPECT_TRUE(has(whole.outcome.reports, "race-shared"));
  // Two instructions, near values: a race as ever.
  const Ran two = run_body(store("0f3f800000") + "setp.lt.u32 %on, %u, 9; @%on st.shared.f32 [%s], %g; mov.f32 %g, 0f3f800001; @!%on st.shared.f32 [%s], %g; bar.sync 0; ld.shared.f32 %f, [%s]; st.global.f32 [%q], %f;");
  EXPECT_TRUE(has(two.outcome.reports, "race-shared"));
}

}  // namespace
}  // namespace seam::sim::test
