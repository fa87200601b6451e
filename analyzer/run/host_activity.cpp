#include "run/host_activity.h"

#include <algorithm>

namespace seam::analyzer {
namespace {

struct Edge {
  std::int64_t at = 0;
  std::uint8_t what = 0;
  std::int8_t step = 0;
};

Activity activity_of(CallKind kind) { return kind == CallKind::Wait ? Activity::Wait : kind == CallKind::Memory ? Activity::Memory : Activity::Call; }

}  // namespace

HostActivity::HostActivity(const Timeline& timeline) {
  std::map<std::uint32_t, std::vector<Edge>> edges;
  const auto add = [&](std::uint32_t thread, std::int64_t start, std::int64_t end, Activity what) {
    if (end <= start) return;
    edges[thread].push_back({start, static_cast<std::uint8_t>(what), 1});
    edges[thread].push_back({end, static_cast<std::uint8_t>(what), -1});
  };
  std::map<std::uint32_t, std::size_t> counts;
  for (const Call& call : timeline.calls) counts[call.thread] += 2;
  for (const HostSpan& span : timeline.spans) counts[span.thread] += 2;
  for (const auto& [thread, count] : counts) edges[thread].reserve(count);
  for (const Call& call : timeline.calls) add(call.thread, call.start_ns, call.end_ns, activity_of(call.kind));
  for (const HostSpan& span : timeline.spans) add(span.thread, span.start_ns, span.end_ns, span.op ? Activity::Op : Activity::Python);
  for (auto& [thread, list] : edges) {
    std::ranges::sort(list, std::ranges::less{}, &Edge::at);
    std::array<std::int64_t, kActivities> open{};
    std::vector<Piece>& pieces = threads_[thread];
    pieces.reserve(list.size());
    for (std::size_t i = 0; i < list.size();) {
      const std::int64_t at = list[i].at;
      for (; i < list.size() && list[i].at == at; ++i) open[list[i].what] += list[i].step;
      std::uint8_t strongest = kActivities - 1;
      while (strongest > 0 && open[strongest] == 0) --strongest;
      const auto what = static_cast<Activity>(strongest);
      if (pieces.empty() || pieces.back().what != what) pieces.push_back({at, what});
    }
    pieces.shrink_to_fit();
    list = {};
  }
}

std::array<std::int64_t, kActivities> HostActivity::within(std::uint32_t thread, std::int64_t from, std::int64_t to) const {
  std::array<std::int64_t, kActivities> out{};
  if (to <= from) return out;
  const auto found = threads_.find(thread);
  if (found == threads_.end()) {
    out[0] = to - from;
    return out;
  }
  const std::vector<Piece>& pieces = found->second;
  auto at = std::ranges::upper_bound(pieces, from, std::ranges::less{}, &Piece::from_ns);
  Activity what = at == pieces.begin() ? Activity::Nothing : std::prev(at)->what;
  for (std::int64_t t = from; t < to;) {
    const std::int64_t until = at == pieces.end() ? to : std::min(to, at->from_ns);
    out[static_cast<std::size_t>(what)] += until - t;
    t = until;
    if (at == pieces.end()) break;
    what = at->what;
    ++at;
  }
  return out;
}

std::pair<std::int64_t, Activity> HostActivity::piece_before(std::uint32_t thread, std::int64_t at) const {
  const auto found = threads_.find(thread);
  if (found == threads_.end()) return {INT64_MIN, Activity::Nothing};
  const auto next = std::ranges::lower_bound(found->second, at, std::ranges::less{}, &Piece::from_ns);
  if (next == found->second.begin()) return {INT64_MIN, Activity::Nothing};
  return {std::prev(next)->from_ns, std::prev(next)->what};
}

std::optional<std::pair<std::uint32_t, std::int64_t>> HostActivity::active_before(std::int64_t at, std::uint32_t but) const {
  std::optional<std::pair<std::uint32_t, std::int64_t>> best;
  for (const auto& [thread, pieces] : threads_) {
    if (thread == but) continue;
    const auto next = std::ranges::lower_bound(pieces, at, std::ranges::less{}, &Piece::from_ns);
    if (next == pieces.begin()) continue;
    const Piece& last = *std::prev(next);
    const std::int64_t until = last.what == Activity::Nothing ? last.from_ns : at;
    if (!best || until > best->second) best = {thread, until};
  }
  return best;
}

}  // namespace seam::analyzer
