/// PTX that nobody here wrote: every kernel XLA compiled for our modules loads, or is refused for an instruction that is known to be
/// missing.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>

#include "base/files.h"
#include "sim/sim.h"

namespace seam::sim {
namespace {

TEST(Xla, KernelsLoadOrAreRefusedForAMissingInstruction) {
  std::size_t loaded = 0;
  std::map<std::string, std::size_t> refused;
  for (const char* archive : {"real", "oracle"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(std::filesystem::path(SEAM_UNPACKED) / archive)) {
      if (entry.path().extension() != ".ptx") continue;
      const auto text = read_file(entry.path());
      ASSERT_TRUE(text);
      const auto module = load_ptx(*text, entry.path().filename().string());
      if (module) {
        ++loaded;
        continue;
      }
      ASSERT_EQ(module.error().code, Error::Code::Unsupported) << describe(module.error());
      const std::string& message = module.error().message;
      const std::size_t begin = message.find("instruction ");
      ASSERT_NE(begin, std::string::npos) << describe(module.error());
      ++refused[message.substr(begin + 12, message.find(' ', begin + 12) - begin - 12)];
    }
  }
  EXPECT_GT(loaded, 2000U);
  std::size_t missing = 0;
  const std::set<std::string> known = {"ldmatrix", "stmatrix", "mma"};
  for (const auto& [opcode, count] : refused) {
    EXPECT_TRUE(known.contains(opcode)) << opcode << " in " << count << " kernels";
    missing += count;
  }
  EXPECT_LT(missing * 10, loaded) << "more than a tenth is refused";
}

}  // namespace
}  // namespace seam::sim
