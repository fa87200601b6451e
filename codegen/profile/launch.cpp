#include <algorithm>

#include "codegen/profile.h"

namespace seam::codegen {
namespace {

/// Blocks whose instructions tell what all of them take.
constexpr std::uint64_t kProbe = 4;

/// `count` of `all` blocks, evenly spread.
std::vector<std::uint64_t> spread(std::uint64_t all, std::uint64_t count) {
  std::vector<std::uint64_t> blocks;
  for (std::uint64_t i = 0; i < count; ++i) blocks.push_back(i * all / count);
  return blocks;
}

}  // namespace

LaunchProfile profile_launch(const sim::Dim3& grid, const ProfileRun& run, std::uint64_t most_instructions,
                             const std::function<std::string(const sim::Report&)>& rendered) {
  LaunchProfile out;
  out.grid = grid;
  out.blocks = std::uint64_t{grid.x} * grid.y * grid.z;
  // Values are not looked at and races were looked for at small shapes: bounds and counters are what large launches are run for.
  sim::Checks checks;
  checks.initialized = false;
  checks.races = false;
  // A warp seldom runs with fewer than four lanes: what takes longer does not end. Times twice, for the look at a few blocks costs as much at most.
  checks.max_instructions = most_instructions / 4;
  std::vector<std::uint64_t> blocks;
  if (out.blocks > kProbe && most_instructions > 0) {
    const auto probe = run(checks, spread(out.blocks, kProbe));
    if (!probe) {
      out.refusal = probe.error();
      return out;
    }
    const std::uint64_t each = std::max<std::uint64_t>(probe->counters.instructions / kProbe, 1);
    const std::uint64_t fits = std::max(most_instructions / each, kProbe);
    if (fits < out.blocks) blocks = spread(out.blocks, fits);
  }
  checks.profile = true;
  const auto outcome = run(checks, std::move(blocks));
  if (!outcome) {
    out.refusal = outcome.error();
    return out;
  }
  out.counters = outcome->counters;
  out.classes = outcome->profile;
  for (const sim::Report& report : outcome->reports) out.reports.push_back(rendered(report));
  return out;
}

}  // namespace seam::codegen
