/// Softmax over 1024 rows of 1024 with all checks on: the simulator against its prototype, in one run. Prints the ratio of the two
/// rates; machines are noisy, so only the ratio means something.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "prototype_softmax.h"
#include "sim/sim.h"
#include "support/nvrtc.h"

namespace seam::bench {
namespace {

constexpr int kRows = 1024;
constexpr int kColumns = 1024;

const std::string& softmax_ptx() {
  static const std::string ptx = [] {
    std::ifstream in(SEAM_SIM_KERNELS);
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    test::Nvrtc nvrtc;
    return nvrtc.available() ? nvrtc.ptx(text, "kernels.cu", 90) : std::string();
  }();
  return ptx;
}

std::vector<float> numbers() {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> out(std::size_t{kRows} * kColumns);
  for (float& x : out) x = normal(random);
  return out;
}

void count_elements(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations() * kRows * kColumns);
}

/// Arg 0: counters only; 1: all checks.
void simulator(benchmark::State& state) {
  if (softmax_ptx().empty()) return state.SkipWithError("no NVRTC");
  const auto module = sim::load_ptx(softmax_ptx(), "softmax.ptx", "k_softmax");
  if (!module) return state.SkipWithError(describe(module.error()).c_str());
  sim::Memory memory;
  const std::vector<float> x = numbers();
  const auto bytes = static_cast<std::int64_t>(x.size() * sizeof(float));
  const std::uint64_t in = memory.allocate(bytes, "x");
  const std::uint64_t out = memory.allocate(bytes, "y");
  std::memcpy(memory.bytes(in).data(), x.data(), x.size() * sizeof(float));
  memory.set_initialized(in, true);
  memory.set_read_only(in, true);
  sim::Launch launch;
  launch.kernel = "k_softmax";
  launch.grid.x = kRows;
  launch.block.x = 256;
  launch.dynamic_shared = (kColumns + 32) * 4;
  launch.parameters.resize(20);
  std::memcpy(launch.parameters.data(), &in, 8);
  std::memcpy(launch.parameters.data() + 8, &out, 8);
  std::memcpy(launch.parameters.data() + 16, &kColumns, 4);
  sim::Checks checks;
  checks.races = checks.initialized = state.range(0) != 0;
  for (auto _ : state) {
    const auto outcome = sim::launch(**module, memory, launch, checks);
    if (!outcome || !outcome->clean()) return state.SkipWithError("softmax is reported");
  }
  count_elements(state);
}

void prototype(benchmark::State& state) {
  if (softmax_ptx().empty()) return state.SkipWithError("no NVRTC");
  std::vector<float> x = numbers();
  std::vector<float> y(x.size());
  PrototypeSoftmax softmax(softmax_ptx(), x, y, kRows, kColumns, state.range(0) != 0);
  for (auto _ : state) softmax.run();
  count_elements(state);
}

BENCHMARK(simulator)->Arg(1)->Arg(0)->Repetitions(5)->MeasureProcessCPUTime()->Unit(benchmark::kMillisecond);
BENCHMARK(prototype)->Arg(1)->Arg(0)->Repetitions(5)->MeasureProcessCPUTime()->Unit(benchmark::kMillisecond);

/// Keeps the best time of each variant.
class Best : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration || run.error_occurred) continue;
      const std::string name = run.run_name.function_name + "/" + run.run_name.args;
      const double time = run.GetAdjustedCPUTime();
      const auto [at, fresh] = best_.try_emplace(name, time);
      if (!fresh) at->second = std::min(at->second, time);
    }
  }
  void print_ratios() const {
    for (const char* checks : {"1", "0"}) {
      const auto ours = best_.find(std::string("simulator/") + checks);
      const auto theirs = best_.find(std::string("prototype/") + checks);
      if (ours == best_.end() || theirs == best_.end()) continue;
      std::printf("softmax, %s: %.2f times the prototype's rate (%.1f M elements/s)\n",
                  checks[0] == '1' ? "all checks" : "counters only", theirs->second / ours->second,
                  kRows * kColumns / ours->second / 1e3);
    }
  }

 private:
  std::map<std::string, double> best_;
};

}  // namespace
}  // namespace seam::bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  seam::bench::Best reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  reporter.print_ratios();
}
