#include "analyzer/critical_path.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "run/host_activity.h"

namespace seam::analyzer {
namespace {

/// A thread that shows nothing for longer than this while another one is active waited for that one (autograd's thread for the main one, and back).
constexpr std::int64_t kHandOver = 20'000;
/// Work that starts within this after work of another stream has ended, and after nothing else, waited for it.
constexpr std::int64_t kStreamHandOver = 5'000;
/// A launch that takes this long while so much work is queued waits for a place in the queue (1,024 on NVIDIA's devices, over all streams of a context).
constexpr std::int64_t kBlockedLaunch = 20'000, kFullQueue = 512;

PathKind kind_of(Activity what) {
  switch (what) {
    case Activity::Wait: return PathKind::HostWait;
    case Activity::Memory: return PathKind::HostMemory;
    case Activity::Call: return PathKind::HostCall;
    case Activity::Op: return PathKind::HostOp;
    case Activity::Python: return PathKind::HostPython;
    case Activity::Nothing: break;
  }
  return PathKind::Unrecorded;
}

class Walker {
 public:
  explicit Walker(const Timeline& timeline) : timeline_(timeline), host_(timeline), at_(timeline.end_ns) {
    before_.resize(timeline.work.size(), kNone);
    std::vector<std::uint32_t> last(timeline.streams.size(), kNone);
    for (std::uint32_t w = 0; w < timeline.work.size(); ++w) {
      std::uint32_t& latest = last[timeline.work[w].stream];
      before_[w] = latest;
      // Of overlapping work the one that ends last holds the stream.
      if (latest == kNone || timeline.work[w].end_ns >= timeline.work[latest].end_ns) latest = w;
      by_end_.push_back(w);
    }
    std::ranges::stable_sort(by_end_, std::ranges::less{}, [&](std::uint32_t w) { return timeline.work[w].end_ns; });
    find_waits();
  }

  CriticalPath walk() {
    begin();
    while (at_ > timeline_.start_ns) {
      if (work_ != kNone) {
        through_work();
      } else {
        through_host();
      }
    }
    std::ranges::reverse(path_.pieces);
    return std::move(path_);
  }

 private:
  [[nodiscard]] const Work& work(std::uint32_t w) const { return timeline_.work[w]; }

  /// Calls that wait by what they are, and launches that take long because the device's queue is full.
  void find_waits() {
    std::vector<std::int64_t> launched, finished;
    for (const Work& one : timeline_.work) {
      if (one.call == kNone) continue;
      launched.push_back(timeline_.calls[one.call].start_ns);
      finished.push_back(one.end_ns);
    }
    std::ranges::sort(launched);
    std::ranges::sort(finished);
    const auto before = [](const std::vector<std::int64_t>& times, std::int64_t at) { return std::ranges::lower_bound(times, at) - times.begin(); };
    for (std::uint32_t c = 0; c < timeline_.calls.size(); ++c) {
      const Call& call = timeline_.calls[c];
      bool waits = call.kind == CallKind::Wait;
      if (call.kind == CallKind::Launch && call.end_ns - call.start_ns >= kBlockedLaunch)
        waits = before(launched, call.start_ns) - before(finished, call.start_ns) >= kFullQueue;
      if (waits) waits_[call.thread].push_back(c);
    }
  }

  /// Whatever ends last.
  void begin() {
    if (!by_end_.empty() && work(by_end_.back()).end_ns == at_) {
      work_ = by_end_.back();
      return;
    }
    if (const auto thread = host_.active_before(at_, kNone)) thread_ = thread->first;
  }

  /// Goes back to `from`; pieces of no length are not kept.
  void step(std::int64_t from, PathKind kind, std::uint32_t of = kNone) {
    from = std::max(from, timeline_.start_ns);
    if (from < at_) path_.pieces.push_back({from, at_, kind, of, thread_, false});
    at_ = std::min(at_, from);
  }

  void through_work() {
    const std::uint32_t w = work_;
    const Work& here = work(w);
    thread_ = kNone;
    step(here.start_ns, here.kind == Work::Kind::Kernel ? PathKind::Kernel : PathKind::Copy, w);
    if (at_ <= timeline_.start_ns) return;
    const std::uint32_t previous = before_[w];
    const std::int64_t queue_free = previous == kNone ? INT64_MIN : std::min(work(previous).end_ns, at_);
    const Call* call = here.call == kNone ? nullptr : &timeline_.calls[here.call];
    // Work may start, and even end, while its call still runs: then it was launched when that began.
    const std::int64_t launched = call == nullptr ? INT64_MIN : call->end_ns <= at_ ? call->end_ns : std::min(call->start_ns, at_);
    if (const std::uint32_t other = ended_just_before(here, std::max(queue_free, launched)); other != kNone) {
      step(work(other).end_ns, PathKind::DeviceGap, w);
      if (!path_.pieces.empty()) path_.pieces.back().inferred = true;
      work_ = other;
      return;
    }
    if (previous != kNone && (queue_free >= launched || call == nullptr)) {
      step(queue_free, PathKind::DeviceGap, w);
      work_ = previous;
      return;
    }
    work_ = kNone;
    if (call == nullptr) return step(timeline_.start_ns, PathKind::Unrecorded);
    if (call->end_ns <= at_) step(launched, PathKind::Latency, w);
    thread_ = call->thread;
    step(call->start_ns, PathKind::Launch, w);
  }

  /// Work of another stream of the device whose end is the last thing before `here` starts.
  [[nodiscard]] std::uint32_t ended_just_before(const Work& here, std::int64_t after) const {
    auto at = std::ranges::upper_bound(by_end_, here.start_ns, std::ranges::less{}, [&](std::uint32_t w) { return work(w).end_ns; });
    while (at != by_end_.begin()) {
      const std::uint32_t w = *--at;
      if (work(w).end_ns <= after || here.start_ns - work(w).end_ns > kStreamHandOver) return kNone;
      if (work(w).stream != here.stream && timeline_.device_of(work(w)) == timeline_.device_of(here) && work(w).start_ns < here.start_ns) return w;
    }
    return kNone;
  }

  /// The last waiting call of the thread that begins before now.
  [[nodiscard]] const Call* last_wait() const {
    const auto list = waits_.find(thread_);
    if (list == waits_.end()) return nullptr;
    const auto at = std::ranges::lower_bound(list->second, at_, std::ranges::less{}, [&](std::uint32_t c) { return timeline_.calls[c].start_ns; });
    return at == list->second.begin() ? nullptr : &timeline_.calls[*std::prev(at)];
  }

  /// Work that ended while the call waited; the latest.
  [[nodiscard]] std::uint32_t waited_for(const Call& call, std::int64_t until) const {
    const auto at = std::ranges::upper_bound(by_end_, until, std::ranges::less{}, [&](std::uint32_t w) { return work(w).end_ns; });
    if (at == by_end_.begin()) return kNone;
    const std::uint32_t w = *std::prev(at);
    return work(w).end_ns > call.start_ns && work(w).start_ns < until ? w : kNone;
  }

  void through_host() {
    const Call* wait = last_wait();
    const std::int64_t back_to = wait == nullptr ? timeline_.start_ns : std::min(wait->end_ns, at_);
    if (!through_thread(back_to)) return;  // another thread goes on
    if (wait == nullptr || at_ <= timeline_.start_ns) return;
    const std::uint32_t ended = waited_for(*wait, at_);
    if (ended == kNone) return step(wait->start_ns, PathKind::HostWait);
    step(work(ended).end_ns, PathKind::Return);
    work_ = ended;
  }

  /// What the thread did back to `back_to`; false where it handed over to another thread on the way.
  bool through_thread(std::int64_t back_to) {
    while (at_ > back_to) {
      const auto [from, what] = host_.piece_before(thread_, at_);
      const std::int64_t until = std::max({from, back_to, timeline_.start_ns});
      if (what == Activity::Nothing && at_ - until > kHandOver) {
        const auto other = host_.active_before(at_, thread_);
        if (other && other->second > until) {
          step(other->second, PathKind::Unrecorded);
          thread_ = other->first;
          return false;
        }
      }
      step(until, kind_of(what));
    }
    return true;
  }

  const Timeline& timeline_;
  HostActivity host_;
  std::int64_t at_;
  std::uint32_t work_ = kNone, thread_ = kNone;
  std::vector<std::uint32_t> before_, by_end_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> waits_;
  CriticalPath path_;
};

}  // namespace

std::string_view name(PathKind kind) {
  constexpr std::array<std::string_view, kPathKinds> kNames = {"kernel", "copy", "device_gap", "launch_latency", "launch_call", "wait_return", "host_wait", "host_memory", "host_call", "host_op", "host_python", "unrecorded"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view sentence(PathKind kind) {
  constexpr std::array<std::string_view, kPathKinds> kSentences = {
      "kernels that everything after them waited for",
      "copies and fills, likewise",
      "queued work that had not begun although its stream was free",
      "from the end of a launch call to the start of its work",
      "in calls that launch work while the device has none",
      "from the end of work to the end of the call that waited for it",
      "in waiting calls that waited for nothing that the trace shows",
      "the host allocates or frees memory",
      "the host is in other API calls",
      "the host runs framework ops",
      "the host is in Python or annotated code",
      "nothing that the trace shows"};
  return kSentences[static_cast<std::size_t>(kind)];
}

std::int64_t CriticalPath::ns() const {
  std::int64_t sum = 0;
  for (const PathPiece& piece : pieces) sum += piece.duration_ns();
  return sum;
}

CriticalPath critical_path(const Timeline& timeline) { return Walker(timeline).walk(); }

}  // namespace seam::analyzer
