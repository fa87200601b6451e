#include "run/causes.h"

#include <algorithm>

namespace seam::analyzer {
namespace {

/// Work that starts within this after work of another stream has ended, and after nothing else, waited for it.
constexpr std::int64_t kStreamHandOver = 5'000;
/// A launch that takes this long while so much work is queued waits for a place in the queue (1,024 on NVIDIA's devices, over all streams of a context).
constexpr std::int64_t kBlockedLaunch = 20'000, kFullQueue = 512;

std::vector<std::uint32_t> waiting(const Timeline& timeline) {
  std::vector<std::int64_t> launched, finished;
  for (const Work& one : timeline.work) {
    if (one.call == kNone) continue;
    launched.push_back(timeline.calls[one.call].start_ns);
    finished.push_back(one.end_ns);
  }
  std::ranges::sort(launched);
  std::ranges::sort(finished);
  const auto before = [](const std::vector<std::int64_t>& times, std::int64_t at) { return std::ranges::lower_bound(times, at) - times.begin(); };
  std::vector<std::uint32_t> out;
  for (std::uint32_t c = 0; c < timeline.calls.size(); ++c) {
    const Call& call = timeline.calls[c];
    bool waits = call.kind == CallKind::Wait;
    if (call.kind == CallKind::Launch && call.end_ns - call.start_ns >= kBlockedLaunch) waits = before(launched, call.start_ns) - before(finished, call.start_ns) >= kFullQueue;
    if (waits) out.push_back(c);
  }
  return out;
}

}  // namespace

Causes::Causes(const Timeline& timeline) : timeline_(timeline), before_(timeline.work.size(), kNone), waiting_(waiting(timeline)) {
  std::vector<std::uint32_t> last(timeline.streams.size(), kNone);
  for (std::uint32_t w = 0; w < timeline.work.size(); ++w) {
    std::uint32_t& latest = last[timeline.work[w].stream];
    before_[w] = latest;
    // Of overlapping work the one that ends last holds the stream.
    if (latest == kNone || timeline.work[w].end_ns >= timeline.work[latest].end_ns) latest = w;
    by_end_.push_back(w);
  }
  std::ranges::stable_sort(by_end_, std::ranges::less{}, [&](std::uint32_t w) { return timeline.work[w].end_ns; });
}

/// Work of another stream of the device whose end is the last thing before `here` starts.
std::uint32_t Causes::ended_just_before(const Work& here, std::int64_t after) const {
  auto at = std::ranges::upper_bound(by_end_, here.start_ns, std::ranges::less{}, [&](std::uint32_t w) { return work(w).end_ns; });
  while (at != by_end_.begin()) {
    const std::uint32_t w = *--at;
    if (work(w).end_ns <= after || here.start_ns - work(w).end_ns > kStreamHandOver) return kNone;
    if (work(w).stream != here.stream && timeline_.device_of(work(w)) == timeline_.device_of(here) && work(w).start_ns < here.start_ns) return w;
  }
  return kNone;
}

Cause Causes::of(std::uint32_t w) const {
  const Work& here = work(w);
  const std::uint32_t previous = before_[w];
  const std::int64_t queue_free = previous == kNone ? INT64_MIN : std::min(work(previous).end_ns, here.start_ns);
  const Call* call = here.call == kNone ? nullptr : &timeline_.calls[here.call];
  // Work may start, and even end, while its call still runs: then it was launched when that began.
  const std::int64_t launched = call == nullptr ? INT64_MIN : call->end_ns <= here.start_ns ? call->end_ns : std::min(call->start_ns, here.start_ns);
  if (const std::uint32_t other = ended_just_before(here, std::max(queue_free, launched)); other != kNone) return {.work = other, .inferred = true, .since_ns = work(other).end_ns};
  if (previous != kNone && (queue_free >= launched || call == nullptr)) return {.work = previous, .since_ns = queue_free};
  return {.call = here.call, .since_ns = launched};
}

std::uint32_t Causes::waited_for(const Call& call, std::int64_t until) const {
  const auto at = std::ranges::upper_bound(by_end_, until, std::ranges::less{}, [&](std::uint32_t w) { return work(w).end_ns; });
  if (at == by_end_.begin()) return kNone;
  const std::uint32_t w = *std::prev(at);
  return work(w).end_ns > call.start_ns && work(w).start_ns < until ? w : kNone;
}

}  // namespace seam::analyzer
