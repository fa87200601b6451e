/// PTX that nobody here wrote: every kernel XLA compiled for our modules loads, and runs at its launch shape without a false alarm.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <set>
#include <sstream>

#include "base/files.h"
#include "device.h"

namespace seam::sim::test {
namespace {

namespace fs = std::filesystem;

TEST(Xla, EveryKernelLoads) {
  std::size_t loaded = 0;
  for (const char* archive : {"real", "oracle"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(SEAM_UNPACKED) / archive)) {
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

struct Row {
  std::string kernel;
  Dim3 grid, block;
  std::int64_t shared = 0;
  friend auto operator<=>(const Row& a, const Row& b) { return a.kernel <=> b.kernel; }
};

Dim3 dim3(std::string text) {
  std::ranges::replace(text, ',', ' ');
  Dim3 out;
  std::istringstream(text) >> out.x >> out.y >> out.z;
  return out;
}

/// The first launch of each kernel.
std::set<Row> launches(const fs::path& file) {
  std::set<Row> out;
  const auto text = read_file(file);
  EXPECT_TRUE(text) << file;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> fields;
    std::istringstream in(line);
    for (std::string field; std::getline(in, field, '\t');) fields.push_back(field);
    if (fields.size() < 8 || fields[2] != "kCustomKernel") continue;
    out.insert({fields[4], dim3(fields[5]), dim3(fields[6]), std::stoll(fields[7])});
  }
  return out;
}

/// Buffers that are large enough for every kernel at the oracle's shapes; what they hold means nothing. Indices read from them may point anywhere, so
/// accesses out of bounds say nothing here; all other reports are false alarms.
class Buffers {
 public:
  Buffers() {
    std::mt19937_64 random(11);
    std::uniform_real_distribution<float> uniform(0.5F, 1.5F);
    std::vector<float> numbers(kBytes / sizeof(float));
    for (float& x : numbers) x = uniform(random);
    for (int k = 0; k < kMost; ++k) addresses_.push_back(input(memory, "arg" + std::to_string(k), numbers, false));
  }
  Memory memory;
  [[nodiscard]] std::uint64_t operator[](std::size_t k) const { return addresses_.at(k); }

 private:
  static constexpr std::size_t kBytes = 4 << 20;
  static constexpr int kMost = 160;
  std::vector<std::uint64_t> addresses_;
};

std::vector<std::uint64_t> sample(const Dim3& grid) {
  const std::uint64_t count = std::uint64_t{grid.x} * grid.y * grid.z;
  if (count <= 4) return {};
  return {0, count / 3, count / 2, count - 1};
}

TEST(Xla, KernelsRunWithoutFalseAlarms) {
  Buffers buffers;
  std::size_t ran = 0;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(SEAM_UNPACKED) / "oracle")) {
    if (entry.path().filename() != "launches.tsv") continue;
    const fs::path folder = entry.path().parent_path();
    for (const Row& row : launches(entry.path())) {
      const auto text_of_ptx = read_file(folder / "ptx" / (row.kernel + ".ptx"));
      if (!text_of_ptx) continue;
      const auto module = load_ptx(*text_of_ptx, row.kernel + ".ptx");
      ASSERT_TRUE(module) << describe(module.error());
      Launch launch;
      launch.kernel = row.kernel;
      launch.grid = row.grid;
      launch.block = row.block;
      launch.dynamic_shared = row.shared;
      launch.blocks = sample(row.grid);
      Arguments arguments(**module, row.kernel);
      const KernelInfo info = kernels(**module).front();
      for (std::size_t k = 0; k < info.parameters.size(); ++k) {
        ASSERT_TRUE(info.parameters[k].pointer) << row.kernel;
        arguments.add(buffers[k]);
      }
      launch.parameters = arguments.bytes();
      Checks checks;
      checks.max_instructions = 50'000'000;
      const auto outcome = sim::launch(**module, buffers.memory, launch, checks);
      ASSERT_TRUE(outcome) << describe(outcome.error());
      ++ran;
      for (const Report& report : outcome->reports) {
        EXPECT_TRUE(report.kind == "out-of-bounds") << folder << " " << row.kernel << ": " << text(*outcome);
      }
    }
  }
  EXPECT_GT(ran, 1300U);
}

}  // namespace
}  // namespace seam::sim::test
