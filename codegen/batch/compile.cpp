// Every kernel of a program to PTX: what is equal up to names once, and several kernels in one run of the compiler.
#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <span>
#include <unordered_map>
#include <utility>

#include "base/parallel.h"
#include "batch/batch.h"
#include "codegen/program.h"

namespace seam::codegen {
namespace {

/// One run of the compiler costs 17 ms before it reads a kernel [measured]; more kernels in one leave fewer runs to do side by side. The same for
/// any number of threads.
constexpr std::size_t kKernelsInBatch = 16;

/// Kernels that are one up to names, as indices; the first has the canonical text that is compiled.
using Equal = std::vector<std::size_t>;

/// Those without a canonical text are alone.
std::vector<Equal> equal_kernels(const std::vector<std::optional<Canonical>>& forms) {
  std::vector<Equal> out;
  std::unordered_map<std::string_view, std::size_t> by_key;
  for (std::size_t i = 0; i < forms.size(); ++i) {
    const auto [at, first] = forms[i] ? by_key.try_emplace(forms[i]->key, out.size()) : std::pair{by_key.end(), true};
    if (first) {
      out.push_back({i});
    } else {
      out[at->second].push_back(i);
    }
  }
  return out;
}

std::string file_of(const Built& built) { return built.source.name + ".cu"; }

Result<void> decode(Built& built) {
  SEAM_TRY(built.module, during(fmt::format("reading the PTX of kernel {}", built.source.name), sim::load_ptx(built.ptx, built.source.name + ".ptx")));
  return {};
}

struct Work {
  std::span<Built* const> kernels;
  const Device& device;
  const Compiler& compiler;
  std::vector<std::optional<Canonical>> forms;
};

/// The PTX of all in one run; false: nothing was done.
bool compile_together(const Work& work, std::span<const Equal> equal) {
  std::vector<const Canonical*> texts;
  for (const Equal& group : equal) {
    const std::optional<Canonical>& form = work.forms[group.front()];
    if (!form) return false;
    texts.push_back(&*form);
  }
  Batch batch(texts);
  const auto ptx = work.compiler.compile(batch.text(), "batch.cu", work.device.compute_major, work.device.compute_minor);
  if (!ptx || !batch.take(*ptx)) return false;
  for (std::size_t i = 0; i < equal.size(); ++i) {
    for (const std::size_t k : equal[i]) work.kernels[k]->ptx = batch.ptx(i, *work.forms[k], work.kernels[k]->source.name, file_of(*work.kernels[k]));
  }
  return true;
}

}  // namespace

Result<void> compile(Built& built, const Device& device, const Compiler& compiler) {
  SEAM_TRY(built.ptx, during(fmt::format("compiling kernel {}", built.source.name),
                             compiler.compile(built.source.cuda, file_of(built), device.compute_major, device.compute_minor)));
  return decode(built);
}

std::vector<Result<void>> compile(std::span<Built* const> kernels, const Device& device, const Compiler& compiler, const Jobs& jobs) {
  Work work{kernels, device, compiler, {}};
  for (const Built* built : kernels) work.forms.push_back(canonical(built->source.cuda, built->source.name));
  const std::vector<Equal> equal = equal_kernels(work.forms);
  std::vector<Result<void>> results(kernels.size());
  std::atomic<std::size_t> done{0};
  parallel_for((equal.size() + kKernelsInBatch - 1) / kKernelsInBatch, jobs.threads, [&](std::size_t b) {
    const std::size_t begin = b * kKernelsInBatch;
    const std::span<const Equal> batch = std::span(equal).subspan(begin, std::min(kKernelsInBatch, equal.size() - begin));
    const bool cancelled = jobs.cancelled && jobs.cancelled();
    const bool together = !cancelled && compile_together(work, batch);
    for (const Equal& group : batch) {
      for (const std::size_t i : group) {
        // Where one is broken, each says so of itself.
        results[i] = cancelled ? fail(Error::Code::Cancelled, "stopped before it was compiled") : together ? decode(*kernels[i]) : compile(*kernels[i], device, compiler);
        if (jobs.progress) jobs.progress(++done, kernels.size());
      }
    }
  });
  return results;
}

}  // namespace seam::codegen
