#include "run/gaps.h"

#include <algorithm>

namespace seam::analyzer {

Causes causes_of_gap(const Timeline& timeline, const HostActivity& host, const Work& next, std::int64_t from, std::int64_t to) {
  Causes out{};
  const auto add = [&](IdleCause cause, std::int64_t ns) { out[static_cast<std::size_t>(cause)] += ns; };
  if (next.call == kNone) {
    add(timeline.evidence == Evidence::Modelled ? IdleCause::ModelledGap : IdleCause::NoLaunch, to - from);
    return out;
  }
  const Call& call = timeline.calls[next.call];
  // The host got to the launch only now.
  if (const std::int64_t until = std::clamp(call.start_ns, from, to); until > from) {
    const auto parts = host.within(call.thread, from, until);
    add(IdleCause::HostWaits, parts[static_cast<std::size_t>(Activity::Wait)]);
    add(IdleCause::HostMemory, parts[static_cast<std::size_t>(Activity::Memory)]);
    add(IdleCause::HostCalls, parts[static_cast<std::size_t>(Activity::Call)]);
    add(IdleCause::HostOps, parts[static_cast<std::size_t>(Activity::Op)]);
    add(IdleCause::HostPython, parts[static_cast<std::size_t>(Activity::Python)]);
    add(IdleCause::HostUnrecorded, parts[static_cast<std::size_t>(Activity::Nothing)]);
    from = until;
  }
  if (const std::int64_t until = std::clamp(call.end_ns, from, to); call.end_ns > from && to > from) {
    add(IdleCause::LaunchCall, until - from);
    add(IdleCause::LaunchLatency, to - until);
  } else if (to > from) {
    add(to - from <= kQueuedGap ? IdleCause::BetweenQueued : IdleCause::QueuedWait, to - from);
  }
  return out;
}

}  // namespace seam::analyzer
