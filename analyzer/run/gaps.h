#pragma once
/// What devices do one after another: gaps between their work, told by cause, and the work.
#include <array>
#include <cstdint>
#include <map>

#include "analyzer/occupation.h"
#include "run/host_activity.h"

namespace seam::analyzer {

using Causes = std::array<std::int64_t, kIdleCauses>;

/// The gap [from, to) before `next`, piece by piece.
[[nodiscard]] Causes causes_of_gap(const Timeline& timeline, const HostActivity& host, const Work& next, std::int64_t from, std::int64_t to);

/// Calls visit(device, work, until) in order of starts: `until` is when the device had done all that began before; where that is before the work's start, a gap
/// lies between them. Returns until when each device was busy.
template <class Visit>
std::map<std::int64_t, std::int64_t> for_each_work(const Timeline& timeline, Visit&& visit) {
  std::map<std::int64_t, std::int64_t> busy_until;
  for (const Work& work : timeline.work) {
    const std::int64_t device = timeline.device_of(work);
    std::int64_t& until = busy_until.try_emplace(device, timeline.start_ns).first->second;
    visit(device, work, until);
    until = std::max(until, work.end_ns);
  }
  return busy_until;
}

}  // namespace seam::analyzer
