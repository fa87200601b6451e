/// What each kernel does in one launch, at its own shape.
#include <atomic>

#include "base/parallel.h"
#include "codegen/inputs.h"
#include "foreign/bench.h"
#include "foreign/launch.h"

namespace seam::codegen {
namespace {

constexpr int kInputs = extra_set(Distribution::Usual);

std::int64_t static_shared(const ForeignKernel& kernel, const std::string& name) {
  if (kernel.module == nullptr) return 0;
  for (const sim::KernelInfo& info : sim::kernels(*kernel.module))
    if (info.name == name) return info.static_shared;
  return 0;
}

ForeignProfile profile(const ForeignProgram& program, const Job& job, std::uint64_t most_instructions) {
  Bench bench(program, job);
  bench.fill(kInputs);
  bench.place_results();
  ForeignProfile out{profile_launch(
                         job.launch->grid, [&](const sim::Checks& checks, std::vector<std::uint64_t> blocks) { return bench.launch(checks, std::move(blocks)); }, most_instructions,
                         [&](const sim::Report& report) { return rendered(*job.launch, report); }),
                     job.launch};
  out.block = job.launch->block;
  out.shared_bytes = job.launch->dynamic_shared + static_shared(program.kernels.at(job.launch->kernel), job.launch->kernel);
  return out;
}

}  // namespace

std::vector<ForeignProfile> profile_kernels(const ForeignProgram& program, const ProfileOptions& options, const Progress& progress) {
  const std::vector<Job> jobs = kernel_jobs(program);
  std::vector<ForeignProfile> out(jobs.size());
  std::atomic<std::size_t> done{0};
  parallel_for(jobs.size(), options.threads, [&](std::size_t i) {
    out[i] = profile(program, jobs[i], options.most_instructions);
    if (progress) progress(++done, jobs.size());
  });
  return out;
}

}  // namespace seam::codegen
