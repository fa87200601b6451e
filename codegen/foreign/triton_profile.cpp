/// What the launches of an Inductor graph do, each distinct one counted once.
#include <fmt/core.h>

#include <algorithm>
#include <atomic>

#include "base/parallel.h"
#include "codegen/triton.h"

namespace seam::codegen {
namespace {

/// Arguments with buffers numbered in order of appearance: which buffer it is does not matter, which ones are the same does.
bool same_work(const TritonGraph& graph, const TritonStep& a, const TritonStep& b) {
  if (a.name != b.name || a.grid != b.grid || a.block != b.block || a.dynamic_shared != b.dynamic_shared || a.arguments.size() != b.arguments.size()) return false;
  std::map<std::size_t, std::size_t> there, back;
  for (std::size_t k = 0; k < a.arguments.size(); ++k) {
    const auto* one = std::get_if<TritonView>(&a.arguments[k].value);
    const auto* other = std::get_if<TritonView>(&b.arguments[k].value);
    if (one == nullptr || other == nullptr) {
      if (a.arguments[k].value != b.arguments[k].value) return false;
      continue;
    }
    if (graph.buffers[one->buffer] != graph.buffers[other->buffer] || one->role != other->role || one->dtype != other->dtype || one->offset != other->offset) return false;
    if (there.try_emplace(one->buffer, other->buffer).first->second != other->buffer) return false;
    if (back.try_emplace(other->buffer, one->buffer).first->second != one->buffer) return false;
  }
  return true;
}

std::vector<TritonProfile> distinct_launches(const TritonGraph& graph) {
  std::vector<TritonProfile> out;
  for (const TritonStep& step : graph.steps) {
    if (step.kind != TritonKind::Launch) continue;
    const auto found = std::ranges::find_if(out, [&](const TritonProfile& one) { return same_work(graph, *one.step, step); });
    if (found != out.end()) {
      ++found->times;
      found->steps.push_back(&step);
      continue;
    }
    TritonProfile& one = out.emplace_back();
    one.step = &step;
    one.steps = {&step};
    one.times = 1;
  }
  return out;
}

/// Each launch begins with the same memory: a look at a few blocks must not change what the count sees.
LaunchProfile counted(const TritonGraph& graph, const TritonStep& step, const sim::Module& module, const TritonOptions& options) {
  std::int64_t shared_bytes = 0;
  LaunchProfile out = profile_launch(
      step.grid,
      [&](const sim::Checks& checks, std::vector<std::uint64_t> blocks) -> Result<sim::Outcome> {
        SEAM_TRY(TritonRun run, triton_run(graph, step, module, options.target, options.seed));
        run.launch.blocks = std::move(blocks);
        shared_bytes = run.launch.dynamic_shared;
        return sim::launch(module, run.memory, run.launch, checks);
      },
      options.most_instructions, [&](const sim::Report& report) { return fmt::format("kernel {}: {}: {} (PTX line {})", step.name, report.kind, report.message, report.ptx_line); });
  for (const sim::KernelInfo& info : sim::kernels(module))
    if (info.name == step.name) out.shared_bytes = shared_bytes + info.static_shared;
  return out;
}

void profile(const TritonGraph& graph, const std::filesystem::path& folder, const TritonOptions& options, TritonProfile& out) {
  const TritonStep& step = *out.step;
  const auto module = load_triton_kernel(graph, step.name, folder, options.target);
  if (module) {
    static_cast<LaunchProfile&>(out) = counted(graph, step, **module, options);
  } else {
    out.refusal = module.error();
  }
  out.grid = step.grid;
  out.block = step.block;
}

}  // namespace

Result<std::vector<TritonProfile>> profile_triton(const TritonGraph& graph, const std::filesystem::path& folder, const TritonOptions& options, const Progress& progress) {
  std::vector<TritonProfile> out = distinct_launches(graph);
  std::atomic<std::size_t> done{0};
  parallel_for(out.size(), options.threads, [&](std::size_t i) {
    profile(graph, folder, options, out[i]);
    if (progress) progress(++done, out.size());
  });
  for (const TritonProfile& one : out) {
    if (one.refusal && one.refusal->code != Error::Code::Unsupported) return tl::unexpected(*one.refusal);
  }
  return out;
}

}  // namespace seam::codegen
