/// Kernels with one planted bug each, and correct twins. What the checks must say about each is written down here.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>

#include "device.h"

namespace seam::sim {
namespace {

std::string read(const std::string& name) {
  std::ifstream in(std::string(SEAM_TEST_DIR) + "/kernels/" + name);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

struct Expected {
  std::string kind;  ///< empty: no report at all
  std::int64_t unwritten = 0;
};

const std::map<std::string, Expected>& expectations() {
  static const std::map<std::string, Expected> all = {
      {"ok_reverse", {"", 0}},
      {"ok_syncwarp", {"", 0}},
      {"ok_lastblock", {"", 0}},
      {"bug_missing_barrier", {"race-shared", 0}},
      {"bug_war", {"race-shared", 0}},
      {"bug_missing_syncwarp", {"race-shared", 0}},
      {"bug_uninit_shared", {"uninitialized", 0}},
      {"bug_oob_read", {"out-of-bounds", 0}},
      {"bug_oob_write", {"out-of-bounds", 0}},
      {"bug_oob_shared", {"out-of-bounds", 0}},
      {"bug_misaligned", {"misaligned", 0}},
      {"bug_block_overlap", {"race-global", 0}},
      {"bug_divergent_barrier", {"divergent-barrier", 0}},
      {"bug_barrier_early_exit", {"divergent-barrier", 0}},
      {"bug_shfl_partial", {"deadlock", 0}},
      {"bug_shfl_badmask", {"shuffle", 0}},
      {"bug_uninit_global", {"uninitialized", 0}},
      {"bug_lastblock_nofence", {"race-global", 0}},
      {"bug_nonatomic_acc", {"race-global", 0}},
      {"bug_partial_write", {"", 4}},   // only the count of unwritten bytes shows it
      {"bug_wrong_index", {"", 0}},     // only the values show it
      {"bug_local_uninit", {"", 0}},    // the compiler folds the undefined value away
  };
  return all;
}

class Planted : public testing::TestWithParam<int> {};

TEST_P(Planted, EachIsReportedForWhatItIs) {
  if (!test::nvrtc().available()) GTEST_SKIP() << "SKIP: no NVRTC: planted bugs not checked";
  const std::string ptx = test::nvrtc().ptx(read("bugs.cuh"), "bugs.cu", GetParam(),
                                            {"--generate-line-info"});
  if (ptx.empty()) GTEST_SKIP() << "SKIP: this NVRTC does not compile for compute_" << GetParam();
  const auto module = test::load(ptx, "bugs.ptx");
  ASSERT_TRUE(module);
  std::size_t seen = 0;
  for (const KernelInfo& kernel : kernels(*module)) {
    SCOPED_TRACE(kernel.name);
    const auto expected = expectations().find(kernel.name);
    ASSERT_NE(expected, expectations().end());
    ++seen;
    for (const std::uint64_t seed : {0U, 1U, 2U}) {
      Memory memory;
      std::vector<float> x(512);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i + 1);
      const auto a = test::input(memory, "x", x);
      const auto b = test::output<float>(memory, "y", 512);
      Launch launch;
      launch.kernel = kernel.name;
      launch.grid.x = 2;
      launch.block.x = 256;
      launch.parameters = test::Arguments(*module, kernel.name).add(a).add(b).add(512).bytes();
      Checks checks;
      checks.seed = seed;
      const auto outcome = sim::launch(*module, memory, launch, checks);
      ASSERT_TRUE(outcome) << describe(outcome.error());
      if (expected->second.kind.empty()) {
        EXPECT_TRUE(outcome->clean()) << test::text(*outcome);
        EXPECT_EQ(memory.unwritten_bytes(b), expected->second.unwritten);
      } else {
        ASSERT_FALSE(outcome->clean()) << "seed " << seed;
        bool found = false;
        for (const Report& report : outcome->reports) found |= report.kind == expected->second.kind;
        EXPECT_TRUE(found) << test::text(*outcome);
        EXPECT_GT(outcome->reports[0].line, 0) << "no source line";
        EXPECT_TRUE(outcome->reports[0].file.ends_with("bugs.cu")) << outcome->reports[0].file;
      }
    }
  }
  EXPECT_EQ(seen, expectations().size());
}

INSTANTIATE_TEST_SUITE_P(Compute, Planted, testing::Values(75, 80, 90, 100));

}  // namespace
}  // namespace seam::sim
