#include <algorithm>

#include "codegen/profile.h"

namespace seam::codegen {
namespace {

/// Blocks whose instructions tell what all of them take.
constexpr std::uint64_t kProbe = 4;
/// Warp instructions of a few blocks after which a kernel is taken for one that does not end.
constexpr std::uint64_t kEndless = 100'000'000;

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
  if (most_instructions > 0) checks.max_instructions = kEndless;
  std::vector<std::uint64_t> blocks;
  if (out.blocks > kProbe && most_instructions > 0) {
    const auto probe = run(checks, spread(out.blocks, kProbe));
    if (!probe) {
      out.refusal = probe.error();
      return out;
    }
    if (std::ranges::any_of(probe->reports, [](const sim::Report& report) { return report.kind == "timeout"; })) {
      for (const sim::Report& report : probe->reports) out.reports.push_back(rendered(report));
      return out;
    }
    const std::uint64_t each = std::max<std::uint64_t>(probe->counters.instructions / kProbe, 1);
    const std::uint64_t fits = std::max(most_instructions / each, kProbe);
    if (fits < out.blocks) blocks = spread(out.blocks, fits);
  }
  // As much for every few blocks as the look at some had; of the budget, no more than warps with four lanes each would need.
  const std::uint64_t run_blocks = blocks.empty() ? out.blocks : blocks.size();
  if (most_instructions > 0) checks.max_instructions = std::max(kEndless, std::min(most_instructions / 4, kEndless * (run_blocks / kProbe)));
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
