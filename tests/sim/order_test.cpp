/// The race model: what orders accesses (barriers, __syncwarp, fences with atomics, grid barriers, waited cp.async) and what
/// does not. Each case stands with its twin.
#include <algorithm>

#include "opcode.h"

namespace seam::sim::test {
namespace {

constexpr const char* kHead = ".version 8.4\n.target sm_90\n.address_size 64\n";

struct Shape {
  std::uint32_t blocks = 1, threads = 64;
  bool cooperative = false;
  std::uint64_t seed = 0;
};

Outcome run_body(const std::string& body, Shape shape = {}) {
  const std::string ptx = std::string(kHead) + ".global .align 4 .u32 counter;\n.visible .entry k(.param .u64 po) {\n"
                          ".reg .u64 %o, %off, %a, %b; .reg .u32 %t, %g, %x, %y, %z, %s; .reg .pred %p, %q; .reg .f32 %f;\n"
                          ".shared .align 16 .b8 tile[4096];\n"
                          "ld.param.u64 %o, [po]; mov.u32 %t, %tid.x; mov.u32 %x, %ctaid.x; mov.u32 %y, %ntid.x; mad.lo.u32 %g, %x, %y, %t;\n"
                          "mul.wide.u32 %off, %g, 4; add.u64 %a, %o, %off; mov.u32 %s, tile; shl.b32 %x, %t, 2; add.u32 %s, %s, %x; xor.b32 %x, %t, 33; shl.b32 %x, %x, 2;\n"
                          "mov.u32 %z, tile; add.u32 %z, %z, %x;\n" + body + "\nret;\n}\n";
  const auto module = load(ptx);
  if (!module) return {};
  Memory memory;
  const auto out = input(memory, "out", std::vector<std::uint32_t>(4096), false);
  Launch launch;
  launch.kernel = "k";
  launch.grid.x = shape.blocks;
  launch.block.x = shape.threads;
  launch.cooperative = shape.cooperative;
  launch.parameters = Arguments(*module, "k").add(out).bytes();
  Checks checks;
  checks.seed = shape.seed;
  checks.max_instructions = 1 << 20;
  auto outcome = sim::launch(*module, memory, launch, checks);
  EXPECT_TRUE(outcome) << describe(outcome.error());
  return outcome ? *outcome : Outcome{};
}

bool races(const Outcome& outcome) {
  return std::ranges::any_of(outcome.reports, [](const Report& r) { return r.kind.starts_with("race"); });
}
void expect_clean(const Outcome& outcome) { EXPECT_TRUE(outcome.clean()) << text(outcome); }

// %s: my cell; %z: the cell of thread ^ 33 (another warp, another lane).

TEST(Order, ABarrierOrdersABlock) {
  EXPECT_TRUE(races(run_body("st.shared.u32 [%s], %t; ld.shared.u32 %x, [%z];")));
  expect_clean(run_body("st.shared.u32 [%s], %t; bar.sync 0; ld.shared.u32 %x, [%z];"));
  EXPECT_TRUE(races(run_body("st.shared.u32 [%s], %t; bar.sync 0; ld.shared.u32 %x, [%z]; st.shared.u32 [%s], %x;"))) << "write after read";
  expect_clean(run_body("st.shared.u32 [%s], %t; bar.sync 0; ld.shared.u32 %x, [%z]; bar.sync 0; st.shared.u32 [%s], %x;"));
  expect_clean(run_body("st.shared.u32 [%s], %t; ld.shared.u32 %x, [%s]; add.u32 %x, %x, 1; st.shared.u32 [%s], %x;"));
}

TEST(Order, WritesOfDifferentValuesRaceOfTheSameValueDoNot) {
  EXPECT_TRUE(races(run_body("st.shared.u32 [tile], %t;")));
  EXPECT_TRUE(races(run_body("setp.eq.u32 %p, %t, 0; @%p st.shared.u32 [tile], 1; setp.eq.u32 %p, %t, 40; @%p st.shared.u32 [tile], 2;")));
  expect_clean(run_body("st.shared.u32 [tile], 7;"));
  expect_clean(run_body("st.global.u32 [%o], 7;", {.blocks = 3}));
  EXPECT_TRUE(races(run_body("mov.u32 %x, %ctaid.x; st.global.u32 [%o], %x;", {.blocks = 3, .threads = 1})));
  // Lanes that stored one value may read it back; another warp may not.
  expect_clean(run_body("st.shared.u32 [tile], 7; ld.shared.u32 %x, [tile];", {.threads = 32}));
  EXPECT_TRUE(races(run_body("setp.lt.u32 %p, %t, 32; @%p st.shared.u32 [tile], 7; @!%p ld.shared.u32 %x, [tile];")));
}

TEST(Order, ManyReadersThenAWriter) {
  const std::string fill = "st.shared.u32 [%s], %t; bar.sync 0; ld.shared.u32 %x, [tile]; ";
  EXPECT_TRUE(races(run_body(fill + "setp.eq.u32 %p, %t, 5; @%p st.shared.u32 [tile], 99;")));
  expect_clean(run_body(fill + "bar.sync 0; setp.eq.u32 %p, %t, 5; @%p st.shared.u32 [tile], 99;"));
  EXPECT_TRUE(races(run_body("st.shared.u32 [%s], %t; bar.sync 0; setp.eq.u32 %p, %t, 40; @%p ld.shared.u32 %x, [tile]; setp.eq.u32 %q, %t, 5; @%q st.shared.u32 [tile], 99;")));
}

TEST(Order, SyncwarpOrdersAWarpOnly) {
  const std::string neighbour = "xor.b32 %x, %t, 1; shl.b32 %x, %x, 2; mov.u32 %z, tile; add.u32 %z, %z, %x; ";
  EXPECT_TRUE(races(run_body(neighbour + "st.shared.u32 [%s], %t; ld.shared.u32 %x, [%z];")));
  EXPECT_TRUE(races(run_body(neighbour + "st.shared.u32 [%s], %t; shfl.sync.bfly.b32 %y, %t, 1, 31, -1; ld.shared.u32 %x, [%z];"))) << "a shuffle orders no memory";
  expect_clean(run_body(neighbour + "st.shared.u32 [%s], %t; bar.warp.sync -1; ld.shared.u32 %x, [%z];"));
  expect_clean(run_body(neighbour + "st.shared.u32 [%s], %t; bar.warp.sync -1; ld.shared.u32 %x, [%z]; bar.warp.sync -1; st.shared.u32 [%s], %x;"));
  EXPECT_TRUE(races(run_body("st.shared.u32 [%s], %t; bar.warp.sync -1; ld.shared.u32 %x, [%z];"))) << "the other warp";
  // A read before the sync does not forbid the lane's own later write.
  expect_clean(run_body("st.shared.u32 [%s], %t; bar.sync 0; setp.eq.u32 %p, %t, 0; @%p ld.shared.u32 %x, [tile]; bar.warp.sync -1;"
                        "setp.eq.u32 %p, %t, 1; @%p ld.shared.u32 %x, [tile]; @%p st.shared.u32 [tile], 9;"));
}

TEST(Order, BlocksAreNotOrdered) {
  EXPECT_TRUE(races(run_body("mov.u32 %x, %ctaid.x; setp.eq.u32 %p, %x, 0; @%p st.global.u32 [%a], %t; @!%p ld.global.u32 %x, [%a+-256];", {.blocks = 2})));
  EXPECT_TRUE(races(run_body("mov.u32 %x, %ctaid.x; setp.eq.u32 %p, %x, 0; @%p ld.global.u32 %x, [%a]; @!%p st.global.u32 [%a+-256], %t;", {.blocks = 2})));
  expect_clean(run_body("st.global.u32 [%a], %t;", {.blocks = 4}));
  expect_clean(run_body("ld.global.u32 %x, [%o]; ld.global.u32 %y, [%o+4];", {.blocks = 4}));
  // Readers of several blocks, then one of them writes.
  EXPECT_TRUE(races(run_body("ld.global.u32 %x, [%o]; mov.u32 %x, %ctaid.x; setp.eq.u32 %p, %x, 3; @%p st.global.u32 [%o], 5;", {.blocks = 4, .threads = 1})));
  // The block that read last is not the only one that did.
  EXPECT_TRUE(races(run_body("ld.global.u32 %x, [%o]; bar.sync 0; ld.global.u32 %x, [%o]; bar.sync 0; mov.u32 %x, %ctaid.x; setp.eq.u32 %p, %x, 1; setp.eq.and.u32 %p, %t, 0, %p; @%p st.global.u32 [%o], 5;", {.blocks = 2})));
}

TEST(Order, AtomicsDoNotRaceWithAtomics) {
  expect_clean(run_body("atom.global.add.u32 %x, [%o], 1; red.global.max.u32 [%o+4], %t;", {.blocks = 4}));
  expect_clean(run_body("setp.eq.u32 %p, %t, 0; @%p st.shared.u32 [tile], 0; bar.sync 0; atom.shared.add.u32 %x, [tile], 1; bar.sync 0; ld.shared.u32 %x, [tile];"));
  EXPECT_TRUE(races(run_body("setp.eq.u32 %p, %t, 0; @%p st.shared.u32 [tile], 0; bar.sync 0; atom.shared.add.u32 %x, [tile], 1; ld.shared.u32 %x, [tile];"))) << "no barrier before the read";
  EXPECT_TRUE(races(run_body("setp.eq.u32 %p, %t, 0; @%p st.shared.u32 [tile], 0; atom.shared.add.u32 %x, [tile], 1;"))) << "no barrier after the store";
  EXPECT_TRUE(races(run_body("mov.u32 %x, %ctaid.x; setp.eq.u32 %p, %x, 0; @%p st.global.u32 [%o], 5; @!%p atom.global.add.u32 %x, [%o], 1;", {.blocks = 2, .threads = 1})));
}

/// Each block stores its part, the last one to come reads all.
std::string last_block(const std::string& fence, const std::string& after = "bar.sync 0;") {
  return "st.global.u32 [%a], %t; " + fence + " bar.sync 0; setp.ne.u32 %p, %t, 0; @%p bra W; " + fence +
         " atom.global.add.u32 %x, [counter], 1; st.shared.u32 [tile], %x; W: " + after +
         " ld.shared.u32 %x, [tile]; mov.u32 %y, %nctaid.x; sub.u32 %y, %y, 1; setp.ne.u32 %p, %x, %y; @%p bra E;"
         "mul.wide.u32 %off, %t, 4; add.u64 %b, %o, %off; ld.global.u32 %x, [%b]; ld.global.u32 %y, [%b+256]; E:";
}

TEST(Order, FenceAndAtomicPublishToTheLastBlock) {
  for (const std::uint64_t seed : {0U, 1U, 2U}) {
    expect_clean(run_body(last_block("membar.gl;"), {.blocks = 6, .seed = seed}));
    expect_clean(run_body(last_block("fence.acq_rel.gpu;"), {.blocks = 6, .seed = seed}));
    EXPECT_TRUE(races(run_body(last_block(""), {.blocks = 6, .seed = seed})));
    EXPECT_TRUE(races(run_body(last_block("membar.cta;"), {.blocks = 6, .seed = seed}))) << "a fence for the block is none for the grid";
  }
}

TEST(Order, ReleaseAndAcquireWithoutFences) {
  const auto body = [](const std::string& atom) {
    return "st.global.u32 [%a], %t; " + atom + " %x, [counter], 1; setp.ne.u32 %p, %x, 5; @%p bra E; ld.global.u32 %y, [%o]; E:";
  };
  expect_clean(run_body(body("atom.add.acq_rel.gpu.global.u32"), {.blocks = 6, .threads = 1}));
  EXPECT_TRUE(races(run_body(body("atom.add.relaxed.gpu.global.u32"), {.blocks = 6, .threads = 1})));
}

std::string grid_barrier(const std::string& before, const std::string& after, const std::string& target = "%nctaid.x") {
  return "st.global.u32 [%a], %t; bar.sync 0; setp.ne.u32 %p, %t, 0; @%p bra W; " + before +
         " atom.global.add.u32 %x, [counter], 1; mov.u32 %y, " + target + "; S: atom.global.add.u32 %x, [counter], 0; setp.lt.u32 %q, %x, %y; @%q bra S; membar.gl; W: " +
         after + " xor.b32 %g, %g, 64; mul.wide.u32 %off, %g, 4; add.u64 %b, %o, %off; ld.global.u32 %x, [%b];";
}

TEST(Order, GridBarriers) {
  for (const std::uint64_t seed : {0U, 1U, 2U, 3U}) {
    const Shape shape{.blocks = 4, .cooperative = true, .seed = seed};
    expect_clean(run_body(grid_barrier("membar.gl;", "bar.sync 0;"), shape));
    EXPECT_TRUE(races(run_body(grid_barrier("", "bar.sync 0;"), shape))) << "no fence";
    EXPECT_TRUE(races(run_body(grid_barrier("membar.gl;", ""), shape))) << "no barrier behind: only thread 0 has seen the others";
  }
  bool caught = false;
  for (const std::uint64_t seed : {1U, 2U, 3U}) caught |= races(run_body(grid_barrier("membar.gl;", "bar.sync 0;", "3"), {.blocks = 4, .cooperative = true, .seed = seed}));
  EXPECT_TRUE(caught) << "waits for one block too few: some seed starves that block";
}

TEST(Order, AsyncCopiesMustBeWaitedForAndThenABarrier) {
  const std::string copy = "cp.async.ca.shared.global [%s], [%a], 4; cp.async.commit_group; ";
  EXPECT_TRUE(races(run_body(copy + "ld.shared.u32 %x, [%s];")));
  EXPECT_TRUE(races(run_body(copy + "cp.async.wait_group 1; ld.shared.u32 %x, [%s];"))) << "one group may be unfinished";
  expect_clean(run_body(copy + "cp.async.wait_group 0; ld.shared.u32 %x, [%s];"));
  expect_clean(run_body(copy + "cp.async.wait_all; ld.shared.u32 %x, [%s];"));
  EXPECT_TRUE(races(run_body(copy + "cp.async.wait_group 0; ld.shared.u32 %x, [%z];"))) << "another thread's copy";
  expect_clean(run_body(copy + "cp.async.wait_group 0; bar.sync 0; ld.shared.u32 %x, [%z];"));
  EXPECT_TRUE(races(run_body("st.shared.u32 [%s], 0; bar.sync 0; ld.shared.u32 %x, [%z]; " + copy + "cp.async.wait_all;"))) << "copied over what others still read";
}

}  // namespace
}  // namespace seam::sim::test
