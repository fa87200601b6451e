/// The same PTX on a real GPU and on the simulator, outputs compared: the simulator's calibration. Without a driver it says SKIP
/// aloud and exits 77. A planted bug may end the context or hang, so every case runs in a process of its own.
///   gpu_check              all cases
///   gpu_check --list       their numbers and names
///   gpu_check --case N     one (what a child process does; also for compute-sanitizer and ncu)
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "cases.h"
#include "driver.h"
#include "sim/sim.h"
#include "support/nvrtc.h"

namespace seam::gpu {
namespace {

constexpr int kSkip = 77;
constexpr unsigned kSeconds = 60;

enum Status : int { kEqual = 0, kDifferent = 1, kFault = 2, kBroken = 3 };

std::vector<std::byte> fill(const Argument& argument, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0, argument.scale == 0 ? 1 : argument.scale);
  const auto step = static_cast<std::size_t>(bytes(argument.dtype));
  std::vector<std::byte> out(argument.elements * step);
  if (argument.kind == Argument::Kind::Output) std::memset(out.data(), 0xff, out.size());
  if (argument.kind != Argument::Kind::Input || argument.scale == 0) return out;
  for (std::size_t i = 0; i < argument.elements; ++i) store_from_double(argument.dtype, out.data() + i * step, normal(random));
  return out;
}

std::string ptx_of(const Case& one, int major, int minor) {
  std::ifstream in(std::string(SEAM_SIM_KERNELS) + "/" + one.file);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  test::Nvrtc nvrtc;
  if (!nvrtc.available()) return {};
  return nvrtc.ptx(text, one.file, major * 10 + minor, {"--generate-line-info"});
}

struct Ran {
  std::vector<std::vector<std::byte>> buffers;  ///< by argument
  std::string fault;                            ///< the GPU's error, or the simulator's first report
};

Ran on_gpu(Driver& driver, const Case& one, const std::string& ptx) {
  Ran ran;
  void* function = nullptr;
  if (const int e = driver.load(ptx.c_str(), one.kernel.c_str(), function)) {
    ran.fault = "loading: " + driver.name_of(e);
    return ran;
  }
  std::vector<std::uint64_t> values(one.arguments.size());
  std::vector<void*> pointers;
  for (std::size_t k = 0; k < one.arguments.size(); ++k) {
    const Argument& argument = one.arguments[k];
    values[k] = argument.bits;
    ran.buffers.push_back(argument.kind == Argument::Kind::Value ? std::vector<std::byte>() : fill(argument, k));
    if (argument.kind != Argument::Kind::Value) {
      driver.allocate(values[k], ran.buffers[k].size());
      driver.to_device(values[k], ran.buffers[k].data(), ran.buffers[k].size());
    }
    pointers.push_back(&values[k]);
  }
  const int e = driver.run(function, one.grid, one.block, one.shared, one.cooperative, pointers.data());
  if (e != 0) ran.fault = driver.name_of(e);
  for (std::size_t k = 0; k < one.arguments.size(); ++k) {
    if (!ran.buffers[k].empty()) driver.to_host(ran.buffers[k].data(), values[k], ran.buffers[k].size());
  }
  return ran;
}

Ran on_simulator(const Case& one, const std::string& ptx) {
  Ran ran;
  const auto module = sim::load_ptx(ptx, one.file, one.kernel);
  if (!module) {
    ran.fault = describe(module.error());
    return ran;
  }
  sim::Memory memory;
  sim::Launch launch;
  launch.kernel = one.kernel;
  launch.grid = {one.grid[0], one.grid[1], one.grid[2]};
  launch.block = {one.block[0], one.block[1], one.block[2]};
  launch.dynamic_shared = one.shared;
  launch.cooperative = one.cooperative;
  const sim::KernelInfo info = sim::kernels(**module)[0];
  std::vector<std::uint64_t> values(one.arguments.size());
  for (std::size_t k = 0; k < one.arguments.size(); ++k) {
    const Argument& argument = one.arguments[k];
    values[k] = argument.bits;
    if (argument.kind != Argument::Kind::Value) {
      const std::vector<std::byte> data = fill(argument, k);
      values[k] = memory.allocate(static_cast<std::int64_t>(data.size()), info.parameters[k].name);
      if (argument.kind == Argument::Kind::Output) {
        memory.set_initialized(values[k], false);
      } else {
        std::memcpy(memory.bytes(values[k]).data(), data.data(), data.size());
        memory.set_initialized(values[k], true);
      }
    }
    const auto offset = static_cast<std::size_t>(info.parameters[k].offset);
    const auto size = static_cast<std::size_t>(info.parameters[k].size);
    launch.parameters.resize(offset + size);
    std::memcpy(launch.parameters.data() + offset, &values[k], size);
  }
  const auto outcome = sim::launch(**module, memory, launch);
  if (!outcome) {
    ran.fault = describe(outcome.error());
    return ran;
  }
  if (!outcome->clean()) ran.fault = outcome->reports[0].kind + ": " + outcome->reports[0].message;
  for (std::size_t k = 0; k < one.arguments.size(); ++k) {
    ran.buffers.emplace_back();
    if (one.arguments[k].kind == Argument::Kind::Value) continue;
    const auto view = memory.bytes(values[k]);
    ran.buffers[k].assign(view.begin(), view.end());
  }
  return ran;
}

/// The largest |a - b| / (1 + |b|); NaN against NaN is 0.
double distance(const Case& one, const Ran& simulated, const Ran& real) {
  double worst = 0;
  for (std::size_t k = 0; k < one.arguments.size(); ++k) {
    const Argument& argument = one.arguments[k];
    if (argument.kind == Argument::Kind::Value || argument.kind == Argument::Kind::Input) continue;
    const auto step = static_cast<std::size_t>(bytes(argument.dtype));
    for (std::size_t i = 0; i < argument.elements; ++i) {
      const double a = load_as_double(argument.dtype, simulated.buffers[k].data() + i * step);
      const double b = load_as_double(argument.dtype, real.buffers[k].data() + i * step);
      if (std::isnan(a) && std::isnan(b)) continue;
      const double error = std::fabs(a - b) / (1 + std::fabs(b));
      if (!(error <= worst)) worst = error;
    }
  }
  return worst;
}

int run_case(Driver& driver, const Case& one) {
  std::string name;
  int major = 0;
  int minor = 0;
  if (const int e = driver.open(name, major, minor)) {
    std::printf("no context: %s\n", driver.name_of(e).c_str());
    return kBroken;
  }
  const std::string ptx = ptx_of(one, major, minor);
  if (ptx.empty()) {
    std::printf("no NVRTC, or it does not know compute capability %d.%d\n", major, minor);
    return kBroken;
  }
  const Ran simulated = on_simulator(one, ptx);
  const Ran real = on_gpu(driver, one, ptx);
  const bool ran = simulated.buffers.size() == one.arguments.size() && real.buffers.size() == one.arguments.size() && real.fault.empty();
  const double error = ran ? distance(one, simulated, real) : HUGE_VAL;
  const bool good = ran && simulated.fault.empty() && error <= one.tolerance;
  std::printf("%-24s grid %4u: %s", one.kernel.c_str(), one.grid[0] * one.grid[1] * one.grid[2], one.planted ? "planted" : good ? "equal  " : "DIFFERS");
  if (ran) std::printf(", max error %.3g", error);
  if (!real.fault.empty()) std::printf(", GPU: %s", real.fault.c_str());
  std::printf(", simulator: %s\n", simulated.fault.empty() ? "nothing to report" : simulated.fault.c_str());
  if (one.planted) return real.fault.empty() ? kEqual : kFault;
  return good ? kEqual : kDifferent;
}

/// Runs this program again for one case; a planted bug may take the process with it.
int run_child(const char* self, std::size_t index) {
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(kSeconds);
    const std::string number = std::to_string(index);
    ::execl(self, self, "--case", number.c_str(), nullptr);
    std::_Exit(kBroken);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : kFault;
}

int main_of(int argc, char** argv) {
  const std::vector<Case> cases = all_cases();
  if (argc == 2 && std::strcmp(argv[1], "--list") == 0) {
    for (std::size_t i = 0; i < cases.size(); ++i) std::printf("%zu %s\n", i, cases[i].kernel.c_str());
    return 0;
  }
  // The driver is only looked for here: a context does not survive a fork.
  Driver driver;
  if (!driver.usable()) {
    std::printf("SKIP: no GPU to compare the simulator with (%s)\n", driver.why().c_str());
    return kSkip;
  }
  if (argc == 3 && std::strcmp(argv[1], "--case") == 0) {
    const auto index = static_cast<std::size_t>(std::strtoul(argv[2], nullptr, 10));
    return index < cases.size() ? run_case(driver, cases[index]) : kBroken;
  }
  int differing = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const int status = run_child("/proc/self/exe", i);
    if (!cases[i].planted && status != kEqual) {
      ++differing;
      if (status != kDifferent) std::printf("%-24s ended with status %d\n", cases[i].kernel.c_str(), status);
    }
  }
  std::printf("%zu cases, %d differ\n", cases.size(), differing);
  return differing == 0 ? 0 : 1;
}

}  // namespace
}  // namespace seam::gpu

int main(int argc, char** argv) { return seam::gpu::main_of(argc, argv); }
