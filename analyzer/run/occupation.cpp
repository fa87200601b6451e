#include "analyzer/occupation.h"

#include <algorithm>
#include <map>

#include "run/gaps.h"

namespace seam::analyzer {
namespace {

/// Pieces of time, merged where they touch.
class Union {
 public:
  /// Starts must not descend.
  void add(std::int64_t start, std::int64_t end) {
    if (end <= start) return;
    if (!pieces_.empty() && start <= pieces_.back().second) {
      pieces_.back().second = std::max(pieces_.back().second, end);
    } else {
      pieces_.emplace_back(start, end);
    }
  }
  [[nodiscard]] std::int64_t length() const {
    std::int64_t sum = 0;
    for (const auto& [start, end] : pieces_) sum += end - start;
    return sum;
  }
  [[nodiscard]] std::int64_t common(const Union& other) const {
    std::int64_t sum = 0;
    for (std::size_t a = 0, b = 0; a < pieces_.size() && b < other.pieces_.size();) {
      const std::int64_t from = std::max(pieces_[a].first, other.pieces_[b].first), to = std::min(pieces_[a].second, other.pieces_[b].second);
      sum += std::max<std::int64_t>(0, to - from);
      (pieces_[a].second < other.pieces_[b].second ? a : b) += 1;
    }
    return sum;
  }

 private:
  std::vector<std::pair<std::int64_t, std::int64_t>> pieces_;
};

}  // namespace

std::string_view name(IdleCause cause) {
  constexpr std::array<std::string_view, kIdleCauses> kNames = {"host_waits", "host_memory", "host_calls", "host_ops", "host_python", "host_unrecorded",
                                                                "launch_call", "launch_latency", "between_queued", "queued_wait", "no_launch", "after_last", "launch_gap"};
  return kNames[static_cast<std::size_t>(cause)];
}

std::string_view sentence(IdleCause cause) {
  constexpr std::array<std::string_view, kIdleCauses> kSentences = {
      "the host waits for the device and launches nothing meanwhile",
      "the host allocates or frees memory",
      "the host is in other API calls",
      "the host runs framework ops before it launches",
      "the host is in Python or annotated code before it launches",
      "the host does what the trace does not show",
      "inside the call that launches the next work",
      "from the launch call's end to the work's start",
      "the device's own gap between queued work, up to 30 us",
      "queued work that starts late: it waits for another stream or device",
      "unknown: the launch of the next work is not in the trace",
      "after the last work",
      "before each launch, as the time model has an eager host's pace"};
  return kSentences[static_cast<std::size_t>(cause)];
}

std::vector<ClassShare> class_shares(const Timeline& timeline) {
  std::map<graph::WorkClass, ClassShare> by;
  std::int64_t all = 0;
  for (const Work& work : timeline.work) {
    ClassShare& share = by[timeline.class_of(work)];
    share.work = timeline.class_of(work);
    share.ns += work.duration_ns();
    ++share.launches;
    all += work.duration_ns();
  }
  std::vector<ClassShare> out;
  for (auto& [work, share] : by) {
    share.of_ns = all;
    out.push_back(share);
  }
  std::ranges::stable_sort(out, std::ranges::greater{}, &ClassShare::ns);
  return out;
}

std::vector<KernelShare> kernel_shares(const Timeline& timeline) {
  std::map<std::pair<std::uint32_t, Work::Kind>, KernelShare> by;
  for (const Work& work : timeline.work) {
    KernelShare& share = by[{work.name, work.kind}];
    const std::int64_t ns = work.duration_ns();
    share.name = work.name;
    share.kind = work.kind;
    share.least_ns = share.launches == 0 ? ns : std::min(share.least_ns, ns);
    share.most_ns = std::max(share.most_ns, ns);
    share.ns += ns;
    ++share.launches;
  }
  std::vector<KernelShare> out;
  for (const auto& [key, share] : by) out.push_back(share);
  std::ranges::sort(out, [&](const KernelShare& a, const KernelShare& b) { return a.ns != b.ns ? a.ns > b.ns : timeline.names[a.name].text < timeline.names[b.name].text; });
  return out;
}

std::vector<Occupation> occupation(const Timeline& timeline) {
  const HostActivity host(timeline);
  std::map<std::int64_t, Occupation> by;
  std::map<std::int64_t, std::int64_t> busy_until = for_each_work(timeline, [&](std::int64_t device, const Work& work, std::int64_t until) {
    Occupation& one = by[device];
    if (work.start_ns > until) {
      const Causes causes = causes_of_gap(timeline, host, work, until, work.start_ns);
      for (std::size_t c = 0; c < kIdleCauses; ++c) one.idle[c] += causes[c];
    }
    one.busy_ns += std::max<std::int64_t>(0, work.end_ns - std::max(until, work.start_ns));
    ++one.launches;
  });
  std::vector<Occupation> out;
  for (auto& [device, one] : by) {
    one.device = device;
    one.wall_ns = timeline.wall_ns();
    one.idle[static_cast<std::size_t>(IdleCause::AfterLast)] += timeline.end_ns - busy_until[device];
    out.push_back(one);
  }
  return out;
}

std::vector<Overlap> communication_overlap(const Timeline& timeline) {
  std::map<std::int64_t, std::pair<Union, Union>> by;
  for (const Work& work : timeline.work) {
    if (work.kind != Work::Kind::Kernel) continue;
    auto& [communication, computation] = by[timeline.device_of(work)];
    (timeline.class_of(work) == graph::WorkClass::Communication ? communication : computation).add(work.start_ns, work.end_ns);
  }
  std::vector<Overlap> out;
  for (const auto& [device, unions] : by) out.push_back({device, unions.first.length(), unions.second.length(), unions.first.common(unions.second)});
  return out;
}

Overlap total(const std::vector<Overlap>& devices) {
  Overlap out;
  for (const Overlap& one : devices) {
    out.communication_ns += one.communication_ns;
    out.computation_ns += one.computation_ns;
    out.hidden_ns += one.hidden_ns;
  }
  return out;
}

LaunchStats launch_stats(const Timeline& timeline) {
  LaunchStats out;
  std::vector<std::pair<std::int64_t, int>> queue;
  for (const Work& work : timeline.work) {
    if (work.call == kNone) {
      ++out.unlinked;
      continue;
    }
    ++out.linked;
    const Call& call = timeline.calls[work.call];
    out.in_graphs += work.in_graph ? 1 : 0;
    if (work.kind == Work::Kind::Kernel && !work.in_graph && work.duration_ns() < call.end_ns - call.start_ns) ++out.short_kernels;
    out.delay_ns += std::max<std::int64_t>(0, work.start_ns - call.end_ns);
    queue.emplace_back(std::min(call.start_ns, work.start_ns), 1);
    queue.emplace_back(work.end_ns, -1);
  }
  for (const Call& call : timeline.calls) {
    if (call.works == 0) continue;
    ++out.calls;
    out.call_ns += call.end_ns - call.start_ns;
  }
  std::ranges::sort(queue);
  std::int64_t depth = 0, occupied = 0;
  double weighted = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    if (depth > 0) {
      const std::int64_t ns = queue[i].first - queue[i - 1].first;
      occupied += ns;
      weighted += static_cast<double>(depth) * static_cast<double>(ns);
    }
    depth += queue[i].second;
  }
  out.depth = occupied > 0 ? weighted / static_cast<double>(occupied) : 0;
  return out;
}

}  // namespace seam::analyzer
