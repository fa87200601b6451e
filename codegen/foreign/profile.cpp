/// What each kernel does in one launch, at its own shape.
#include <algorithm>

#include "base/parallel.h"
#include "foreign/bench.h"
#include "foreign/launch.h"

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

void profile(const ForeignProgram& program, const Job& job, const ProfileOptions& options, ForeignProfile& out) {
  out.launch = job.launch;
  const sim::Dim3 grid = job.launch->grid;
  out.blocks = std::uint64_t{grid.x} * grid.y * grid.z;
  Bench bench(program, job);
  bench.fill(1);  // positive numbers: no NaN sends a loop astray
  bench.place_results();
  // Values are not looked at and races were looked for at small shapes: bounds and counters are what large launches are run for.
  sim::Checks checks;
  checks.initialized = false;
  checks.races = false;
  std::vector<std::uint64_t> blocks;
  if (out.blocks > kProbe && options.most_instructions > 0) {
    const auto probe = bench.launch(checks, spread(out.blocks, kProbe));
    if (!probe) {
      out.refusal = probe.error();
      return;
    }
    const std::uint64_t each = std::max<std::uint64_t>(probe->counters.instructions / kProbe, 1);
    const std::uint64_t fits = std::max(options.most_instructions / each, kProbe);
    if (fits < out.blocks) blocks = spread(out.blocks, fits);
  }
  checks.profile = true;
  const auto outcome = bench.launch(checks, std::move(blocks));
  if (!outcome) {
    out.refusal = outcome.error();
    return;
  }
  out.counters = outcome->counters;
  out.classes = outcome->profile;
  for (const sim::Report& report : outcome->reports) out.reports.push_back(rendered(*job.launch, report));
}

}  // namespace

std::vector<ForeignProfile> profile_kernels(const ForeignProgram& program, const ProfileOptions& options) {
  const std::vector<Job> jobs = kernel_jobs(program);
  std::vector<ForeignProfile> out(jobs.size());
  parallel_for(jobs.size(), options.threads, [&](std::size_t i) { profile(program, jobs[i], options, out[i]); });
  return out;
}

}  // namespace seam::codegen
