#include "run/rank_findings.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/units.h"

namespace seam::analyzer {
namespace {

std::string time(std::int64_t ns) { return human_microseconds(static_cast<double>(ns) / 1e3); }
std::string percent(std::int64_t part, std::int64_t whole) { return human_percent(static_cast<double>(part), static_cast<double>(whole)); }
bool most(std::int64_t part, std::int64_t whole, double share) { return whole > 0 && static_cast<double>(part) >= share * static_cast<double>(whole); }

constexpr std::string_view kCollectiveRows = "SELECT name, count(*), sum(duration_ns), min(duration_ns), max(duration_ns) FROM collective_launches GROUP BY name";
constexpr std::string_view kKernelRows = "SELECT name, launches, total_ns FROM kernel_summary ORDER BY total_ns DESC";

/// One rank that the others wait for, again and again: 5 % of the job, half of the collectives.
void add_straggler(const RankSet& set, std::vector<Finding>& out) {
  if (set.waits.empty()) return;
  const RankWaits& worst = *std::ranges::max_element(set.waits, {}, &RankWaits::caused_ns);
  if (!most(worst.caused_ns, set.wall_ns, 0.05) || !most(worst.times_last, worst.whole, 0.5)) return;
  out.push_back({"straggler",
                 fmt::format("rank {} comes last to {} of {} collectives: each would begin earlier by {} in all ({} of the job) if it came when the last but one does", worst.rank, human_count(worst.times_last), human_count(worst.whole), time(worst.caused_ns),
                             percent(worst.caused_ns, set.wall_ns)),
                 "analyze that rank alone, beside another one (seam diff): more work, a slower device, a host that launches late", Effort::Line, worst.caused_ns, set.wall_ns, 0, worst.caused_ns, kCollectiveRows});
}

/// Communication that is waiting: half of the time in communication kernels.
void add_waiting(const RankSet& set, std::vector<Finding>& out) {
  std::int64_t waited = 0, communication = 0, walls = 0;
  for (const Collective& one : set.collectives) waited += one.waited_ns;
  for (const RankShare& share : set.shares) {
    communication += share.communication_ns;
    walls += share.wall_ns;
  }
  if (!most(waited, communication, 0.5) || !most(waited, walls, 0.05)) return;
  const std::int64_t high = waited / std::max<std::int64_t>(1, std::ssize(set.shares));
  out.push_back({"waits-at-collectives", fmt::format("{} of {} in communication kernels ({}) is waiting for ranks that come later, not moving data", time(waited), time(communication), percent(waited, communication)),
                 "a faster network does not help here; make the ranks arrive together: even batches and shards, one device type, pinned host threads", Effort::Line, waited, communication, 0, std::min(high, set.wall_ns), kCollectiveRows});
}

/// The rank that computes most, against the mean: 10 %.
void add_imbalance(const RankSet& set, std::vector<Finding>& out) {
  std::map<std::int64_t, std::int64_t> by_rank;
  std::int64_t sum = 0;
  for (const RankShare& share : set.shares) {
    by_rank[share.rank] += share.computation_ns;
    sum += share.computation_ns;
  }
  if (by_rank.size() < 2) return;
  const auto worst = std::ranges::max_element(by_rank, {}, [](const auto& one) { return one.second; });
  const std::int64_t mean = sum / std::ssize(by_rank), more = worst->second - mean;
  if (!most(more, mean, 0.10) || !most(more, set.wall_ns, 0.01)) return;
  out.push_back({"imbalance", fmt::format("rank {} computes for {}, the ranks on average for {}", worst->first, time(worst->second), time(mean)), "shard by cost, not by count: embedding tables by their rows and lookups, sequences by their length, experts by their load", Effort::Rewrite,
                 more, worst->second, 0, more, kKernelRows});
}

/// Communication that nothing covers: 10 % of all ranks' time.
void add_exposed(const RankSet& set, std::vector<Finding>& out) {
  std::int64_t exposed = 0, communication = 0, walls = 0;
  for (const RankShare& share : set.shares) {
    exposed += share.exposed_ns;
    communication += share.communication_ns;
    walls += share.wall_ns;
  }
  if (!most(exposed, walls, 0.10)) return;
  out.push_back({"exposed-communication", fmt::format("{} of {} communication runs while its device computes nothing ({} of all ranks' time)", time(exposed), time(communication), percent(exposed, walls)),
                 "larger or earlier buckets (DDP bucket_cap_mb), FSDP prefetch, communication on a stream of its own", Effort::Flag, exposed, walls, 0, exposed / std::max<std::int64_t>(1, std::ssize(set.shares)), kCollectiveRows});
}

/// Ranks that do different work: counts of launches that differ by 10 %.
void add_uneven(const RankSet& set, std::vector<Finding>& out) {
  if (set.shares.size() < 2) return;
  const auto [least, largest] = std::ranges::minmax_element(set.shares, {}, &RankShare::launches);
  if (!most(largest->launches - least->launches, largest->launches, 0.10)) return;
  out.push_back({"uneven-work", fmt::format("rank {} records {} pieces of work, rank {} {}", largest->rank, human_count(largest->launches), least->rank, human_count(least->launches)),
                 "look whether the recordings cover the same steps; if they do, the ranks run different programs", Effort::Line, 0, set.wall_ns, 0, 0, kKernelRows});
}

}  // namespace

std::vector<Finding> rank_findings(const RankSet& set) {
  std::vector<Finding> out;
  add_straggler(set, out);
  add_waiting(set, out);
  add_imbalance(set, out);
  add_exposed(set, out);
  add_uneven(set, out);
  std::ranges::stable_sort(out, [](const Finding& a, const Finding& b) { return a.effort != b.effort ? a.effort < b.effort : a.gain_high_ns > b.gain_high_ns; });
  return out;
}

}  // namespace seam::analyzer
