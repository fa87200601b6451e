/// PTX that nobody here wrote: every kernel XLA compiled for our modules loads.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"
#include "sim/sim.h"

namespace seam::sim {
namespace {

TEST(Xla, EveryKernelLoads) {
  std::size_t loaded = 0;
  for (const char* archive : {"real", "oracle"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(std::filesystem::path(SEAM_UNPACKED) / archive)) {
      if (entry.path().extension() != ".ptx") continue;
      const auto text = read_file(entry.path());
      ASSERT_TRUE(text);
      const auto module = load_ptx(*text, entry.path().filename().string());
      EXPECT_TRUE(module) << describe(module.error());
      loaded += module ? kernels(**module).size() : 0;
    }
  }
  EXPECT_GT(loaded, 2380U);
}

}  // namespace
}  // namespace seam::sim
