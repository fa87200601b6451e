// Programs that once failed although every kernel was right, or that could be planned and not written: found/*.hlo.
#include <gtest/gtest.h>

#include <filesystem>

#include "codegen/prove.h"
#include "programs.h"

namespace seam::codegen::test {
namespace {

TEST(Found, ProgramsThatOnceFailedPass) {
  const auto nvrtc = compiler();
  if (!nvrtc) GTEST_SKIP() << "no NVRTC: kernels are neither compiled nor proven";
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(SEAM_TEST_DIR) / "found")) {
    SCOPED_TRACE(entry.path().filename().string());
    ++files;
    const auto it = planned(entry.path(), "stitch", *nvrtc);
    const auto verdicts = prove_all(it->program);
    ASSERT_TRUE(verdicts) << describe(verdicts.error());
    EXPECT_FALSE(verdicts->empty());
    for (const Verdict& v : *verdicts) EXPECT_EQ(v.outcome(), Outcome::Passed) << v.kernel << ": " << v.ir.detail << v.sim.detail << v.values.detail;
  }
  EXPECT_GE(files, 3U);
}

}  // namespace
}  // namespace seam::codegen::test
