// Kernels compiled together: each gets, byte for byte, what it gets alone; equal ones are compiled once; a broken one is told by its name.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>

#include "base/device.h"
#include "base/files.h"
#include "batch/canonical.h"
#include "batch/entries.h"
#include "codegen/program.h"
#include "graph/text.h"
#include "planner/planner.h"

namespace seam::codegen {
namespace {

/// Counts what a compiler is asked for.
struct Counting final : Compiler {
  explicit Counting(std::shared_ptr<const Compiler> real) : compiler(std::move(real)) {}
  Result<std::string> compile(std::string_view cuda, std::string_view file, int major, int minor) const override {
    ++runs;
    return compiler->compile(cuda, file, major, minor);
  }
  int target(int major, int minor) const override { return compiler->target(major, minor); }
  std::string version() const override { return compiler->version(); }

  std::shared_ptr<const Compiler> compiler;
  mutable std::atomic<int> runs{0};
};

std::string text(std::string_view name, std::string_view in, std::string_view value, std::string_view header = "") {
  return fmt::format("{0}\n__device__ __forceinline__ float twice(float value) {{ return value + value; }}\n\nextern \"C\" __global__ void __launch_bounds__(256) {1}(\n    const float* __restrict__ {2},\n"
                     "    float* __restrict__ out) {{\n  const int thread = (int)threadIdx.x;\n  const float {3} = {2}[thread];  // read\n  out[thread] = twice(expf({3}));\n}}\n",
                     header, name, in, value);
}

Built built(std::string name, std::string cuda) {
  Built out;
  out.source.name = std::move(name);
  out.source.cuda = std::move(cuda);
  return out;
}

std::vector<Built*> pointers(std::vector<Built>& kernels) {
  std::vector<Built*> out;
  for (Built& kernel : kernels) out.push_back(&kernel);
  return out;
}

class Batched : public testing::Test {
 protected:
  void SetUp() override {
    const auto found = Compiler::find();
    if (!found) GTEST_SKIP() << found.error().message;
    compiler_ = std::make_shared<const Counting>(*found);
  }
  std::shared_ptr<const Counting> compiler_;
  Device device_ = *device_named("h100");
};

TEST(CanonicalText, IsTheSameForKernelsThatDifferInNames) {
  const auto a = canonical(text("k1_add", "p_a", "a_1", "// first"), "k1_add");
  const auto b = canonical(text("k22_mul", "p_longer", "b", "// second\n// kernel"), "k22_mul");
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->key, b->key);
  EXPECT_EQ(a->key.find("p_a"), std::string::npos) << a->key;
  EXPECT_NE(a->key.find("expf"), std::string::npos) << a->key;
  const auto other = canonical(text("k1_add", "p_a", "p_a"), "k1_add");
  ASSERT_TRUE(other);
  EXPECT_NE(a->key, other->key) << "two names are not one";
}

TEST(CanonicalText, KnowsWhereItsTokensStoodBefore) {
  const std::string own = text("k1_add", "p_a", "a_1", "// one\n// two");
  const auto form = canonical(own, "k1_add");
  ASSERT_TRUE(form);
  for (const Piece* piece : {&form->helpers.front(), &form->kernel}) {
    for (const auto& [here, there] : piece->places) EXPECT_EQ(own_place(*piece, here), there);
  }
  EXPECT_EQ(own_place(form->helpers.front(), {1, 1}), (Place{3, 1}));
}

TEST(CanonicalText, NeedsTheEntry) {
  EXPECT_FALSE(canonical("", "k"));
  EXPECT_FALSE(canonical("__device__ int f() { return 1; }\n", "k"));
  EXPECT_FALSE(canonical("}}} {", "k"));
}

TEST(PtxEntries, WhatIsUnknownIsNotCut) {
  EXPECT_FALSE(ptx_entries(""));
  EXPECT_FALSE(ptx_entries(".version 9.0\n.address_size 64\n\n.func f()\n{\n\tret;\n}\n"));
  EXPECT_FALSE(ptx_entries(".version 9.0\n.address_size 64\n\n.visible .entry k(\n)\n{\n\tret;\n"));
  EXPECT_EQ(without_unused_variables("no PTX"), "no PTX");
}

TEST_F(Batched, EqualKernelsAreCompiledOnce) {
  std::vector<Built> kernels;
  for (int i = 0; i < 40; ++i) kernels.push_back(built(fmt::format("k{}_add", i), text(fmt::format("k{}_add", i), fmt::format("p{}", i), "a")));
  for (const Result<void>& result : compile(pointers(kernels), device_, *compiler_)) EXPECT_TRUE(result) << describe(result.error());
  EXPECT_EQ(compiler_->runs, 1);
  for (const Built& kernel : kernels) {
    const auto alone = compiler_->compile(kernel.source.cuda, kernel.source.name + ".cu", 9, 0);
    ASSERT_TRUE(alone);
    EXPECT_EQ(kernel.ptx, *alone);
    ASSERT_NE(kernel.module, nullptr);
    EXPECT_EQ(sim::kernels(*kernel.module).front().name, kernel.source.name);
  }
}

TEST_F(Batched, ABrokenKernelIsToldByItsNameAndTheOthersCompile) {
  std::vector<Built> kernels;
  for (int i = 0; i < 5; ++i) {
    const std::string name = fmt::format("k{}_add", i);
    kernels.push_back(built(name, text(name, "p", i == 3 ? "float" : "a", std::string(static_cast<std::size_t>(i), '\n'))));
    if (i == 4) kernels.back().source.cuda += "// no more";
  }
  std::vector<std::size_t> done;
  const Progress progress = [&](std::size_t n, std::size_t total) {
    done.push_back(n);
    EXPECT_EQ(total, 5U);
  };
  const auto results = compile(pointers(kernels), device_, *compiler_, {1, progress, {}});
  EXPECT_EQ(done, (std::vector<std::size_t>{1, 2, 3, 4, 5}));
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    EXPECT_EQ(results[i].has_value(), i != 3);
    EXPECT_EQ(kernels[i].module != nullptr, i != 3);
  }
  const std::string said = describe(results[3].error());
  EXPECT_NE(said.find("k3_add"), std::string::npos) << said;
  EXPECT_EQ(said.find("entry_"), std::string::npos) << "of the kernel's own text: " << said;
}

TEST_F(Batched, StopsWhenAsked) {
  std::vector<Built> kernels;
  kernels.push_back(built("k", text("k", "p", "a")));
  const auto results = compile(pointers(kernels), device_, *compiler_, {1, {}, [] { return true; }});
  ASSERT_FALSE(results[0]);
  EXPECT_EQ(results[0].error().code, Error::Code::Cancelled);
  EXPECT_EQ(compiler_->runs, 0);
}

/// Real modules: SEAM_ONLY=all takes every one of them.
TEST_F(Batched, EveryKernelGetsWhatItGetsAlone) {
  const char* only = std::getenv("SEAM_ONLY");
  for (const auto& entry : std::filesystem::directory_iterator(std::string(SEAM_TEST_DATA) + "/xla")) {
    const std::string name = entry.path().stem().string();
    if (entry.path().extension() != ".hlo" || !(only == nullptr ? name == "lr.step" || name == "dlrm.step" || name == "bert_layer.fwd" : std::string_view(only) == "all" || name == only)) continue;
    SCOPED_TRACE(name);
    const auto module = graph::read_graph(*read_file(entry.path()), name);
    ASSERT_TRUE(module);
    planner::PlanOptions options;
    options.device = device_;
    const auto graph = planner::prepared(*module, options);
    ASSERT_TRUE(graph);
    const auto plan = planner::make_plan(*graph, options);
    ASSERT_TRUE(plan);
    const int runs = compiler_->runs;
    const auto one = build(*graph, *plan, device_, *compiler_, {}, 1);
    ASSERT_TRUE(one) << describe(one.error());
    const auto many = build(*graph, *plan, device_, *compiler_, {}, 3);
    ASSERT_TRUE(many);
    const int together = (compiler_->runs - runs) / 2;
    int kernels = 0;
    for (std::size_t c = 0; c < one->kernels.size(); ++c) {
      for (std::size_t g = 0; g < one->kernels[c].size(); ++g, ++kernels) {
        const Built& kernel = one->kernels[c][g];
        const auto alone = compiler_->compile(kernel.source.cuda, kernel.source.name + ".cu", device_.compute_major, device_.compute_minor);
        ASSERT_TRUE(alone);
        EXPECT_TRUE(kernel.ptx == *alone) << kernel.source.name;
        EXPECT_TRUE(kernel.ptx == many->kernels[c][g].ptx) << kernel.source.name;
      }
    }
    EXPECT_LE(together, (kernels + 15) / 16) << "kernels were compiled one by one: the text of one is not understood";
  }
}

}  // namespace
}  // namespace seam::codegen
