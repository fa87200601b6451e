#include "analyzer/critical_path.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "run/causes.h"
#include "run/host_activity.h"

namespace seam::analyzer {
namespace {

/// A thread that shows nothing for longer than this while another one is active waited for that one (autograd's thread for the main one, and back).
constexpr std::int64_t kHandOver = 20'000;

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
  explicit Walker(const Timeline& timeline) : timeline_(timeline), host_(timeline), causes_(timeline), at_(timeline.end_ns) {
    for (const std::uint32_t c : causes_.waiting_calls()) waits_[timeline.calls[c].thread].push_back(c);
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

  /// Whatever ends last.
  void begin() {
    if (causes_.last() != kNone && work(causes_.last()).end_ns == at_) {
      work_ = causes_.last();
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
    const Cause cause = causes_.of(w);
    work_ = cause.work;
    if (cause.work != kNone) {
      step(cause.since_ns, PathKind::DeviceGap, w);
      if (cause.inferred && !path_.pieces.empty()) path_.pieces.back().inferred = true;
      return;
    }
    if (cause.call == kNone) return step(timeline_.start_ns, PathKind::Unrecorded);
    const Call& call = timeline_.calls[cause.call];
    if (call.end_ns <= at_) step(cause.since_ns, PathKind::Latency, w);
    thread_ = call.thread;
    step(call.start_ns, PathKind::Launch, w);
  }

  /// The last waiting call of the thread that begins before now.
  [[nodiscard]] const Call* last_wait() const {
    const auto list = waits_.find(thread_);
    if (list == waits_.end()) return nullptr;
    const auto at = std::ranges::lower_bound(list->second, at_, std::ranges::less{}, [&](std::uint32_t c) { return timeline_.calls[c].start_ns; });
    return at == list->second.begin() ? nullptr : &timeline_.calls[*std::prev(at)];
  }

  void through_host() {
    const Call* wait = last_wait();
    const std::int64_t back_to = wait == nullptr ? timeline_.start_ns : std::min(wait->end_ns, at_);
    if (!through_thread(back_to)) return;  // another thread goes on
    if (wait == nullptr || at_ <= timeline_.start_ns) return;
    const std::uint32_t ended = causes_.waited_for(*wait, at_);
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
  Causes causes_;
  std::int64_t at_;
  std::uint32_t work_ = kNone, thread_ = kNone;
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
