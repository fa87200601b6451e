/// ldmatrix, stmatrix, movmatrix: what each lane gets, what shared memory holds afterwards, what is checked and counted.
#include <algorithm>
#include <numeric>

#include "opcode.h"

namespace seam::sim::test {
namespace {

constexpr const char* kHead = ".version 8.4\n.target sm_90\n.address_size 64\n";

struct Ran {
  Outcome outcome;
  std::vector<std::uint32_t> registers;  ///< four a lane, as the body left %r0–%r3
  std::vector<std::uint16_t> shared;
};

/// 2 KiB of shared memory, filled from the input (as 16-bit numbers, 32 a thread) unless told otherwise; then the body; then all of it is stored.
/// %t: thread, %row: address of shared memory + 16 · thread, %s: its start; %r0–%r3 start as 4 numbers of the thread.
Ran run_body(const std::string& body, bool filled = true, std::uint32_t threads = 32) {
  std::string ptx = std::string(kHead) + ".visible .entry k(.param .u64 pr, .param .u64 ps, .param .u64 pi) {\n"
                    ".shared .align 16 .b8 tile[2048];\n"
                    ".reg .b32 %r<4>, %t, %s, %row, %at, %v; .reg .b64 %p, %q, %g, %o; .reg .pred %on;\n"
                    "mov.u32 %t, %tid.x; mov.u32 %s, tile; shl.b32 %at, %t, 6; add.u32 %at, %at, %s; mad.lo.u32 %row, %t, 16, %s;\n"
                    "ld.param.u64 %p, [pi]; mul.wide.u32 %o, %t, 64; add.u64 %p, %p, %o;\n";
  for (int i = 0; i < 16 && filled; ++i) ptx += "ld.global.b32 %v, [%p+" + std::to_string(4 * i) + "]; st.shared.b32 [%at+" + std::to_string(4 * i) + "], %v;\n";
  for (int i = 0; i < 4; ++i) ptx += "mad.lo.u32 %r" + std::to_string(i) + ", %t, 65536, " + std::to_string(1000 * (i + 1)) + ";\n";
  if (filled) ptx += "bar.sync 0;\n";
  ptx += body + "\nbar.sync 0;\nld.param.u64 %p, [pr]; mul.wide.u32 %o, %t, 16; add.u64 %p, %p, %o; st.global.v4.b32 [%p], {%r0, %r1, %r2, %r3};\n"
         "ld.param.u64 %p, [ps]; mul.wide.u32 %o, %t, 64; add.u64 %p, %p, %o;\n";
  for (int i = 0; i < 16 && filled; ++i) ptx += "ld.shared.b32 %v, [%at+" + std::to_string(4 * i) + "]; st.global.b32 [%p+" + std::to_string(4 * i) + "], %v;\n";
  ptx += "ret;\n}\n";
  Ran ran;
  const auto module = load(ptx);
  if (!module) return ran;
  Memory memory;
  std::vector<std::uint16_t> numbers(1024);
  std::iota(numbers.begin(), numbers.end(), std::uint16_t{0});
  const auto registers = output<std::uint32_t>(memory, "registers", std::size_t{4} * 32);
  const auto shared = output<std::uint16_t>(memory, "shared", 1024);
  Launch launch;
  launch.kernel = "k";
  launch.block.x = threads;
  launch.parameters = Arguments(*module, "k").add(registers).add(shared).add(input(memory, "in", numbers)).bytes();
  auto outcome = sim::launch(*module, memory, launch);
  EXPECT_TRUE(outcome) << describe(outcome.error());
  if (!outcome) return ran;
  ran.outcome = *std::move(outcome);
  ran.registers = values<std::uint32_t>(memory, registers);
  ran.shared = values<std::uint16_t>(memory, shared);
  return ran;
}

std::string registers(int count) {
  std::string out = "{";
  for (int i = 0; i < count; ++i) out += (i > 0 ? ", %r" : "%r") + std::to_string(i);
  return out + "}";
}

bool has(const Outcome& outcome, const std::string& kind) {
  return std::ranges::any_of(outcome.reports, [&](const Report& r) { return r.kind == kind; });
}

TEST(Matrix, LoadsGiveEachLaneItsPair) {
  for (const int count : {1, 2, 4}) {
    for (const bool trans : {false, true}) {
      const std::string body = "ldmatrix.sync.aligned.m8n8.x" + std::to_string(count) + (trans ? ".trans" : "") + ".shared.b16 " + registers(count) + ", [%row];";
      SCOPED_TRACE(body);
      const Ran ran = run_body(body);
      ASSERT_TRUE(ran.outcome.clean()) << text(ran.outcome);
      for (std::uint32_t lane = 0; lane < 32; ++lane) {
        for (std::uint32_t m = 0; m < 4; ++m) {
          // Row r of matrix m holds the numbers 8 · (8 m + r) …
          const std::uint32_t line = lane / 4, first = lane % 4 * 2;
          const std::uint32_t low = trans ? 8 * (8 * m + first) + line : 8 * (8 * m + line) + first;
          const std::uint32_t high = trans ? low + 8 : low + 1;
          const std::uint32_t untouched = lane * 65536 + 1000 * (m + 1);
          ASSERT_EQ(ran.registers[lane * 4 + m], static_cast<int>(m) < count ? (low | high << 16) : untouched) << "lane " << lane << " matrix " << m;
        }
      }
    }
  }
}

TEST(Matrix, StoresPutEachPairWhereTheLoadFindsIt) {
  for (const int count : {1, 2, 4}) {
    for (const bool trans : {false, true}) {
      const std::string body = "stmatrix.sync.aligned.m8n8.x" + std::to_string(count) + (trans ? ".trans" : "") + ".shared.b16 [%row+512], " + registers(count) + ";";
      SCOPED_TRACE(body);
      const Ran ran = run_body(body);
      ASSERT_TRUE(ran.outcome.clean()) << text(ran.outcome);
      for (std::uint32_t m = 0; m < 4; ++m) {
        for (std::uint32_t r = 0; r < 8; ++r) {
          for (std::uint32_t c = 0; c < 8; ++c) {
            const std::uint32_t at = 256 + 8 * (8 * m + r) + c;
            const std::uint32_t line = trans ? c : r, second = trans ? r : c;
            const std::uint32_t word = (4 * line + second / 2) * 65536 + 1000 * (m + 1);
            const std::uint32_t stored = second % 2 == 0 ? word & 0xffff : word >> 16;
            ASSERT_EQ(ran.shared[at], static_cast<int>(m) < count ? stored : at) << "matrix " << m << " row " << r << " column " << c;
          }
        }
      }
    }
  }
}

TEST(Matrix, MovmatrixTransposes) {
  const Ran ran = run_body("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%row]; movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r0;"
                           "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r2}, [%row];");
  ASSERT_TRUE(ran.outcome.clean()) << text(ran.outcome);
  for (std::size_t lane = 0; lane < 32; ++lane) ASSERT_EQ(ran.registers[lane * 4 + 1], ran.registers[lane * 4 + 2]);
}

TEST(Matrix, GenericAddressesOfSharedMemory) {
  const Ran ran = run_body("cvt.u64.u32 %p, %row; cvta.shared.u64 %p, %p; ldmatrix.sync.aligned.m8n8.x1.b16 {%r0}, [%p];");
  ASSERT_TRUE(ran.outcome.clean()) << text(ran.outcome);
  EXPECT_EQ(ran.registers[4 * 5], (8U + 2) | (8U + 3) << 16);
  EXPECT_TRUE(has(run_body("ldmatrix.sync.aligned.m8n8.x1.b16 {%r0}, [%p];").outcome, "out-of-bounds"));
}

TEST(Matrix, RowsGoThroughTheChecksOfSharedMemory) {
  EXPECT_TRUE(has(run_body("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%row];", false).outcome, "uninitialized"));
  EXPECT_TRUE(has(run_body("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%row+2000];").outcome, "out-of-bounds"));
  EXPECT_TRUE(has(run_body("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%row+8];").outcome, "misaligned"));
  EXPECT_TRUE(has(run_body("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%row+2000], {%r0, %r1, %r2, %r3};").outcome, "out-of-bounds"));
  // Another lane's row, without a barrier between.
  EXPECT_TRUE(has(run_body("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%row], {%r0}; ld.shared.b32 %v, [%at];").outcome, "race-shared"));
  EXPECT_TRUE(has(run_body("st.shared.b32 [%at], %t; ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0, %r1, %r2, %r3}, [%row];").outcome, "race-shared"));
  const Ran synced = run_body("st.shared.b32 [%at], %t; bar.warp.sync -1; ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0, %r1, %r2, %r3}, [%row];");
  EXPECT_TRUE(synced.outcome.clean()) << text(synced.outcome);
  // Lanes beyond those that name rows may hold anything.
  const Ran few = run_body("setp.lt.u32 %on, %t, 8; selp.b32 %row, %row, 99999, %on; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%row];");
  EXPECT_TRUE(few.outcome.clean()) << text(few.outcome);
}

TEST(Matrix, AbsentLanesAreReported) {
  EXPECT_TRUE(has(run_body("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%row];", true, 16).outcome, "absent-lanes"));
  EXPECT_TRUE(has(run_body("setp.lt.u32 %on, %t, 8; @%on ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%row];").outcome, "deadlock"));
}

TEST(Matrix, WavefrontsCountBankConflicts) {
  const auto more = [](const std::string& body) {
    return run_body(body).outcome.counters.shared_wavefronts - run_body("").outcome.counters.shared_wavefronts;
  };
  // Rows side by side: one pass a matrix.
  EXPECT_EQ(more("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0, %r1, %r2, %r3}, [%row];"), 4U);
  EXPECT_EQ(more("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r0, %r1}, [%row];"), 2U);
  // Rows 128 bytes apart: the eight rows of a matrix share four banks.
  EXPECT_EQ(more("and.b32 %v, %t, 7; mad.lo.u32 %row, %v, 128, %s; ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0, %r1, %r2, %r3}, [%row];"), 32U);
  // 144 bytes apart (padding): none do.
  EXPECT_EQ(more("and.b32 %v, %t, 7; mad.lo.u32 %row, %v, 144, %s; stmatrix.sync.aligned.m8n8.x2.shared.b16 [%row], {%r0, %r1};"), 2U);
}

}  // namespace
}  // namespace seam::sim::test
