#include "analyzer/slack.h"

#include <algorithm>
#include <map>

#include "run/causes.h"

namespace seam::analyzer {
namespace {

/// From the end of the run to its begin: what is left of a piece of work's slack once everything that waits for it is known.
class Backward {
 public:
  Backward(const Timeline& timeline, const CriticalPath& path) : timeline_(timeline), causes_(timeline), slack_(timeline.work.size(), 0), host_(timeline.calls.size() + 1, 0), bound_(timeline.work.size()) {
    std::int64_t host_end = INT64_MIN;
    for (const Call& call : timeline.calls) host_end = std::max(host_end, call.end_ns);
    for (const HostSpan& span : timeline.spans) host_end = std::max(host_end, span.end_ns);
    host_.back() = host_end == INT64_MIN ? INT64_MAX / 2 : timeline.end_ns - host_end;
    for (std::uint32_t w = 0; w < timeline.work.size(); ++w) bound_[w] = timeline.end_ns - timeline.work[w].end_ns;
    // The path may pass from thread to thread where nothing else here says why: what it stands on has none.
    for (const PathPiece& piece : path.pieces)
      if (piece.kind == PathKind::Kernel || piece.kind == PathKind::Copy) bound_[piece.work] = 0;
    waits_.resize(timeline.calls.size(), false);
    for (const std::uint32_t c : causes_.waiting_calls()) waits_[c] = true;
    waits_by_end_ = causes_.waiting_calls();
    std::ranges::stable_sort(waits_by_end_, std::ranges::less{}, [&](std::uint32_t c) { return timeline.calls[c].end_ns; });
    launched_.resize(timeline.calls.size(), INT64_MAX / 2);
    // Work that begins before its call (clocks that are apart) is settled only after the call: nothing is known in time.
    for (const Work& one : timeline.work)
      if (one.call != kNone && one.start_ns < timeline.calls[one.call].start_ns) launched_[one.call] = 0;
    streams_.resize(timeline.streams.size(), kNone);
  }

  std::vector<std::int64_t> run() {
    std::size_t w = timeline_.work.size(), c = timeline_.calls.size();
    while (w > 0 || c > 0) {
      // A call is looked at after all work that began at its start or later, and so after what it launched.
      if (c == 0 || (w > 0 && timeline_.work[w - 1].start_ns >= timeline_.calls[c - 1].start_ns)) {
        settle(static_cast<std::uint32_t>(--w));
      } else {
        pass(--c);
      }
    }
    return std::move(slack_);
  }

 private:
  void settle(std::uint32_t w) {
    const Work& here = timeline_.work[w];
    std::int64_t least = std::min(bound_[w], until_wait(here));
    // What follows on its stream and was not queued yet when it ended: it may grow until that begins.
    if (const std::uint32_t next = streams_[here.stream]; next != kNone) least = std::min(least, std::max<std::int64_t>(0, timeline_.work[next].start_ns - here.end_ns) + slack_[next]);
    slack_[w] = std::max<std::int64_t>(0, least);
    streams_[here.stream] = w;
    const Cause cause = causes_.of(w);
    if (cause.work != kNone) bound_[cause.work] = std::min(bound_[cause.work], slack_[w]);
    if (here.call == kNone) return;
    // The launch may come later until the device is ready for the work.
    const Call& call = timeline_.calls[here.call];
    const std::int64_t ready = cause.work == kNone ? 0 : std::max<std::int64_t>(0, cause.since_ns - call.end_ns);
    launched_[here.call] = std::min(launched_[here.call], ready + slack_[w]);
  }

  /// How much later the host may be when call `c` begins.
  void pass(std::size_t c) {
    const Call& call = timeline_.calls[c];
    std::int64_t later = host_[c + 1];
    // While a call waits, the host may be late, unless another thread is at work meanwhile.
    const bool alone = c + 1 == timeline_.calls.size() || timeline_.calls[c + 1].start_ns >= call.end_ns;
    if (waits_[c] && alone) {
      const std::uint32_t w = causes_.waited_for(call, call.end_ns);
      if (w != kNone) later += timeline_.work[w].end_ns - call.start_ns;
    }
    host_[c] = std::min(later, launched_[c]);
  }

  /// Until the first waiting call that it was launched before ends later.
  [[nodiscard]] std::int64_t until_wait(const Work& here) const {
    auto at = std::ranges::lower_bound(waits_by_end_, here.end_ns, std::ranges::less{}, [&](std::uint32_t c) { return timeline_.calls[c].end_ns; });
    // Clocks that are apart let work begin before its call: then that says nothing.
    if (here.call != kNone && timeline_.calls[here.call].start_ns <= here.start_ns)
      while (at != waits_by_end_.end() && timeline_.calls[*at].start_ns < timeline_.calls[here.call].start_ns) ++at;
    if (at == waits_by_end_.end()) return INT64_MAX / 2;
    const Call& call = timeline_.calls[*at];
    // Another thread that goes on meanwhile may have been told that the work is done.
    auto other = static_cast<std::size_t>(std::ranges::lower_bound(timeline_.calls, std::max(here.end_ns, call.start_ns), std::ranges::less{}, &Call::start_ns) - timeline_.calls.begin());
    if (other == *at) ++other;
    if (other < timeline_.calls.size() && timeline_.calls[other].start_ns < call.end_ns) return host_[other];
    const std::uint32_t last = causes_.waited_for(call, call.end_ns);
    const std::int64_t free = last == kNone ? std::max(call.start_ns, here.end_ns) : timeline_.work[last].end_ns;
    const auto after = std::ranges::lower_bound(timeline_.calls, call.end_ns, std::ranges::less{}, &Call::start_ns) - timeline_.calls.begin();
    return std::max<std::int64_t>(0, free - here.end_ns) + host_[static_cast<std::size_t>(after)];
  }

  const Timeline& timeline_;
  Causes causes_;
  std::vector<std::int64_t> slack_;
  std::vector<std::int64_t> host_;      ///< at the start of each call; the last: at the end of the run
  std::vector<std::int64_t> bound_;     ///< of work: what is known so far of what waits for it
  std::vector<std::int64_t> launched_;  ///< of calls: how much later they may launch
  std::vector<bool> waits_;
  std::vector<std::uint32_t> waits_by_end_, streams_;
};

}  // namespace

Slack slack(const Timeline& timeline, const CriticalPath& path) {
  Slack out{Backward(timeline, path).run(), {}};
  std::map<std::pair<std::uint32_t, Work::Kind>, std::pair<NameSlack, std::vector<std::int64_t>>> by;
  for (std::size_t w = 0; w < timeline.work.size(); ++w) {
    const Work& work = timeline.work[w];
    auto& [sum, all] = by[{work.name, work.kind}];
    sum.name = work.name;
    sum.kind = work.kind;
    sum.critical += out.work_ns[w] == 0 ? 1 : 0;
    ++sum.launches;
    all.push_back(out.work_ns[w]);
  }
  for (const PathPiece& piece : path.pieces) {
    if (piece.kind != PathKind::Kernel && piece.kind != PathKind::Copy) continue;
    const Work& work = timeline.work[piece.work];
    by[{work.name, work.kind}].first.path_ns += piece.duration_ns();
  }
  for (auto& [key, pair] : by) {
    auto& [sum, all] = pair;
    std::ranges::sort(all);
    sum.least_ns = all.front();
    sum.median_ns = all[all.size() / 2];
    out.names.push_back(sum);
  }
  std::ranges::sort(out.names, [&](const NameSlack& a, const NameSlack& b) { return a.path_ns != b.path_ns ? a.path_ns > b.path_ns : timeline.names[a.name].text < timeline.names[b.name].text; });
  return out;
}

}  // namespace seam::analyzer
