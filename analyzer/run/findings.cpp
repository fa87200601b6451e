#include "analyzer/findings.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "base/units.h"

namespace seam::analyzer {
namespace {

std::string time(std::int64_t ns) { return human_microseconds(static_cast<double>(ns) / 1e3); }
std::string percent(std::int64_t part, std::int64_t whole) { return human_percent(static_cast<double>(part), static_cast<double>(whole)); }

/// Figures that several rules share, summed over devices.
struct Sums {
  std::int64_t wall = 0, busy = 0;
  std::array<std::int64_t, kIdleCauses> idle{};
  std::int64_t device_ns = 0;  ///< durations of all work
  [[nodiscard]] std::int64_t of(IdleCause cause) const { return idle[static_cast<std::size_t>(cause)]; }
  [[nodiscard]] std::int64_t host() const { return of(IdleCause::HostCalls) + of(IdleCause::HostOps) + of(IdleCause::HostPython) + of(IdleCause::HostUnrecorded); }
  [[nodiscard]] std::int64_t launching() const { return of(IdleCause::LaunchCall) + of(IdleCause::LaunchLatency); }
};
Sums sums_of(const RunFacts& facts) {
  Sums out;
  for (const Occupation& one : facts.occupation) {
    out.wall += one.wall_ns;
    out.busy += one.busy_ns;
    for (std::size_t c = 0; c < kIdleCauses; ++c) out.idle[c] += one.idle[c];
  }
  for (const ClassShare& share : facts.shares) out.device_ns += share.ns;
  return out;
}
std::int64_t class_ns(const RunFacts& facts, graph::WorkClass work) {
  const auto at = std::ranges::find(facts.shares, work, &ClassShare::work);
  return at == facts.shares.end() ? 0 : at->ns;
}
bool holds(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// Sum over names that fit.
template <class Fits>
KernelShare sum_where(const RunFacts& facts, Fits&& fits) {
  KernelShare out;
  for (const KernelShare& one : facts.kernels) {
    if (!fits(one, facts.timeline.names[one.name])) continue;
    out.launches += one.launches;
    out.ns += one.ns;
  }
  return out;
}

using Found = std::optional<Finding>;
using Rule = Found (*)(const RunFacts&, const Sums&);

bool most(std::int64_t part, std::int64_t whole, double share) { return whole > 0 && static_cast<double>(part) >= share * static_cast<double>(whole); }

Found launch_bound(const RunFacts& facts, const Sums& s) {
  const std::int64_t part = s.host() + s.launching();
  if (facts.launches.linked == 0 || !most(part, s.wall, 0.15)) return {};
  return Finding{"launch-bound", fmt::format("devices wait for the host to launch: {} ({} of their wall time), {} in launch calls and their latency", time(part), percent(part, s.wall), time(s.launching())),
                 "replay the step as one CUDA graph: torch.compile(mode=\"reduce-overhead\"), torch.cuda.make_graphed_callables, jax.jit over the whole step", Effort::Line, part, s.wall, s.launching(), part};
}
Found python_bound(const RunFacts&, const Sums& s) {
  const std::int64_t part = s.of(IdleCause::HostPython);
  if (!most(part, s.wall, 0.10)) return {};
  return Finding{"python-bound", fmt::format("devices are idle for {} ({}) while Python or annotated code runs between ops", time(part), percent(part, s.wall)), "compile the model (torch.compile), or move the work out of the step: data preparation, logging, metrics",
                 Effort::Line, part, s.wall, 0, part};
}
Found host_waits(const RunFacts& facts, const Sums& s) {
  std::int64_t returns = 0, count = 0;
  for (const PathPiece& piece : facts.path.pieces) {
    if (piece.kind != PathKind::Return) continue;
    returns += piece.duration_ns();
    ++count;
  }
  if (count < 4 || !most(returns + s.of(IdleCause::HostWaits), s.wall, 0.01)) return {};
  return Finding{"host-waits", fmt::format("the host waits for the device {} times on the critical path, and the device for the host afterwards", human_count(count)),
                 "drop what reads values on the host inside the step: .item(), .cpu(), printing a loss, boolean masks; keep them on the device or read them every N steps", Effort::Line, returns + s.of(IdleCause::HostWaits), s.wall,
                 returns, returns + s.of(IdleCause::HostWaits) + s.launching()};
}
Found allocation(const RunFacts&, const Sums& s) {
  const std::int64_t part = s.of(IdleCause::HostMemory);
  if (!most(part, s.wall, 0.02)) return {};
  return Finding{"allocation", fmt::format("devices wait {} ({}) while the host allocates or frees memory", time(part), percent(part, s.wall)), "warm up before measuring; PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True; avoid empty_cache() and shapes that change every step",
                 Effort::Flag, part, s.wall, 0, part};
}
Found pageable_copies(const RunFacts& facts, const Sums& s) {
  const KernelShare sum = sum_where(facts, [](const KernelShare& one, const NameInfo& info) { return one.kind == Work::Kind::Copy && (holds(info.text, "Pageable") || holds(info.text, "pageable")); });
  if (!most(sum.ns, s.wall, 0.01)) return {};
  return Finding{"pageable-copies", fmt::format("{} copies to or from pageable memory take {} ({}) and hold the host until they are done", human_count(sum.launches), time(sum.ns), percent(sum.ns, s.wall)),
                 "DataLoader(pin_memory=True) and .to(device, non_blocking=True)", Effort::Flag, sum.ns, s.wall, 0, sum.ns};
}
Found copies_alone(const RunFacts& facts, const Sums& s) {
  const KernelShare sum = sum_where(facts, [](const KernelShare& one, const NameInfo&) { return one.kind == Work::Kind::Copy; });
  if (!most(sum.ns, s.busy, 0.10)) return {};
  return Finding{"copies", fmt::format("copies are {} of device time ({})", percent(sum.ns, s.device_ns), time(sum.ns)), "prefetch the next batch on a stream of its own; keep on the device what is copied every step (offloaded weights, optimizer state)", Effort::Rewrite, sum.ns, s.device_ns, 0, sum.ns};
}
Found exposed_communication(const RunFacts& facts, const Sums& s) {
  const Overlap overlap = total(facts.overlap);
  const std::int64_t exposed = overlap.exposed_ns();
  if (!most(exposed, s.wall, 0.05)) return {};
  return Finding{"exposed-communication", fmt::format("{} of {} communication runs while nothing else does ({} of wall time)", time(exposed), time(overlap.communication_ns), percent(exposed, s.wall)),
                 "larger or earlier buckets (DDP bucket_cap_mb, gradient_as_bucket_view), FSDP prefetch, communication on a stream of its own", Effort::Flag, exposed, s.wall, 0, exposed};
}
Found small_kernels(const RunFacts& facts, const Sums& s) {
  std::int64_t count = 0, ns = 0, kernels = 0;
  constexpr std::int64_t kShort = 5'000;
  for (const Work& work : facts.timeline.work) {
    if (work.kind != Work::Kind::Kernel) continue;
    ++kernels;
    if (work.duration_ns() >= kShort) continue;
    ++count;
    ns += work.duration_ns();
  }
  if (kernels < 100 || !most(count, kernels, 0.40)) return {};
  return Finding{"small-kernels", fmt::format("{} of {} kernels ({}) run for less than 5 us: launching them costs more than running them", human_count(count), human_count(kernels), percent(count, kernels)),
                 "let a compiler fuse them (torch.compile, XLA); Seam plans stitched kernels from the module (seam optimize)", Effort::Line, ns, s.device_ns, 0, ns + s.of(IdleCause::BetweenQueued)};
}
Found stitchable(const RunFacts& facts, const Sums& s) {
  std::int64_t low = 0, high = 0, times = 0, kernels = 0;
  for (const Sequence& one : facts.sequences) {
    low += one.gain_low_ns();
    high += one.gain_high_ns();
    times += one.times;
    kernels += one.times * std::ssize(one.names);
  }
  if (!most(high, s.wall, 0.05)) return {};
  return Finding{"stitchable-sequences", fmt::format("{} kernels stand in {} unbroken runs of element-wise, normalization and layout kernels", human_count(kernels), human_count(times)),
                 "one stitched kernel per run: export the module (docs/inputs.md) and let `seam optimize` write and prove them", Effort::Rewrite, high, s.wall, low, high};
}
Found layout_work(const RunFacts& facts, const Sums& s) {
  const std::int64_t part = class_ns(facts, graph::WorkClass::Layout);
  if (!most(part, s.device_ns, 0.08)) return {};
  return Finding{"layout-work", fmt::format("moving values without computing anything takes {} ({} of device time): transposes, concatenations, contiguous copies", time(part), percent(part, s.device_ns)),
                 "model.to(memory_format=torch.channels_last) for convolutions; drop .contiguous() and permute(); `seam plan --layouts simulated` chooses layouts for a module", Effort::Line, part, s.device_ns, 0, part};
}
Found single_precision(const RunFacts& facts, const Sums& s) {
  const KernelShare sum = sum_where(facts, [](const KernelShare& one, const NameInfo& info) {
    return one.kind == Work::Kind::Kernel && info.kernel.work == graph::WorkClass::Contraction && (holds(info.text, "sgemm_") || holds(info.text, "ffma") || holds(info.text, "simt_sgemm") || holds(info.text, "_s1616") || holds(info.text, "scudnn"));
  });
  if (!most(sum.ns, s.device_ns, 0.10)) return {};
  return Finding{"no-tensor-cores", fmt::format("{} of device time ({}) is spent in single-precision products that no tensor core runs", percent(sum.ns, s.device_ns), time(sum.ns)),
                 "torch.set_float32_matmul_precision(\"high\") for tf32, or autocast to bf16; on devices before compute capability 8.0: fp16", Effort::Flag, sum.ns, s.device_ns, 0, sum.ns * 3 / 4};
}
Found unfused_attention(const RunFacts& facts, const Sums& s) {
  const KernelShare softmax = sum_where(facts, [](const KernelShare& one, const NameInfo& info) { return one.kind == Work::Kind::Kernel && holds(info.text, "softmax") && !holds(info.text, "log_softmax"); });
  const KernelShare flash = sum_where(facts, [](const KernelShare& one, const NameInfo& info) { return one.kind == Work::Kind::Kernel && (info.kernel.family == "flash-attention" || info.kernel.family == "fmha" || info.kernel.family == "attention"); });
  if (softmax.launches < 4 || flash.launches >= softmax.launches || !most(softmax.ns, s.device_ns, 0.02)) return {};
  return Finding{"unfused-attention", fmt::format("{} softmax kernels take {} ({}): attention is computed in pieces, its scores go through memory", human_count(softmax.launches), time(softmax.ns), percent(softmax.ns, s.device_ns)),
                 "torch.nn.functional.scaled_dot_product_attention, or attn_implementation=\"sdpa\"", Effort::Line, softmax.ns, s.device_ns, 0, softmax.ns * 2};
}
Found unfused_optimizer(const RunFacts& facts, const Sums& s) {
  std::int64_t kernels = 0, ns = 0;
  for (const HostSpan& span : facts.timeline.spans) {
    if (!facts.timeline.names[span.name].text.starts_with("Optimizer.step")) continue;
    const auto from = std::ranges::lower_bound(facts.timeline.calls, span.start_ns, std::ranges::less{}, &Call::start_ns);
    for (auto call = from; call != facts.timeline.calls.end() && call->start_ns < span.end_ns; ++call) {
      if (call->work == kNone || call->thread != span.thread) continue;
      const Work& work = facts.timeline.work[call->work];
      const NameInfo& info = facts.timeline.names[work.name];
      if (work.kind != Work::Kind::Kernel || holds(info.text, "multi_tensor_apply") || holds(info.text, "fused")) continue;
      ++kernels;
      ns += work.duration_ns();
    }
  }
  if (kernels < 50 || !most(ns, s.wall, 0.01)) return {};
  return Finding{"unfused-optimizer", fmt::format("the optimizer launches {} kernels, one per parameter and operation ({})", human_count(kernels), time(ns)), "optimizer(…, fused=True), or foreach=True", Effort::Flag, ns, s.wall, 0, ns};
}
Found many_fills(const RunFacts& facts, const Sums& s) {
  const KernelShare fills = sum_where(facts, [](const KernelShare& one, const NameInfo& info) { return one.kind == Work::Kind::Fill || (one.kind == Work::Kind::Kernel && holds(info.text, "FillFunctor")); });
  if (!most(fills.launches, std::ssize(facts.timeline.work), 0.10)) return {};
  return Finding{"fills", fmt::format("{} of {} pieces of work only set memory to a value ({})", human_count(fills.launches), human_count(std::ssize(facts.timeline.work)), time(fills.ns)), "optimizer.zero_grad(set_to_none=True); torch.empty where everything is written anyway", Effort::Flag, fills.ns, s.device_ns, 0, fills.ns};
}
Found tiny_reads(const RunFacts& facts, const Sums& s) {
  const KernelShare reads = sum_where(facts, [](const KernelShare& one, const NameInfo& info) { return one.kind == Work::Kind::Copy && (holds(info.text, "DtoH") || holds(info.text, "D2H")) && one.launches > 0 && one.least_ns < 5'000; });
  if (reads.launches < 16 || facts.timeline.wall_ns() / std::max<std::int64_t>(1, reads.launches) > 50'000'000) return {};
  return Finding{"reads-of-scalars", fmt::format("{} copies to the host, many of a few bytes: each one waits for everything launched before it", human_count(reads.launches)), "gather what the host wants and read it once, asynchronously", Effort::Line, reads.ns, s.wall, 0, reads.ns + s.of(IdleCause::HostWaits)};
}
Found uneven_steps(const RunFacts& facts, const Sums&) {
  if (facts.step_ns.size() < 3) return {};
  std::vector<std::int64_t> sorted = facts.step_ns;
  std::ranges::sort(sorted);
  const std::int64_t median = sorted[sorted.size() / 2], longest = sorted.back();
  if (static_cast<double>(longest) < 1.2 * static_cast<double>(median)) return {};
  std::int64_t more = 0;
  for (const std::int64_t ns : sorted) more += std::max<std::int64_t>(0, ns - median);
  return Finding{"uneven-steps", fmt::format("the longest of {} steps takes {}, the median {}", human_count(std::ssize(sorted)), time(longest), time(median)), "look at the long ones alone: garbage collection, evaluation, checkpoints, a data loader that falls behind", Effort::Line, more, facts.timeline.wall_ns(), 0, more};
}
Found queued_waits(const RunFacts& facts, const Sums& s) {
  const std::int64_t part = s.of(IdleCause::QueuedWait);
  if (facts.occupation.empty() || !most(part, s.wall, 0.05)) return {};
  return Finding{"waits-between-streams", fmt::format("queued work starts late for {} ({}): it waits for another stream, another device or a host callback", time(part), percent(part, s.wall)), "look at what it waits for (events, collectives of slower ranks); record with sync events to see the edges", Effort::Line, part, s.wall, 0, part};
}
Found between_kernels(const RunFacts& facts, const Sums& s) {
  if (const std::int64_t modelled = s.of(IdleCause::ModelledGap); most(modelled, s.wall, 0.03))
    return Finding{"gaps-between-kernels", fmt::format("launch gaps sum up to {} ({}), as the time model has them for an eager host", time(modelled), percent(modelled, s.wall)), "launch the program as a CUDA graph, whose nodes follow one another faster; fewer kernels: fusion", Effort::Line, modelled, s.wall, 0, modelled};
  const std::int64_t part = s.of(IdleCause::BetweenQueued);
  if (facts.occupation.empty() || !most(part, s.wall, 0.03)) return {};
  return Finding{"gaps-between-kernels", fmt::format("the device's own gaps between queued kernels sum up to {} ({})", time(part), percent(part, s.wall)), "fewer kernels: fusion, or a CUDA graph, whose nodes follow one another faster", Effort::Line, part, s.wall, 0, part};
}
Found full_queue(const RunFacts& facts, const Sums& s) {
  if (facts.launches.depth < 500) return {};
  return Finding{"queue-is-full", fmt::format("{:.0f} pieces of work are launched and not over, on average: the host is far ahead and its launches block", facts.launches.depth), "nothing to do for the device; do not read launch calls as host time", Effort::Flag, 0, s.wall, 0, 0};
}
Found idle_edges(const RunFacts& facts, const Sums& s) {
  const std::int64_t part = s.of(IdleCause::AfterLast);
  if (facts.occupation.empty() || !most(part, s.wall, 0.10)) return {};
  return Finding{"idle-at-the-end", fmt::format("the recording goes on for {} ({}) after the last work of the device", time(part), percent(part, s.wall)), "end the recording with the step (profiler schedule), or look at what the host does there: evaluation, checkpoints", Effort::Flag, part, s.wall, 0, 0};
}
Found unlinked(const RunFacts& facts, const Sums& s) {
  if (facts.timeline.evidence == Evidence::Modelled) return {};  // nobody launched it
  if (!most(facts.launches.unlinked, facts.launches.linked + facts.launches.unlinked, 0.20)) return {};
  return Finding{"launches-not-recorded", fmt::format("{} of {} pieces of work have no launch in the trace: what the host did before them is unknown", human_count(facts.launches.unlinked), human_count(facts.launches.linked + facts.launches.unlinked)), "start the recording earlier (warm-up steps of the profiler's schedule), with CPU activity", Effort::Flag, s.of(IdleCause::NoLaunch), s.wall, 0, 0};
}
Found unknown_kernels(const RunFacts& facts, const Sums& s) {
  const std::int64_t part = class_ns(facts, graph::WorkClass::Unknown);
  if (!most(part, s.device_ns, 0.20)) return {};
  return Finding{"unknown-kernels", fmt::format("{} of device time ({}) is in kernels whose names say nothing: classes leave them out", percent(part, s.device_ns), time(part)), "name generated kernels (TORCHINDUCTOR_UNIQUE_KERNEL_NAMES=1), or add a rule to graph/names/families.def", Effort::Flag, part, s.device_ns, 0, 0};
}
Found incomplete(const RunFacts& facts, const Sums& s) {
  if (facts.lost == 0 && facts.timeline.untimed_work == 0) return {};
  return Finding{"incomplete-recording", fmt::format("{} events are lost or have no time: sums are too small by them", human_count(facts.lost + facts.timeline.untimed_work)), "record again; SELECT * FROM loss says what is missing", Effort::Flag, 0, s.wall, 0, 0};
}

struct Entry {
  std::string_view id, sentence;
  Rule rule;
  std::string_view query;  ///< for the rows behind it
};
constexpr Entry kRules[] = {
    {"launch-bound", "devices wait for the host to launch (15 % of wall)", launch_bound,
     "SELECT name, count(*), sum(duration_ns) FROM api_calls GROUP BY name ORDER BY 3 DESC"},
    {"python-bound", "devices are idle while Python runs (10 %)", python_bound,
     "SELECT name, sum(duration_ns) FROM annotations GROUP BY name ORDER BY 2 DESC"},
    {"host-waits", "the host waits for the device on the critical path (1 %)", host_waits,
     "SELECT name, count(*), sum(duration_ns) FROM api_calls WHERE name GLOB '*Synchronize*' OR name = 'cudaMemcpyAsync' GROUP BY name"},
    {"allocation", "devices wait while the host allocates (2 %)", allocation,
     "SELECT name, count(*), sum(duration_ns) FROM api_calls WHERE name GLOB '*Malloc*' OR name GLOB '*Free*' OR name GLOB '*HostAlloc*' GROUP BY name"},
    {"pageable-copies", "copies to or from pageable memory (1 %)", pageable_copies,
     "SELECT name, count(*), sum(bytes), sum(duration_ns) FROM copies WHERE source = 'pageable' OR destination = 'pageable' GROUP BY name"},
    {"copies", "copies take device time (10 %)", copies_alone,
     "SELECT kind, name, count(*), sum(bytes), sum(duration_ns) FROM copies GROUP BY kind, name ORDER BY 5 DESC"},
    {"exposed-communication", "communication runs while nothing else does (5 %)", exposed_communication,
     "SELECT name, count(*), sum(duration_ns) FROM launches WHERE name GLOB '*nccl*' GROUP BY name"},
    {"small-kernels", "kernels shorter than 5 us (40 % of kernels)", small_kernels,
     "SELECT name, count(*), avg(duration_ns) FROM launches WHERE duration_ns < 5000 GROUP BY name ORDER BY 2 DESC"},
    {"stitchable-sequences", "unbroken runs of kernels that one kernel could do (gain of 5 %)", stitchable,
     "SELECT name, duration_ns FROM launches ORDER BY start_ns"},
    {"layout-work", "values are moved without computing (8 % of device time)", layout_work,
     "SELECT name, count(*), sum(duration_ns) FROM launches WHERE name GLOB '*copy*' OR name GLOB '*Cat*' OR name GLOB '*ranspose*' OR name GLOB '*Nhwc*' GROUP BY name ORDER BY 3 DESC"},
    {"no-tensor-cores", "single-precision products without tensor cores (10 %)", single_precision,
     "SELECT name, count(*), sum(duration_ns) FROM launches WHERE name GLOB '*sgemm*' OR name GLOB '*scudnn*' GROUP BY name ORDER BY 3 DESC"},
    {"unfused-attention", "attention computed in pieces (softmax kernels 2 %)", unfused_attention,
     "SELECT name, count(*), sum(duration_ns) FROM launches WHERE name GLOB '*oftmax*' GROUP BY name"},
    {"unfused-optimizer", "an optimizer that launches per parameter (50 kernels, 1 %)", unfused_optimizer,
     "SELECT name, sum(duration_ns) FROM annotations WHERE name GLOB 'Optimizer.step*' GROUP BY name"},
    {"fills", "work that only sets memory (10 % of launches)", many_fills,
     "SELECT name, count(*), sum(duration_ns) FROM copies WHERE kind = 'memset' GROUP BY name"},
    {"reads-of-scalars", "small copies to the host, often", tiny_reads,
     "SELECT bytes, count(*) FROM copies WHERE kind = 'dtoh' GROUP BY bytes ORDER BY 2 DESC"},
    {"uneven-steps", "a step 1.2 times as long as the median", uneven_steps,
     "SELECT number, duration_ns FROM steps ORDER BY duration_ns DESC"},
    {"waits-between-streams", "queued work that starts late (5 %)", queued_waits,
     "SELECT * FROM syncs ORDER BY duration_ns DESC"},
    {"gaps-between-kernels", "the device's own gaps (3 %)", between_kernels,
     "SELECT name, start_ns, end_ns FROM launches ORDER BY start_ns"},
    {"queue-is-full", "500 pieces of work queued on average", full_queue,
     "SELECT name, max(duration_ns) FROM api_calls GROUP BY name ORDER BY 2 DESC"},
    {"idle-at-the-end", "nothing runs at the end of the recording (10 %)", idle_edges,
     "SELECT name, start_ns, duration_ns FROM annotations ORDER BY end_ns DESC"},
    {"launches-not-recorded", "work without its launch (20 %)", unlinked,
     "SELECT name, count(*) FROM launches WHERE id NOT IN (SELECT launch FROM launch_calls) GROUP BY name"},
    {"unknown-kernels", "kernels whose names say nothing (20 % of device time)", unknown_kernels,
     "SELECT name, count(*), sum(duration_ns) FROM launches GROUP BY name ORDER BY 3 DESC"},
    {"incomplete-recording", "lost events, rows without a time", incomplete,
     "SELECT * FROM loss"},
};

}  // namespace

std::string_view name(Effort effort) {
  constexpr std::array<std::string_view, 3> kNames = {"a flag", "a line", "a rewrite"};
  return kNames[static_cast<std::size_t>(effort)];
}

std::vector<Finding> findings(const RunFacts& facts) {
  const Sums sums = sums_of(facts);
  std::vector<Finding> out;
  for (const Entry& entry : kRules) {
    Found found = entry.rule(facts, sums);
    // What gains less than a hundredth of the wall time is not worth a sentence; what gains nothing is there for what it says.
    if (!found || (found->gain_high_ns > 0 && !most(found->gain_high_ns, sums.wall, 0.01))) continue;
    found->query = entry.query;
    out.push_back(*std::move(found));
  }
  std::ranges::stable_sort(out, [](const Finding& a, const Finding& b) { return a.effort != b.effort ? a.effort < b.effort : a.gain_high_ns > b.gain_high_ns; });
  return out;
}

std::vector<RuleInfo> rules() {
  std::vector<RuleInfo> out;
  for (const Entry& entry : kRules) out.push_back({entry.id, entry.sentence, entry.query});
  return out;
}

}  // namespace seam::analyzer
