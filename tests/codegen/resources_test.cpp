// Registers, spills and shared memory of machine code: what the assembler's log says, and the assembler itself where there is one.
#include <gtest/gtest.h>

#include "codegen/codegen.h"
#include "codegen/resources.h"

namespace seam::codegen {
namespace {

constexpr const char* kLog = R"(ptxas info    : 0 bytes gmem
ptxas info    : Function properties for _Z6helperf
ptxas         .     8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads
ptxas info    : Compile time = 3.252 ms
ptxas info    : Compiling entry function 'other' for 'sm_90'
ptxas info    : Function properties for other
ptxas         .     0 bytes stack frame, 1000 bytes spill stores, 1000 bytes spill loads
ptxas info    : Used 255 registers, used 0 barriers
ptxas info    : Compiling entry function 'k' for 'sm_90'
ptxas info    : Function properties for k
ptxas         .     56 bytes stack frame, 88 bytes spill stores, 108 bytes spill loads
ptxas info    : Used 64 registers, used 1 barriers, 12000 bytes smem
ptxas info    : Compile time = 81.697 ms
info    : 0 bytes gmem
info    : Function properties for 'k':
info    : used 64 registers, used 1 barriers, 56 stack, 13024 bytes smem, 544 bytes cmem[0], 0 bytes lmem
)";

TEST(Resources, AreReadFromTheLog) {
  const Result<Resources> k = parse_resources(kLog, "k");
  ASSERT_TRUE(k) << k.error().message;
  // The helper's spills count: the kernel calls it. The other kernel's do not.
  EXPECT_EQ(*k, (Resources{64, 56, 92, 120, 12000, 90}));
}

TEST(Resources, OlderLogsWithoutPrefixesAndBarriers) {
  const Result<Resources> k = parse_resources(
      "ptxas info    : Compiling entry function 'k' for 'sm_75'\nptxas info    : Function properties for k\n    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 10 registers, 360 bytes cmem[0]\n",
      "k");
  ASSERT_TRUE(k) << k.error().message;
  EXPECT_EQ(*k, (Resources{10, 0, 0, 0, 0, 75}));
}

TEST(Resources, AnotherFormOfLogIsNoGuess) {
  const std::string log = kLog;
  EXPECT_FALSE(parse_resources("", "k"));
  EXPECT_FALSE(parse_resources(log, "absent"));
  for (const char* word : {"Used 64 registers", " bytes spill loads", " bytes stack frame", "Compiling entry function 'k'"}) {
    std::string changed = log;
    for (std::size_t at = changed.find(word); at != std::string::npos; at = changed.find(word)) changed.replace(at, std::string(word).size(), "?");
    const Result<Resources> read = parse_resources(changed, "k");
    EXPECT_FALSE(read) << word;
  }
}

/// Keeps `values` numbers alive across a barrier.
std::string hungry(int values) {
  const std::string n = std::to_string(values);
  return "extern \"C\" __global__ void __launch_bounds__(1024) k(const float* a, float* b) {\n  __shared__ float s[1024];\n  float v[" + n + "];\n#pragma unroll\n  for (int i = 0; i < " + n +
         "; ++i) v[i] = a[i * 1024 + threadIdx.x];\n  s[threadIdx.x] = v[3];\n  __syncthreads();\n#pragma unroll\n  for (int i = 0; i < " + n +
         "; ++i) b[i * 1024 + threadIdx.x] = v[i] * s[(threadIdx.x + i) % 1024] + v[(i + 7) % " + n + "];\n}\n";
}

class Assembled : public testing::Test {
 protected:
  void SetUp() override {
    const auto compiler = Compiler::find();
    const auto assembler = Assembler::find();
    if (!compiler || !assembler) GTEST_SKIP() << "no NVRTC or no nvJitLink: " << (compiler ? assembler.error().message : compiler.error().message);
    compiler_ = *compiler;
    assembler_ = *assembler;
  }
  Resources of(int values, int major, int minor) const {
    const auto ptx = compiler_->compile(hungry(values), "k.cu", major, minor);
    EXPECT_TRUE(ptx) << ptx.error().message;
    const auto resources = assembler_->resources(*ptx, "k", compiler_->target(major, minor));
    EXPECT_TRUE(resources) << resources.error().message;
    return resources ? *resources : Resources{};
  }
  std::shared_ptr<const Compiler> compiler_;
  std::shared_ptr<const Assembler> assembler_;
};

TEST_F(Assembled, FewValuesFitIntoRegistersManySpill) {
  const Resources few = of(8, 9, 0);
  const Resources many = of(96, 9, 0);
  EXPECT_EQ(few.architecture, 90);
  EXPECT_EQ(few.static_shared_bytes, 4096) << "without what the machine reserves";
  EXPECT_GT(few.registers, 8);
  EXPECT_EQ(few.spill_store_bytes, 0);
  EXPECT_EQ(many.registers, 64) << "1024 threads share 65536";
  EXPECT_GT(many.spill_store_bytes, 0);
  EXPECT_GT(many.spill_load_bytes, 0);
  EXPECT_GT(many.stack_bytes, 0);
}

TEST_F(Assembled, WhatTheCompilerNoLongerKnowsIsAssembledForItsTarget) {
  EXPECT_EQ(of(8, 7, 0).architecture, compiler_->target(7, 0)) << "a V100's kernels come for the oldest later architecture";
}

TEST_F(Assembled, BrokenPtxAndUnknownArchitecturesAreErrors) {
  const auto ptx = compiler_->compile(hungry(8), "k.cu", 9, 0);
  ASSERT_TRUE(ptx);
  const auto broken = assembler_->resources(ptx->substr(0, ptx->size() / 2), "k", 90);
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code, Error::Code::BadInput);
  EXPECT_FALSE(assembler_->resources(*ptx, "absent", 90));
  EXPECT_FALSE(assembler_->resources(*ptx, "k", 12)) << "no such machine";
  EXPECT_FALSE(assembler_->resources(*ptx, "k", 75)) << "the PTX is for later ones";
}

}  // namespace
}  // namespace seam::codegen
