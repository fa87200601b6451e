/// The profile by instruction class, the finer memory counters, and approximate instructions that err.
#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "opcode.h"

namespace seam::sim::test {
namespace {

constexpr const char* kHead = ".version 8.4\n.target sm_90\n.address_size 64\n";

Outcome run_kernel(const std::string& body, std::uint32_t threads = 32, bool profile = true) {
  const auto module = load(std::string(kHead) + ".visible .entry k(.param .u64 p) {\n.shared .align 16 .b8 tile[8192];\n"
                           ".reg .b32 %t, %u, %s; .reg .b64 %p, %o; .reg .f32 %f, %g; .reg .f64 %d; .reg .b16 %h; .reg .pred %on;\n"
                           "ld.param.u64 %p, [p]; mov.u32 %t, %tid.x; mov.u32 %s, tile;\n" + body + "\nret;\n}\n");
  Outcome out;
  if (!module) return out;
  Memory memory;
  Launch launch;
  launch.kernel = "k";
  launch.block.x = threads;
  launch.parameters = Arguments(*module, "k").add(input(memory, "x", std::vector<float>(8192, 1.5F), false)).bytes();
  Checks checks;
  checks.profile = profile;
  auto outcome = sim::launch(*module, memory, launch, checks);
  EXPECT_TRUE(outcome) << describe(outcome.error());
  if (outcome) out = *std::move(outcome);
  return out;
}

std::uint64_t warps(const Outcome& outcome, InstructionClass one) { return outcome.profile.warp_instructions[static_cast<std::size_t>(one)]; }
std::uint64_t threads(const Outcome& outcome, InstructionClass one) { return outcome.profile.instructions[static_cast<std::size_t>(one)]; }

TEST(Profile, CountsEachClass) {
  const Outcome out = run_kernel(
      "mul.wide.u32 %o, %t, 4; add.u64 %p, %p, %o; ld.global.f32 %f, [%p];"             // integer 2, global 1
      "add.f32 %f, %f, %f; div.full.f32 %f, %f, %f; ex2.approx.f32 %f, %f;"             // float 2, special 1
      "cvt.f64.f32 %d, %f; add.f64 %d, %d, %d; cvt.rn.f16.f32 %h, %f; add.f16 %h, %h, %h;"  // conversion 2, double 1, half 1
      "setp.lt.u32 %on, %t, 8; @%on st.global.f32 [%p], %f;"                             // compare 1, global 1
      "mad.lo.u32 %u, %t, 4, %s; st.shared.f32 [%u], %f; bar.sync 0; shfl.sync.bfly.b32 %f, %f, 1, 31, -1;"  // integer 1, shared 1, barrier 1, shuffle 1
      "red.global.add.f32 [%p], %f; bra.uni END; END:", 64);                             // atomic 1, control 1 (and ret)
  ASSERT_TRUE(out.clean()) << text(out);
  EXPECT_EQ(warps(out, InstructionClass::Integer), 2 * 3U);
  EXPECT_EQ(warps(out, InstructionClass::Float), 2 * 2U);
  EXPECT_EQ(warps(out, InstructionClass::Double), 2 * 1U);
  EXPECT_EQ(warps(out, InstructionClass::Half), 2 * 1U);
  EXPECT_EQ(warps(out, InstructionClass::Conversion), 2 * 2U);
  EXPECT_EQ(warps(out, InstructionClass::Special), 2 * 1U);
  EXPECT_EQ(warps(out, InstructionClass::Compare), 2 * 1U);
  EXPECT_EQ(warps(out, InstructionClass::Global), 2 * 2U);
  EXPECT_EQ(threads(out, InstructionClass::Global), 64U + 8);
  EXPECT_EQ(warps(out, InstructionClass::Shared), 2 * 1U);
  EXPECT_EQ(warps(out, InstructionClass::Barrier), 2 * 1U);
  EXPECT_EQ(warps(out, InstructionClass::Shuffle), 2 * 1U);
  EXPECT_EQ(warps(out, InstructionClass::Atomic), 2 * 1U);
  EXPECT_EQ(warps(out, InstructionClass::Control), 2 * 2U);
  EXPECT_EQ(warps(out, InstructionClass::Parameter), 2 * 1U);
  EXPECT_EQ(warps(out, InstructionClass::Move), 2 * 2U);
  const auto& of_warps = out.profile.warp_instructions;
  const auto& of_threads = out.profile.instructions;
  EXPECT_EQ(std::accumulate(of_warps.begin(), of_warps.end(), std::uint64_t{0}), out.counters.warp_instructions);
  EXPECT_EQ(std::accumulate(of_threads.begin(), of_threads.end(), std::uint64_t{0}), out.counters.instructions);
}

TEST(Profile, IsEmptyUnlessAskedFor) {
  const Outcome out = run_kernel("add.u32 %t, %t, 1;", 32, false);
  EXPECT_EQ(out.profile.warp_instructions, Profile().warp_instructions);
  EXPECT_GT(out.counters.warp_instructions, 0U);
}

TEST(Profile, GlobalWavefrontsAreLinesOfARequest) {
  const auto counters = [](const std::string& stride, const std::string& load) {
    return run_kernel("mul.wide.u32 %o, %t, " + stride + "; add.u64 %p, %p, %o; " + load).counters;
  };
  EXPECT_EQ(counters("4", "ld.global.f32 %f, [%p];").global_wavefronts, 1U);
  EXPECT_EQ(counters("4", "ld.global.f32 %f, [%p+64];").global_wavefronts, 2U);
  EXPECT_EQ(counters("128", "ld.global.f32 %f, [%p];").global_wavefronts, 32U);
  EXPECT_EQ(counters("0", "ld.global.f32 %f, [%p];").global_wavefronts, 1U);
  EXPECT_EQ(counters("16", "st.global.v4.f32 [%p], {0f00000000, 0f00000000, 0f00000000, 0f00000000};").global_wavefronts, 4U);
  EXPECT_EQ(counters("16", "st.global.v4.f32 [%p], {0f00000000, 0f00000000, 0f00000000, 0f00000000};").global_requests, 1U);
}

TEST(Profile, ConflictsAreWavefrontsAboveTheLeast) {
  const auto conflicts = [](const std::string& stride, const std::string& store) {
    return run_kernel("mad.lo.u32 %u, %t, " + stride + ", %s; " + store).counters.shared_conflicts;
  };
  EXPECT_EQ(conflicts("4", "st.shared.u32 [%u], %t;"), 0U);
  EXPECT_EQ(conflicts("8", "st.shared.u32 [%u], %t;"), 1U);
  EXPECT_EQ(conflicts("128", "st.shared.u32 [%u], %t;"), 31U);
  EXPECT_EQ(conflicts("132", "st.shared.u32 [%u], %t;"), 0U);
  EXPECT_EQ(conflicts("16", "st.shared.v4.u32 [%u], {%t, %t, %t, %t};"), 0U);
}

/// A block's own cache answers what it read before; the next block begins with an empty one, and nobody counts without being asked.
TEST(Profile, TheL2IsAskedForWhatABlocksCacheDoesNotHold) {
  const auto asked = [](const std::string& body, std::uint32_t threads = 32, bool profile = true) { return run_kernel(body, threads, profile).counters.l2_sectors_read; };
  const std::string own = "mul.wide.u32 %o, %t, 4; add.u64 %p, %p, %o; ";
  EXPECT_EQ(asked(own + "ld.global.f32 %f, [%p];"), 4U);
  EXPECT_EQ(asked(own + "ld.global.f32 %f, [%p]; ld.global.f32 %g, [%p];"), 4U) << "the second time it is there";
  EXPECT_EQ(asked(own + "ld.global.f32 %f, [%p];", 64), 8U);
  EXPECT_EQ(asked("ld.global.f32 %f, [%p];", 1024), 1U) << "all warps of a block read one element";
  EXPECT_EQ(asked("mul.wide.u32 %o, %t, 32; add.u64 %p, %p, %o; ld.global.f32 %f, [%p];"), 32U);
  EXPECT_EQ(asked(own + "ld.relaxed.gpu.global.f32 %f, [%p]; ld.relaxed.gpu.global.f32 %f, [%p];"), 8U) << "what others may have written is not looked for in it";
  EXPECT_EQ(asked(own + "ld.global.f32 %f, [%p];", 32, false), 0U);
}

TEST(Profile, AtomicSectorsArePiecesOfARequest) {
  const auto touched = [](const std::string& stride, const std::string& atomic) {
    return run_kernel("mul.wide.u32 %o, %t, " + stride + "; add.u64 %p, %p, %o; " + atomic).counters.atomic_sectors;
  };
  EXPECT_EQ(touched("4", "red.global.add.f32 [%p], %f;"), 4U);
  EXPECT_EQ(touched("0", "red.global.add.f32 [%p], %f;"), 1U);
  EXPECT_EQ(touched("64", "red.global.add.f32 [%p], %f;"), 32U);
  EXPECT_EQ(run_kernel("mad.lo.u32 %u, %t, 4, %s; st.shared.u32 [%u], %t; bar.sync 0; atom.shared.add.u32 %t, [%u], %t;").counters.atomic_sectors, 0U) << "shared memory is none of the L2's";
}

// Approximate instructions.

std::vector<float> approximate(const std::string& instruction, const std::vector<float>& x, int ulp, std::uint64_t seed) {
  const auto module = load(std::string(kHead) + ".visible .entry k(.param .u64 po, .param .u64 px) {\n.reg .b32 %t; .reg .b64 %p, %o; .reg .f32 %f, %g;\n"
                           "mov.u32 %t, %ctaid.x; shl.b32 %t, %t, 5; .reg .b32 %l; mov.u32 %l, %tid.x; add.u32 %t, %t, %l; mul.wide.u32 %o, %t, 4;\n"
                           "ld.param.u64 %p, [px]; add.u64 %p, %p, %o; ld.global.f32 %f, [%p]; mov.f32 %g, 0f40400000;\n" + instruction +
                           "\nld.param.u64 %p, [po]; add.u64 %p, %p, %o; st.global.f32 [%p], %f; ret;\n}\n");
  if (!module) return {};
  Memory memory;
  Launch launch;
  launch.kernel = "k";
  launch.block.x = 32;
  launch.grid.x = static_cast<std::uint32_t>(x.size() / 32);
  const auto out = output<float>(memory, "out", x.size());
  launch.parameters = Arguments(*module, "k").add(out).add(input(memory, "x", x)).bytes();
  Checks checks;
  checks.ulp = ulp;
  checks.seed = seed;
  const auto outcome = sim::launch(*module, memory, launch, checks);
  EXPECT_TRUE(outcome) << describe(outcome.error());
  EXPECT_TRUE(outcome && outcome->clean());
  return values<float>(memory, out);
}

std::int64_t ulps(float a, float b) {
  return std::abs(std::int64_t{std::bit_cast<std::int32_t>(a)} - std::int64_t{std::bit_cast<std::int32_t>(b)});
}

std::vector<float> operands() {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<float> uniform(0.01F, 20);
  std::vector<float> out(1024);
  for (float& x : out) x = uniform(random);
  // Twice each: what a device computes from one operand is one result.
  for (std::size_t i = 512; i < 1024; ++i) out[i] = out[i - 512];
  return out;
}

struct Documented {
  const char* instruction;
  double relative, absolute;
};

TEST(Approximate, ErrByUpToSoManyUnitsAndTheSameEachTime) {
  const auto x = operands();
  for (const char* one : {"ex2.approx.f32 %f, %f;", "rcp.approx.f32 %f, %f;", "rsqrt.approx.ftz.f32 %f, %f;", "lg2.approx.f32 %f, %f;", "sin.approx.f32 %f, %f;",
                          "cos.approx.f32 %f, %f;", "sqrt.approx.f32 %f, %f;", "tanh.approx.f32 %f, %f;", "div.full.f32 %f, %f, %g;", "div.approx.f32 %f, %g, %f;"}) {
    SCOPED_TRACE(one);
    const auto exact = approximate(one, x, 0, 1);
    const auto moved = approximate(one, x, 5, 1);
    ASSERT_EQ(moved.size(), x.size());
    std::int64_t most = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      most = std::max(most, ulps(exact[i], moved[i]));
      ASSERT_EQ(moved[i], moved[i % 512]);
    }
    EXPECT_EQ(most, 5);
    EXPECT_EQ(moved, approximate(one, x, 5, 1));
    EXPECT_NE(moved, approximate(one, x, 5, 2));
  }
}

TEST(Approximate, ErrByWhatIsDocumented) {
  const auto x = operands();
  const Documented all[] = {
      {"ex2.approx.f32 %f, %f;", 0x1p-22, 0},      {"rcp.approx.f32 %f, %f;", 0x1p-23, 0},  {"rsqrt.approx.f32 %f, %f;", 1.28e-7, 0},
      {"sqrt.approx.f32 %f, %f;", 0x1p-23, 0},     {"tanh.approx.f32 %f, %f;", 0x1p-11, 0}, {"div.full.f32 %f, %f, %g;", 0x1p-22, 0},
      {"lg2.approx.f32 %f, %f;", 0x1p-22, 0x1p-22}, {"sin.approx.f32 %f, %f;", 0, 0x1p-14},
  };
  for (const Documented& one : all) {
    SCOPED_TRACE(one.instruction);
    const auto exact = approximate(one.instruction, x, 0, 1);
    const auto moved = approximate(one.instruction, x, kDocumentedUlp, 1);
    bool any = false;
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_LE(std::fabs(double{exact[i]} - double{moved[i]}), one.relative * std::fabs(exact[i]) + one.absolute) << x[i];
      any |= exact[i] != moved[i];
    }
    EXPECT_TRUE(any);
  }
}

TEST(Approximate, SpecialValuesAndExactInstructionsStay) {
  const std::vector<float> special = {0.0F, -0.0F, INFINITY, -INFINITY, NAN, 1e-45F, -1.0F, 3e38F};
  std::vector<float> x(32);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = special[i % special.size()];
  for (const char* one : {"rcp.approx.f32 %f, %f;", "rsqrt.approx.f32 %f, %f;", "ex2.approx.f32 %f, %f;", "lg2.approx.f32 %f, %f;", "tanh.approx.f32 %f, %f;"}) {
    const auto exact = approximate(one, x, 0, 1);
    const auto moved = approximate(one, x, 1000, 1);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const bool stays = !std::isfinite(exact[i]) || exact[i] == 0;
      EXPECT_TRUE(stays ? bits(exact[i]) == bits(moved[i]) : std::isfinite(moved[i])) << one << " " << x[i] << " gives " << exact[i] << " and " << moved[i];
    }
  }
  const auto sum = operands();
  EXPECT_EQ(approximate("add.f32 %f, %f, %g; div.rn.f32 %f, %f, %g; sqrt.rn.f32 %f, %f;", sum, 5, 1), approximate("add.f32 %f, %f, %g; div.rn.f32 %f, %f, %g; sqrt.rn.f32 %f, %f;", sum, 0, 1));
}

}  // namespace
}  // namespace seam::sim::test
