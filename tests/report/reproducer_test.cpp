/// A reproducer is compiled and run, on a driver that launches nothing, and its inputs are compared with those of the proof.
#include "report/reproducer.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>

#include "base/files.h"
#include "codegen/inputs.h"
#include "modules.h"

namespace seam::report {
namespace {

struct Ran {
  int status = 0;
  std::string output;
};

Ran shell(const std::string& command) {
  Ran ran;
  FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  std::array<char, 4096> chunk{};
  while (const std::size_t got = std::fread(chunk.data(), 1, chunk.size(), pipe)) ran.output.append(chunk.data(), got);
  ran.status = ::pclose(pipe);
  return ran;
}

/// One kernel whose inputs have every type that a reproducer fills.
constexpr const char* kManyTypes = R"(HloModule types, entry_computation_layout={(f32[300,700]{1,0}, f16[300,700]{1,0}, bf16[300,700]{1,0}, s32[300,700]{1,0}, pred[300,700]{1,0}, u8[300,700]{1,0})->f32[300,700]{1,0}}

ENTRY main {
  a = f32[300,700]{1,0} parameter(0)
  b = f16[300,700]{1,0} parameter(1)
  c = bf16[300,700]{1,0} parameter(2)
  d = s32[300,700]{1,0} parameter(3)
  e = pred[300,700]{1,0} parameter(4)
  f = u8[300,700]{1,0} parameter(5)
  b1 = f32[300,700]{1,0} convert(b)
  c1 = f32[300,700]{1,0} convert(c)
  d1 = f32[300,700]{1,0} convert(d)
  f1 = f32[300,700]{1,0} convert(f)
  s1 = f32[300,700]{1,0} add(a, b1)
  s2 = f32[300,700]{1,0} add(c1, d1)
  s3 = f32[300,700]{1,0} add(s2, f1)
  ROOT out = f32[300,700]{1,0} select(e, s1, s3)
}
)";

std::uint64_t fnv(const std::vector<std::byte>& data) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const std::byte byte : data) hash = (hash ^ static_cast<std::uint8_t>(byte)) * 0x100000001b3ULL;
  return hash;
}

class Reproducer : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / "seam_reproducer_test";
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// The reproducer of a kernel, compiled against a stub of the driver and run once; `built` gets PTX if there was no compiler to make any.
  Ran reproduced(const Optimized& o, const KernelView& kernel, codegen::Built& built) {
    if (built.ptx.empty()) built.ptx = ".version 8.0\n// no compiler here\n";
    codegen::Verdict verdict = kernel.verdict;
    verdict.expected.clear();
    const KernelView view{kernel.graph, kernel.where, kernel.computation, kernel.group, built, verdict};
    EXPECT_TRUE(write_file(folder_ / "r.cpp", reproducer(o, view)));
    Ran compiled = shell(fmt::format("{} -std=c++17 -Wall -Wextra -Werror -O1 -I{}/stub_cuda {} -o {}", SEAM_CXX, SEAM_TEST_DIR, (folder_ / "r.cpp").string(), (folder_ / "r").string()));
    return compiled.status == 0 ? shell((folder_ / "r").string() + " 1") : compiled;
  }

  std::filesystem::path folder_;
};

TEST_F(Reproducer, MakesTheInputsOfTheProof) {
  if (shell(std::string(SEAM_CXX) + " --version").status != 0) GTEST_SKIP() << "the compiler that built Seam is not here to build a reproducer";
  Optimized o = test::optimized(kManyTypes, false);
  ASSERT_NE(o.plan, nullptr);
  ASSERT_EQ(o.verdicts.size(), 1U);
  for_each_kernel(o, [&](const KernelView& kernel) {
    codegen::Built built = kernel.built;
    const Ran ran = reproduced(o, kernel, built);
    ASSERT_EQ(ran.status, 0) << ran.output;
    EXPECT_NE(ran.output.find(fmt::format("module of {} bytes, function {}", built.ptx.size(), built.source.name)), std::string::npos) << ran.output;
    EXPECT_NE(ran.output.find(fmt::format("launch {} x {}", built.source.grid, built.source.block)), std::string::npos) << ran.output;
    const auto [low, high] = codegen::integer_range(kernel.computation, kernel.group);
    std::uint64_t number = 0;
    std::size_t inputs = 0;
    for (std::size_t i = 0; i < built.source.arguments.size(); ++i) {
      const codegen::Argument& argument = built.source.arguments[i];
      if (argument.output || argument.workspace_bytes > 0) continue;
      const graph::Shape& shape = kernel.computation.ops[argument.op].shape;
      const Array array = codegen::random_array(shape.dtype, shape.dims, codegen::Distribution::Normal, codegen::input_seed(0, ++number), low, high);
      EXPECT_NE(ran.output.find(fmt::format("argument {} {} {:016x}", i, array.data.size(), fnv(array.data))), std::string::npos) << argument.name << "\n" << ran.output;
      ++inputs;
    }
    EXPECT_EQ(inputs, 6U);
  });
}

/// A constant of the graph is an input of the kernel: it holds what the graph states, as in the proof.
TEST_F(Reproducer, ConstantsHoldWhatTheGraphStates) {
  if (shell(std::string(SEAM_CXX) + " --version").status != 0) GTEST_SKIP() << "the compiler that built Seam is not here to build a reproducer";
  const Optimized o = test::optimized(R"(HloModule table
ENTRY main {
  x = f32[8,4]{1,0} parameter(0)
  k = f32[4]{0} constant({1, -2, 3.5, 0.25})
  ks = f32[8,4]{1,0} broadcast(k), dimensions={1}
  ROOT y = f32[8,4]{1,0} multiply(x, ks)
}
)", false);
  ASSERT_EQ(o.verdicts.size(), 1U);
  std::size_t constants = 0;
  for_each_kernel(o, [&](const KernelView& kernel) {
    codegen::Built built = kernel.built;
    const Ran ran = reproduced(o, kernel, built);
    for (std::size_t i = 0; i < built.source.arguments.size(); ++i) {
      const graph::Op& op = kernel.computation.ops[built.source.arguments[i].op];
      if (op.opcode != graph::Opcode::Constant) continue;
      const Array& value = op.attributes.literal.value;
      EXPECT_NE(ran.output.find(fmt::format("argument {} {} {:016x}", i, value.data.size(), fnv(value.data))), std::string::npos) << ran.output;
      ++constants;
    }
  });
  EXPECT_EQ(constants, 1U);
}

/// The stub launches nothing: outputs keep their poison, as f32 a NaN.
TEST_F(Reproducer, FailsWhereTheGpuDiffersFromTheSimulator) {
  if (shell(std::string(SEAM_CXX) + " --version").status != 0) GTEST_SKIP() << "the compiler that built Seam is not here to build a reproducer";
  const Optimized o = test::optimized(kManyTypes, false);
  ASSERT_EQ(o.verdicts.size(), 1U);
  for_each_kernel(o, [&](const KernelView& kernel) {
    codegen::Built built = kernel.built;
    if (built.ptx.empty()) built.ptx = ".version 8.0\n// no compiler here\n";
    for (const double first : {std::numeric_limits<double>::quiet_NaN(), 0.5}) {
      codegen::Verdict verdict = kernel.verdict;
      verdict.expected = {{built.source.arguments.size() - 1, {first}, 1e-6}};
      const KernelView view{kernel.graph, kernel.where, kernel.computation, kernel.group, built, verdict};
      ASSERT_TRUE(write_file(folder_ / "r.cpp", reproducer(o, view)));
      const Ran compiled = shell(fmt::format("{} -std=c++17 -Wall -Wextra -Werror -O1 -I{}/stub_cuda {} -o {}", SEAM_CXX, SEAM_TEST_DIR, (folder_ / "r.cpp").string(), (folder_ / "r").string()));
      ASSERT_EQ(compiled.status, 0) << compiled.output;
      const Ran ran = shell((folder_ / "r").string() + " 1");
      const bool agrees = std::isnan(first);
      EXPECT_EQ(ran.status == 0, agrees) << ran.output;
      EXPECT_NE(ran.output.find(agrees ? "agrees with the simulated GPU" : "DIFFERS from the simulated GPU"), std::string::npos) << ran.output;
    }
  });
}

TEST_F(Reproducer, FitsTheRealDriversHeader) {
  std::string include;
  for (const char* folder : {"/usr/local/cuda/include", SEAM_TEST_DIR "/../../build/cuda/nvidia/cu13/include"}) {
    if (std::filesystem::exists(std::filesystem::path(folder) / "cuda.h")) include = folder;
  }
  if (include.empty()) GTEST_SKIP() << "no cuda.h on this machine: scripts/setup fetches one";
  const Optimized o = test::optimized(test::kSoftmax, false);
  ASSERT_NE(o.plan, nullptr);
  bool first = true;
  for_each_kernel(o, [&](const KernelView& kernel) {
    if (!std::exchange(first, false)) return;
    ASSERT_TRUE(write_file(folder_ / "r.cpp", reproducer(o, kernel)));
    const Ran checked = shell(fmt::format("{} -std=c++17 -Wall -Werror -fsyntax-only -I{} {}", SEAM_CXX, include, (folder_ / "r.cpp").string()));
    EXPECT_EQ(checked.status, 0) << checked.output;
  });
}

}  // namespace
}  // namespace seam::report
