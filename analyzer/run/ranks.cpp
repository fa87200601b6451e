#include "analyzer/ranks.h"

#include <algorithm>
#include <map>
#include <set>

#include "run/match_collectives.h"
#include "run/rank_findings.h"

namespace seam::analyzer {
namespace {

/// Instants of a run before its offset is known: Unix time where every rank says it, the run's own clock otherwise.
class Instants {
 public:
  explicit Instants(std::span<const RankRun> runs) : shared_(std::ranges::all_of(runs, [](const RankRun& run) { return run.unix_ns.has_value(); })) {}
  [[nodiscard]] bool shared() const { return shared_; }
  [[nodiscard]] std::int64_t of(const RankRun& run, std::int64_t time) const { return shared_ ? time + *run.unix_ns : time; }
  [[nodiscard]] std::int64_t start(const RankRun& run, std::uint32_t call) const { return of(run, work(run, call).start_ns); }
  [[nodiscard]] std::int64_t end(const RankRun& run, std::uint32_t call) const { return of(run, work(run, call).end_ns); }

 private:
  [[nodiscard]] static const Work& work(const RankRun& run, std::uint32_t call) { return run.timeline.work[run.calls[call].work]; }
  bool shared_;
};

std::int64_t median(std::vector<std::int64_t> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::ranges::nth_element(values, middle);
  return *middle;
}

RankClock clock_of(std::span<const RankRun> runs, std::size_t r, const std::vector<Match>& matches, const Instants& at) {
  RankClock out{.rank = runs[r].rank, .aligned = at.shared() || r == 0, .error_ns = r == 0 ? std::optional<std::int64_t>(0) : std::nullopt};
  if (r == 0) return out;
  std::optional<std::int64_t> low, high;
  std::vector<std::int64_t> ends;
  for (const Match& match : matches) {
    const std::uint32_t here = match.calls[r], first = match.calls[0];
    if (here == kNone || first == kNone) continue;
    ++out.sync_points;
    ends.push_back(at.end(runs[0], first) - at.end(runs[r], here));
    if (!all_wait_for_all(runs[r].calls[here].kernel)) continue;
    const std::int64_t least = at.start(runs[0], first) - at.end(runs[r], here), most = at.end(runs[0], first) - at.start(runs[r], here);
    low = std::max(low.value_or(least), least);
    high = std::min(high.value_or(most), most);
  }
  if (ends.empty()) return out;
  out.aligned = true;
  out.contradicts = low && *low > *high;
  const std::int64_t by_ends = median(std::move(ends));
  if (out.contradicts || (!low && !at.shared())) {
    out.offset_ns = by_ends;
  } else if (low) {
    const bool stands = at.shared() && *low <= 0 && *high >= 0;
    out.offset_ns = stands ? 0 : std::clamp(by_ends, *low, *high);
    out.error_ns = std::max(out.offset_ns - *low, *high - out.offset_ns);
  }
  return out;
}

/// Bandwidth says something only where everyone who takes part is seen.
std::int64_t size_of_group(std::span<const RankRun> runs, const RankRun& run, const CollectiveCall& call) {
  return call.group_size.value_or(run.world.value_or(std::ssize(runs)));
}

Collective collective_of(std::span<const RankRun> runs, const Match& match, const std::vector<RankClock>& clocks, const Instants& at, std::int64_t zero) {
  Collective out;
  out.index = match.index;
  bool same = true;
  std::optional<std::int64_t> bytes;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const std::uint32_t place = match.calls[r];
    if (place == kNone || !clocks[r].aligned) continue;
    const CollectiveCall& call = runs[r].calls[place];
    if (out.members.empty()) {
      out.kind = call.kind;
      out.group = call.group;
      bytes = call.bytes;
      out.whole = std::ranges::count_if(match.calls, [](std::uint32_t c) { return c != kNone; }) == size_of_group(runs, runs[r], call);
    }
    same = same && call.bytes == bytes;
    const std::int64_t offset = clocks[r].offset_ns - zero;
    out.members.push_back({runs[r].rank, at.start(runs[r], place) + offset, at.end(runs[r], place) + offset, call.bytes, call.work});
  }
  if (out.members.size() < 2) return out;
  if (out.whole && same) out.bytes = bytes;
  const auto last = std::ranges::max_element(out.members, {}, &Member::start_ns);
  const std::int64_t first = std::ranges::min_element(out.members, {}, &Member::start_ns)->start_ns;
  out.last = last->rank;
  out.skew_ns = last->start_ns - first;
  std::int64_t before = first, end = last->end_ns;
  for (const Member& one : out.members) {
    out.waited_ns += std::max<std::int64_t>(0, std::min(one.end_ns, last->start_ns) - one.start_ns);
    if (&one != &*last) before = std::max(before, one.start_ns);
    end = std::max(end, one.end_ns);
  }
  out.caused_ns = out.whole ? last->start_ns - before : 0;
  out.transfer_ns = end - last->start_ns;
  return out;
}

void add_shares(const RankRun& run, std::vector<RankShare>& into) {
  const std::vector<Overlap> overlaps = communication_overlap(run.timeline);
  for (const Occupation& one : occupation(run.timeline)) {
    RankShare& share = into.emplace_back();
    share.rank = run.rank;
    share.device = one.device;
    share.wall_ns = one.wall_ns;
    share.busy_ns = one.busy_ns;
    share.launches = one.launches;
    const auto at = std::ranges::find(overlaps, one.device, &Overlap::device);
    if (at == overlaps.end()) continue;
    share.computation_ns = at->computation_ns;
    share.communication_ns = at->communication_ns;
    share.exposed_ns = at->exposed_ns();
  }
}

}  // namespace

std::optional<double> Collective::algorithm_bytes_per_s() const {
  return bytes && transfer_ns > 0 ? std::optional(static_cast<double>(*bytes) / (static_cast<double>(transfer_ns) / 1e9)) : std::nullopt;
}

std::optional<double> Collective::bus_bytes_per_s() const {
  const auto algorithm = algorithm_bytes_per_s();
  const auto factor = bus_factor(kind, std::ssize(members));
  return algorithm && factor ? std::optional(*algorithm * *factor) : std::nullopt;
}

RankSet rank_set(std::span<const RankRun> runs) {
  RankSet out;
  const Instants at(runs);
  const std::vector<Match> matches = match_collectives(runs);
  std::optional<std::int64_t> first, last;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    add_shares(runs[r], out.shares);
    const RankClock& clock = out.clocks.emplace_back(clock_of(runs, r, matches, at));
    out.waits.push_back({.rank = runs[r].rank});
    if (!clock.aligned) continue;
    const std::int64_t from = at.of(runs[r], runs[r].timeline.start_ns) + clock.offset_ns, to = at.of(runs[r], runs[r].timeline.end_ns) + clock.offset_ns;
    first = std::min(first.value_or(from), from);
    last = std::max(last.value_or(to), to);
  }
  out.start_ns = first.value_or(0);
  out.wall_ns = last.value_or(0) - out.start_ns;
  std::vector<std::set<std::uint32_t>> seen(runs.size());
  for (const Match& match : matches) {
    Collective one = collective_of(runs, match, out.clocks, at, out.start_ns);
    if (one.members.size() < 2) continue;
    for (const Member& member : one.members) {
      const auto r = static_cast<std::size_t>(std::ranges::find(runs, member.rank, &RankRun::rank) - runs.begin());
      seen[r].insert(member.work);
      RankWaits& waits = out.waits[r];
      ++waits.collectives;
      waits.whole += one.whole ? 1 : 0;
      if (member.rank != one.last) {
        // Of this one alone; the sum over members is the collective's.
        const std::int64_t until = std::ranges::find(one.members, one.last, &Member::rank)->start_ns;
        waits.waited_ns += std::max<std::int64_t>(0, std::min(member.end_ns, until) - member.start_ns);
      } else {
        waits.times_last += one.whole ? 1 : 0;
        waits.caused_ns += one.caused_ns;
      }
    }
    out.collectives.push_back(std::move(one));
  }
  for (std::size_t r = 0; r < runs.size(); ++r) out.unmatched += std::ssize(runs[r].calls) - std::ssize(seen[r]);
  std::ranges::stable_sort(out.collectives, std::ranges::less{}, [](const Collective& one) { return std::ranges::min_element(one.members, {}, &Member::start_ns)->start_ns; });
  out.findings = rank_findings(out);
  return out;
}

}  // namespace seam::analyzer
