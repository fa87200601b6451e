/// PTX text from anywhere: whatever it is, loading it gives a module or an error, and running what loads gives an outcome.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "sim/sim.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace seam::sim;
  const auto module = load_ptx({reinterpret_cast<const char*>(data), size}, "fuzz.ptx");
  if (!module) return 0;
  for (const KernelInfo& kernel : kernels(**module)) {
    Memory memory;
    const std::uint64_t buffer = memory.allocate(4096, "x");
    Launch launch;
    launch.kernel = kernel.name;
    launch.grid.x = 2;
    launch.block.x = 48;
    std::int64_t bytes = 0;
    for (const auto& p : kernel.parameters) bytes = std::max<std::int64_t>(bytes, std::int64_t{p.offset} + p.size);
    if (bytes > 4096) continue;
    launch.parameters.resize(static_cast<std::size_t>(bytes));
    for (const auto& p : kernel.parameters) {
      if (p.size == 8) std::memcpy(launch.parameters.data() + p.offset, &buffer, sizeof buffer);
    }
    Checks checks;
    checks.max_instructions = 10000;
    (void)seam::sim::launch(**module, memory, launch, checks);
  }
  return 0;
}
