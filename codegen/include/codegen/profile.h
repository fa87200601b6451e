#pragma once
/// What one launch of a kernel does, counted on the simulator on seeded inputs: no values are compared, so it takes real shapes. The same figures
/// for our kernels and for those of other compilers (foreign.h).
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "codegen/program.h"
#include "sim/sim.h"

namespace seam::codegen {

struct ProfileOptions {
  /// Thread instructions per kernel; where a launch takes more, blocks spread evenly over the grid run and figures speak of them alone.
  std::uint64_t most_instructions = 8'000'000'000;
  std::size_t threads = 0;  ///< 0 = all cores
};

struct LaunchProfile {
  sim::Dim3 grid, block;
  std::int64_t shared_bytes = 0;  ///< static and dynamic
  sim::Counters counters;         ///< counters.blocks of them ran
  sim::Profile classes;           ///< the same instructions by class
  std::uint64_t blocks = 0;
  std::vector<std::string> reports;
  std::optional<Error> refusal;   ///< why it did not run
  [[nodiscard]] bool whole() const { return counters.blocks == blocks && !refusal; }
};

/// Kernels of a program in plan order; one that could not be compiled has a refusal. `progress` may be called from any thread.
[[nodiscard]] std::vector<LaunchProfile> profile_kernels(const Program& program, const ProfileOptions& options = {}, const Progress& progress = {});

/// Runs `launch` of all blocks, or of as many as the budget pays for. `run` performs one launch of some blocks (empty = all) and is called
/// once for a look at a few of them and once for the count.
using ProfileRun = std::function<Result<sim::Outcome>(const sim::Checks& checks, std::vector<std::uint64_t> blocks)>;
[[nodiscard]] LaunchProfile profile_launch(const sim::Dim3& grid, const ProfileRun& run, std::uint64_t most_instructions,
                                           const std::function<std::string(const sim::Report&)>& rendered);

}  // namespace seam::codegen
