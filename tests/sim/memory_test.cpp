/// Loads and stores of every width and space, addresses of each lane, module variables, parameters, calls; and what the
/// memory checks say.
#include "opcode.h"

namespace seam::sim::test {
namespace {

constexpr const char* kHead = ".version 8.4\n.target sm_90\n.address_size 64\n";

struct Ran {
  Outcome outcome;
  std::vector<std::uint32_t> out;
  std::int64_t unwritten = 0;
};

/// One kernel `k` with an output of `count` words and an input `in`.
Ran run_kernel(const std::string& ptx, std::size_t count, const std::vector<std::uint32_t>& in, Dim3 grid = {1}, Dim3 block = {32},
               Checks checks = {}, std::int64_t shared = 0) {
  Ran ran;
  const auto module = load(ptx);
  if (!module) return ran;
  Memory memory;
  const auto out = output<std::uint32_t>(memory, "out", count);
  const auto source = input(memory, "in", in);
  Launch launch;
  launch.kernel = "k";
  launch.grid = grid;
  launch.block = block;
  launch.dynamic_shared = shared;
  launch.parameters = Arguments(*module, "k").add(out).add(source).bytes();
  auto outcome = sim::launch(*module, memory, launch, checks);
  EXPECT_TRUE(outcome) << describe(outcome.error());
  if (!outcome) return ran;
  ran.outcome = *std::move(outcome);
  ran.out = values<std::uint32_t>(memory, out);
  ran.unwritten = memory.unwritten_bytes(out);
  return ran;
}

std::string kernel(const std::string& body) {
  return std::string(kHead) + ".visible .entry k(.param .u64 po, .param .u64 pi) {\n"
         ".reg .u64 %o, %i, %a, %b, %off; .reg .u32 %t, %x, %y, %z, %w; .reg .u16 %h; .reg .f32 %f; .reg .pred %p, %q;\n"
         "ld.param.u64 %o, [po]; ld.param.u64 %i, [pi]; mov.u32 %t, %tid.x; mul.wide.u32 %off, %t, 4;\n" +
         body + "\nret;\n}\n";
}
std::vector<std::uint32_t> numbers(std::size_t count) {
  std::vector<std::uint32_t> out(count);
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<std::uint32_t>(0x81000000U + i * 0x01030507U);
  return out;
}

TEST(MemoryAccess, NarrowLoadsExtendByTheirType) {
  const auto in = numbers(64);
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(in[i / 4] >> (8 * (i % 4))); };
  const auto half = [&](std::size_t i) { return static_cast<std::uint16_t>(in[i / 2] >> (16 * (i % 2))); };
  const std::pair<const char*, std::function<std::uint32_t(std::size_t)>> forms[] = {
      {"ld.global.u8", [&](std::size_t t) { return byte(t * 4); }},
      {"ld.global.b8", [&](std::size_t t) { return byte(t * 4); }},
      {"ld.global.s8", [&](std::size_t t) { return static_cast<std::uint32_t>(static_cast<std::int8_t>(byte(t * 4))); }},
      {"ld.global.u16", [&](std::size_t t) { return half(t * 2); }},
      {"ld.global.s16", [&](std::size_t t) { return static_cast<std::uint32_t>(static_cast<std::int16_t>(half(t * 2))); }},
      {"ld.global.nc.L1::no_allocate.b32", [&](std::size_t t) { return in[t]; }},
      {"ld.global.cg.u32", [&](std::size_t t) { return in[t]; }}};
  for (const auto& [name, expected] : forms) {
    const Ran ran = run_kernel(kernel(std::string("add.u64 %a, %i, %off; ") + name + " %x, [%a]; add.u64 %b, %o, %off; st.global.u32 [%b], %x;"), 32, in);
    EXPECT_TRUE(ran.outcome.clean()) << text(ran.outcome);
    for (std::size_t t = 0; t < 32; ++t) EXPECT_EQ(ran.out[t], expected(t)) << name << " " << t;
  }
}

TEST(MemoryAccess, VectorsAndOffsets) {
  const auto in = numbers(128);
  const Ran ran = run_kernel(kernel("mul.wide.u32 %off, %t, 16; add.u64 %a, %i, %off; add.u64 %b, %o, %off;"
                                    "ld.global.v4.u32 {%x, %y, %z, %w}, [%a]; st.global.v2.u32 [%b], {%w, %z}; st.global.v2.b32 [%b+8], {%y, %x};"),
                             128, in);
  EXPECT_TRUE(ran.outcome.clean()) << text(ran.outcome);
  for (std::size_t t = 0; t < 128; ++t) EXPECT_EQ(ran.out[t], in[t / 4 * 4 + 3 - t % 4]);
  EXPECT_EQ(ran.outcome.counters.bytes_read, 512U);
  EXPECT_EQ(ran.outcome.counters.sectors_read, 16U);
  EXPECT_EQ(ran.outcome.counters.sectors_written, 32U);  // each half touches all 16
  EXPECT_EQ(ran.outcome.counters.footprint_written, 16U);
  EXPECT_EQ(ran.outcome.counters.distinct_bytes_written, 512U);
}

TEST(MemoryAccess, StridedStoresTouchASectorEach) {
  const Ran ran = run_kernel(kernel("mul.wide.u32 %off, %t, 64; add.u64 %b, %o, %off; st.global.u32 [%b], %t;"), 32 * 16, {0});
  EXPECT_EQ(ran.outcome.counters.sectors_written, 32U);
  EXPECT_EQ(ran.outcome.counters.bytes_written, 128U);
  EXPECT_EQ(ran.unwritten, 32 * 60);
}

TEST(MemoryAccess, GenericAddressesGoWhereEachLaneSays) {
  // Even lanes use shared memory, odd lanes global memory, in one instruction.
  const Ran ran = run_kernel(
      kernel(".shared .align 4 .b8 s[128];\n"
             "mov.u64 %a, s; cvta.shared.u64 %a, %a; add.u64 %a, %a, %off; add.u64 %b, %o, %off;"
             "and.b32 %x, %t, 1; setp.eq.u32 %p, %x, 0; selp.b64 %a, %a, %b, %p; add.u32 %y, %t, 100; st.u32 [%a], %y; ld.u32 %z, [%a];"
             "isspacep.shared %q, %a; selp.u32 %w, 1000, 0, %q; add.u32 %z, %z, %w; st.global.u32 [%b], %z;"),
      32, {0});
  EXPECT_TRUE(ran.outcome.clean()) << text(ran.outcome);
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(ran.out[t], t + 100 + (t % 2 == 0 ? 1000 : 0));
}

TEST(MemoryAccess, LocalFramesArePerThread) {
  const Ran ran = run_kernel(kernel(".local .align 4 .b8 depot[16];\n"
                                    "mov.u64 %a, depot; cvta.local.u64 %b, %a; and.b32 %x, %t, 3; mul.wide.u32 %off, %x, 4; add.u64 %b, %b, %off;"
                                    "st.u32 [%b], %t; add.u64 %a, %a, %off; ld.local.u32 %y, [%a]; mul.wide.u32 %off, %t, 4; add.u64 %b, %o, %off;"
                                    "st.global.u32 [%b], %y;"),
                             32, {0});
  EXPECT_TRUE(ran.outcome.clean()) << text(ran.outcome);
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(ran.out[t], t);
}

TEST(MemoryAccess, PacksAndUnpacks) {
  const Ran ran = run_kernel(kernel(".reg .b16 %l, %m;\nadd.u64 %a, %i, %off; ld.global.u32 %x, [%a]; mov.b32 {%l, %m}, %x; mov.b32 %y, {%m, %l};"
                                    "mov.b64 %b, {%y, %x}; shr.u64 %b, %b, 16; cvt.u32.u64 %z, %b; add.u64 %b, %o, %off; st.global.u32 [%b], %z;"),
                             32, numbers(32));
  const auto in = numbers(32);
  for (std::size_t t = 0; t < 32; ++t) {
    const std::uint64_t swapped = in[t] >> 16 | in[t] << 16;
    EXPECT_EQ(ran.out[t], static_cast<std::uint32_t>((static_cast<std::uint64_t>(in[t]) << 32 | swapped) >> 16));
  }
}

TEST(MemoryAccess, ModuleVariablesKeepTheirValueFromLaunchToLaunch) {
  const std::string ptx = std::string(kHead) +
                          ".global .align 4 .u32 counter = 5;\n.const .align 4 .b8 table[8] = {1, 0, 0, 0, 44, 1, 0, 0};\n"
                          ".global .align 8 .u64 pointer = generic(counter);\n"
                          ".visible .entry k(.param .u64 po) {\n.reg .u64 %o, %p; .reg .u32 %x, %y;\n"
                          "ld.param.u64 %o, [po]; ld.global.u64 %p, [pointer]; ld.u32 %x, [%p]; ld.const.u32 %y, [table+4]; add.u32 %y, %y, %x;"
                          "st.global.u32 [%o], %y; add.u32 %x, %x, 1; st.global.u32 [counter], %x; ret; }\n";
  const auto module = load(ptx);
  ASSERT_TRUE(module);
  Memory memory;
  const auto out = output<std::uint32_t>(memory, "out", 1);
  Launch launch;
  launch.kernel = "k";
  launch.parameters = Arguments(*module, "k").add(out).bytes();
  for (std::uint32_t round = 0; round < 3; ++round) {
    ASSERT_TRUE(sim::launch(*module, memory, launch));
    EXPECT_EQ(values<std::uint32_t>(memory, out)[0], 305 + round);
  }
  Memory other;  // another memory has variables of its own
  const auto fresh = output<std::uint32_t>(other, "out", 1);
  launch.parameters = Arguments(*module, "k").add(fresh).bytes();
  ASSERT_TRUE(sim::launch(*module, other, launch));
  EXPECT_EQ(values<std::uint32_t>(other, fresh)[0], 305U);
}

TEST(MemoryAccess, CallsAreInlined) {
  const std::string ptx = std::string(kHead) +
                          ".func (.param .b32 r) twice(.param .b32 x, .param .b32 n) {\n.reg .u32 %v, %c; .reg .pred %p;\n"
                          "ld.param.u32 %v, [x]; ld.param.u32 %c, [n]; L: setp.eq.u32 %p, %c, 0; @%p bra E; shl.b32 %v, %v, 1; sub.u32 %c, %c, 1; bra L;\n"
                          "E: st.param.b32 [r], %v; ret; }\n"
                          ".visible .entry k(.param .u64 po, .param .u64 pi) {\n.reg .u64 %o, %off; .reg .u32 %t, %v; .reg .pred %p;\n"
                          "ld.param.u64 %o, [po]; mov.u32 %t, %tid.x; mul.wide.u32 %off, %t, 4; add.u64 %o, %o, %off; and.b32 %v, %t, 7;\n"
                          "{ .param .b32 a; .param .b32 b; .param .b32 c; st.param.b32 [a], %t; st.param.b32 [b], %v; call.uni (c), twice, (a, b); ld.param.b32 %v, [c]; }\n"
                          "{ .param .b32 a; .param .b32 b; .param .b32 c; st.param.b32 [a], %v; st.param.b32 [b], 1; setp.gt.u32 %p, %t, 15; @%p call (c), twice, (a, b); @%p ld.param.b32 %v, [c]; }\n"
                          "st.global.u32 [%o], %v; ret; }\n";
  const Ran ran = run_kernel(ptx, 32, {0});
  EXPECT_TRUE(ran.outcome.clean()) << text(ran.outcome);
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(ran.out[t], (t << (t & 7)) << (t > 15 ? 1 : 0));
}

TEST(MemoryAccess, SpecialRegistersSayWhereAThreadIs) {
  const Ran ran = run_kernel(kernel("mov.u32 %x, %ctaid.y; mov.u32 %y, %nctaid.x; mov.u32 %z, %ctaid.x; mad.lo.u32 %x, %x, %y, %z;"
                                    "mov.u32 %y, %ntid.x; mov.u32 %z, %ntid.y; mul.lo.u32 %w, %y, %z; mul.lo.u32 %x, %x, %w; mov.u32 %z, %tid.y; mad.lo.u32 %z, %z, %y, %t;"
                                    "add.u32 %x, %x, %z; mul.wide.u32 %off, %x, 4; add.u64 %b, %o, %off; mov.u32 %y, %laneid; mov.u32 %z, %warpid; mad.lo.u32 %y, %z, 32, %y;"
                                    "mov.u32 %z, %lanemask_lt; popc.b32 %z, %z; shl.b32 %z, %z, 16; or.b32 %y, %y, %z; mov.u32 %z, %dynamic_smem_size; shl.b32 %z, %z, 24; or.b32 %y, %y, %z; st.global.u32 [%b], %y;"),
                             3 * 2 * 10 * 5, {0}, {3, 2}, {10, 5}, {}, 17);
  EXPECT_TRUE(ran.outcome.clean()) << text(ran.outcome);
  for (std::uint32_t i = 0; i < ran.out.size(); ++i) {
    const std::uint32_t thread = i % 50;
    EXPECT_EQ(ran.out[i], thread | (thread % 32) << 16 | 17U << 24);
  }
}

// What the checks say.

std::string first_kind(const Ran& ran) { return ran.outcome.reports.empty() ? "" : ran.outcome.reports[0].kind; }

TEST(MemoryChecks, OutOfBoundsIsNotPerformedAndEndsTheLaunch) {
  const Ran ran = run_kernel(kernel("add.u64 %b, %o, %off; st.global.u32 [%b+4], %t; st.global.u32 [%o], 7;"), 32, {0});
  ASSERT_EQ(ran.outcome.reports.size(), 1U);
  EXPECT_EQ(ran.outcome.reports[0].kind, "out-of-bounds");
  EXPECT_NE(ran.outcome.reports[0].message.find("4 bytes at byte 128 of 'out' (128 bytes)"), std::string::npos) << text(ran.outcome);
  EXPECT_NE(ran.outcome.reports[0].message.find("thread (31, 0, 0)"), std::string::npos) << text(ran.outcome);
  EXPECT_EQ(ran.out[1], 0U);
  EXPECT_NE(ran.out[0], 7U) << "the launch went on";
}

TEST(MemoryChecks, WildAddresses) {
  EXPECT_EQ(first_kind(run_kernel(kernel("mov.u64 %b, 16; st.global.u32 [%b], %t;"), 1, {0})), "out-of-bounds");
  EXPECT_EQ(first_kind(run_kernel(kernel("mov.u64 %b, 0x7ffffffffffffff0; ld.u32 %x, [%b];"), 1, {0})), "out-of-bounds");
  EXPECT_EQ(first_kind(run_kernel(kernel("mov.u32 %x, 64; ld.shared.u32 %y, [%x];"), 1, {0})), "out-of-bounds");
}

TEST(MemoryChecks, Misaligned) {
  EXPECT_EQ(first_kind(run_kernel(kernel("ld.global.u32 %x, [%i+2];"), 1, {0, 0})), "misaligned");
  EXPECT_EQ(first_kind(run_kernel(kernel("ld.global.v2.u32 {%x, %y}, [%i+4];"), 1, {0, 0, 0, 0})), "misaligned");
}

TEST(MemoryChecks, ReadOnlyBuffersStayAsTheyAre) {
  const Ran ran = run_kernel(kernel("st.global.u32 [%i], 1; ld.global.u32 %x, [%i]; st.global.u32 [%o], %x;"), 1, {77}, {1}, {1});
  EXPECT_EQ(first_kind(ran), "read-only");
  EXPECT_EQ(ran.out[0], 77U);
}

TEST(MemoryChecks, UnwrittenBytesAreReportedAndPoisoned) {
  const Ran ran = run_kernel(kernel("st.global.u16 [%o], 0x1234; ld.global.u32 %x, [%o]; st.global.u32 [%o+4], %x;"), 2, {0}, {1}, {1});
  EXPECT_EQ(first_kind(ran), "uninitialized");
  EXPECT_EQ(ran.out[1], 0xffff1234U);
}

TEST(MemoryChecks, OverrunOfASharedArrayIsSeenThoughAnotherFollows) {
  const Ran ran = run_kernel(kernel(".shared .align 4 .b8 s[128];\n.shared .align 4 .b8 r[128];\n"
                                    "mov.u32 %x, s; shl.b32 %y, %t, 2; add.u32 %x, %x, %y; st.shared.u32 [%x+4], %t;"
                                    "mov.u32 %x, r; add.u32 %x, %x, %y; st.shared.u32 [%x], %t;"),
                             1, {0});
  ASSERT_EQ(first_kind(ran), "out-of-bounds");
  EXPECT_NE(ran.outcome.reports[0].message.find("byte 128 of shared array 1 (128 bytes)"), std::string::npos) << text(ran.outcome);
}

TEST(MemoryChecks, AnElementNobodyReadsIsNoAccess) {
  // Compilers widen neighbouring loads; the value of the last element goes nowhere.
  const Ran ran = run_kernel(kernel(".shared .align 8 .b8 s[4];\nmov.u32 %x, s; st.shared.u32 [%x], %t; ld.shared.v2.u32 {%y, %z}, [%x]; st.global.u32 [%o], %y;"), 1, {0}, {1}, {1});
  EXPECT_TRUE(ran.outcome.clean()) << text(ran.outcome);
}

TEST(MemoryChecks, ManyReportsAreCountedNotKept) {
  std::string body;
  for (int i = 0; i < 30; ++i) body += "ld.global.u32 %x, [%o+" + std::to_string(4 * i) + "];\n";
  Checks checks;
  checks.max_reports = 4;
  const Ran ran = run_kernel(kernel(body), 32, {0}, {1}, {32}, checks);
  EXPECT_EQ(ran.outcome.reports.size(), 4U);
  EXPECT_GE(ran.outcome.dropped_reports, 26U);
  EXPECT_GT(ran.outcome.reports[0].ptx_line, 0);
}

TEST(MemoryChecks, SampledBlocksWriteOnlyTheirPart) {
  const auto module = load(kernel("mov.u32 %x, %ctaid.x; mad.lo.u32 %x, %x, 32, %t; mul.wide.u32 %off, %x, 4; add.u64 %b, %o, %off; st.global.u32 [%b], %x;"));
  Memory memory;
  const auto out = output<std::uint32_t>(memory, "out", 320);
  Launch launch;
  launch.kernel = "k";
  launch.grid.x = 10;
  launch.block.x = 32;
  launch.blocks = {1, 7};
  launch.parameters = Arguments(*module, "k").add(out).add(out).bytes();
  const auto outcome = sim::launch(*module, memory, launch);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->counters.blocks, 2U);
  const auto written = memory.written(out);
  for (std::size_t i = 0; i < written.size(); ++i) EXPECT_EQ(written[i], i / 128 == 1 || i / 128 == 7);
}

TEST(MemoryChecks, LargeBuffersCostWhatIsTouched) {
  Memory memory;
  const auto big = memory.allocate(std::int64_t{1} << 36, "big");  // 64 GiB
  memory.bytes(big)[std::size_t{1} << 35] = std::byte{1};
  memory.free(big);
}

TEST(MemoryChecks, LaunchesThatCannotBeAreErrors) {
  const auto module = load(std::string(kHead) + ".visible .entry k(.param .u64 p) .maxntid 64, 1, 1 { ret; }\n.visible .entry q() .reqntid 32, 2, 1 { ret; }\n");
  ASSERT_TRUE(module);
  Memory memory;
  Launch launch;
  launch.kernel = "nobody";
  EXPECT_EQ(sim::launch(*module, memory, launch).error().code, Error::Code::NotFound);
  launch.kernel = "k";
  EXPECT_FALSE(sim::launch(*module, memory, launch)) << "no parameters";
  launch.parameters.resize(8);
  EXPECT_TRUE(sim::launch(*module, memory, launch));
  launch.block.x = 65;
  EXPECT_FALSE(sim::launch(*module, memory, launch)) << "beyond the launch bounds";
  launch.block.x = 0;
  EXPECT_FALSE(sim::launch(*module, memory, launch));
  launch = {};
  launch.kernel = "q";
  EXPECT_FALSE(sim::launch(*module, memory, launch)) << "another block than required";
  launch.block = {32, 2};
  EXPECT_TRUE(sim::launch(*module, memory, launch));
  launch.dynamic_shared = 300 * 1024;
  EXPECT_FALSE(sim::launch(*module, memory, launch)) << "too much shared memory";
}

}  // namespace
}  // namespace seam::sim::test
