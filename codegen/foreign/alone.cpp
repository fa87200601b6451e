/// Kernels alone, on seeded inputs.
#include <fmt/core.h>

#include "base/parallel.h"
#include "foreign/alone.h"
#include "foreign/bench.h"
#include "foreign/kernel_check.h"
#include "foreign/launch.h"

namespace seam::codegen {
namespace {

/// One launch on one set of inputs.
void run_once(const ForeignProgram& program, const Job& job, const FusionReference& reference, int set, const sim::Checks& checks,
              ForeignCheck& check) {
  Bench bench(program, job);
  bench.fill(set);
  const auto stop = [&](Outcome outcome, std::string reason) {
    check.outcome = outcome;
    check.reason = std::move(reason);
  };
  bench.place_results();
  const auto outcome = bench.launch(checks);
  check.simulated = outcome ? Outcome::Failed : Outcome::Inconclusive;
  if (!outcome) return stop(Outcome::Inconclusive, describe(outcome.error()));
  check.counters = outcome->counters;
  if (!outcome->reports.empty()) return stop(Outcome::Failed, rendered(*job.launch, outcome->reports.front()));
  if (const std::string fault = bench.fault(); !fault.empty()) return stop(Outcome::Failed, fault);
  check.simulated = Outcome::Passed;
  reference.compare(*job.computation, *job.op, bench.operands(), bench.results(), check);
}

}  // namespace

ForeignCheck check_alone(const ForeignProgram& program, const graph::Computation& computation, const graph::Op& op, const ForeignLaunch& launch,
                         const sim::Checks& checks) {
  ForeignCheck check{.instruction = op.name, .kernel = launch.kernel, .reason = {}, .counters = {}};
  const FusionReference reference(program);
  const Job job{&launch, &computation, &op};
  for (int set = 0; set < 2; ++set) {
    run_once(program, job, reference, set, checks, check);
    if (check.outcome != Outcome::Passed) break;
  }
  return check;
}

std::vector<ForeignCheck> check_kernels(const ForeignProgram& program, const sim::Checks& checks, std::size_t threads) {
  const std::vector<Job> jobs = kernel_jobs(program);
  std::vector<ForeignCheck> out(jobs.size());
  parallel_for(jobs.size(), threads,
               [&](std::size_t i) { out[i] = check_alone(program, *jobs[i].computation, *jobs[i].op, *jobs[i].launch, checks); });
  return out;
}

}  // namespace seam::codegen
