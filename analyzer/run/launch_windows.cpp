#include "analyzer/launch_windows.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

#include "analyzer/maximal_runs.h"
#include "run/gaps.h"

namespace seam::analyzer {
namespace {

/// A point in what a device does: sums of all before it.
struct Mark {
  std::int64_t at_ns = 0, waiting_ns = 0, busy_ns = 0, launches = 0;
  std::size_t work = 0;  ///< the first that has not begun
};

std::int64_t waiting_of(const Causes& causes) {
  std::int64_t sum = 0;
  for (const IdleCause cause : {IdleCause::HostMemory, IdleCause::HostCalls, IdleCause::HostOps, IdleCause::HostPython, IdleCause::HostUnrecorded, IdleCause::LaunchCall, IdleCause::LaunchLatency})
    sum += causes[static_cast<std::size_t>(cause)];
  return sum;
}

/// The outermost framework op of a thread at any time.
class OutermostOps {
 public:
  explicit OutermostOps(const Timeline& timeline) {
    for (const HostSpan& span : timeline.spans) {
      if (!span.op) continue;
      auto& ops = threads_[span.thread];
      if (ops.empty() || span.start_ns >= ops.back().end_ns) ops.push_back(span);
    }
  }
  [[nodiscard]] std::uint32_t at(std::uint32_t thread, std::int64_t ns) const {
    const auto found = threads_.find(thread);
    if (found == threads_.end()) return kNone;
    auto after = std::ranges::upper_bound(found->second, ns, std::ranges::less{}, &HostSpan::start_ns);
    return after != found->second.begin() && (--after)->end_ns > ns ? after->name : kNone;
  }

 private:
  std::unordered_map<std::uint32_t, std::vector<HostSpan>> threads_;
};

/// The windows of one device as its work goes by.
class Device {
 public:
  Device(std::int64_t device, std::vector<std::pair<LaunchWindow, std::size_t>>& out)
      : runs_([device, &out](const Mark& first, const Mark& last) {
          const LaunchWindow one{device, first.at_ns, last.at_ns, last.waiting_ns - first.waiting_ns, last.busy_ns - first.busy_ns, last.launches - first.launches, kNone};
          if (one.launches >= 2) out.emplace_back(one, first.work);
        }) {}

  void gap(std::int64_t until, std::int64_t waiting, std::size_t next) {
    Mark after = now_;
    after.at_ns = until;
    after.waiting_ns += waiting;
    after.work = next;
    advance(after, 2 * waiting);
  }
  void work(std::int64_t from, std::int64_t until, std::size_t number) {
    Mark after = now_;
    now_.at_ns = from;
    after.at_ns = until;
    after.busy_ns += until - from;
    ++after.launches;
    after.work = number + 1;
    advance(after, 0);
  }
  [[nodiscard]] bool began() const { return now_.launches > 0; }
  void finish() { runs_.finish(); }

 private:
  void advance(const Mark& after, std::int64_t for_it) {
    runs_.push(for_it - (after.at_ns - now_.at_ns), now_, after);
    now_ = after;
  }
  MaximalRuns<Mark> runs_;
  Mark now_;
};

/// The op under which most of a window's waiting ends.
std::uint32_t op_of(const Timeline& timeline, const HostActivity& host, const OutermostOps& ops, const LaunchWindow& window, std::size_t first) {
  std::map<std::uint32_t, std::int64_t> under;
  std::int64_t until = window.start_ns;
  for (std::size_t w = first; w < timeline.work.size() && timeline.work[w].start_ns <= window.end_ns; ++w) {
    const Work& work = timeline.work[w];
    if (timeline.device_of(work) != window.device) continue;
    if (work.start_ns > until && work.call != kNone) {
      const Call& call = timeline.calls[work.call];
      if (const std::uint32_t op = ops.at(call.thread, call.start_ns); op != kNone) under[op] += waiting_of(causes_of_gap(timeline, host, work, until, work.start_ns));
    }
    until = std::max(until, work.end_ns);
  }
  return under.empty() ? kNone : std::ranges::max_element(under, {}, [](const auto& one) { return one.second; })->first;
}

}  // namespace

std::vector<LaunchWindow> launch_windows(const Timeline& timeline) {
  const HostActivity host(timeline);
  std::vector<std::pair<LaunchWindow, std::size_t>> found;
  std::map<std::int64_t, Device> devices;
  std::size_t w = 0;
  (void)for_each_work(timeline, [&](std::int64_t number, const Work& work, std::int64_t until) {
    Device& device = devices.try_emplace(number, number, found).first->second;
    // Before the first work nothing is launched late: the job begins.
    if (work.start_ns > until && device.began()) device.gap(work.start_ns, waiting_of(causes_of_gap(timeline, host, work, until, work.start_ns)), w);
    const std::int64_t from = std::max(until, work.start_ns);
    device.work(from, std::max(from, work.end_ns), w++);
  });
  for (auto& [number, device] : devices) device.finish();
  std::ranges::stable_sort(found, std::ranges::greater{}, [](const auto& one) { return one.first.waiting_ns; });
  std::vector<LaunchWindow> out;
  std::optional<OutermostOps> ops;
  for (auto& [window, first] : found) {
    if (out.size() < kNamedWindows) window.op = op_of(timeline, host, ops ? *ops : ops.emplace(timeline), window, first);
    out.push_back(window);
  }
  return out;
}

}  // namespace seam::analyzer
