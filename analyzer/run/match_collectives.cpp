#include "run/match_collectives.h"

#include <algorithm>
#include <map>
#include <optional>

namespace seam::analyzer {
namespace {

/// Recordings that begin further apart than this many collectives are not matched by order.
constexpr std::int64_t kMostShift = 64;

using Key = std::pair<std::string, CollectiveKind>;
using Places = std::vector<std::uint32_t>;

std::int64_t end_of(const RankRun& run, std::uint32_t place) { return run.timeline.work[run.calls[place].work].end_ns + run.unix_ns.value_or(0); }

std::int64_t median(std::vector<std::int64_t> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// How badly the ends of the calls fit if call i of `other` is call i + shift of `reference`: how much their distances spread, whatever the clocks; then how
/// far they lie apart. Nothing if too few have a partner.
using Misfit = std::pair<std::int64_t, std::int64_t>;
std::optional<Misfit> misfit(const RankRun& reference, const Places& a, const RankRun& other, const Places& b, std::int64_t shift) {
  std::vector<std::int64_t> off;
  for (std::int64_t i = std::max<std::int64_t>(0, -shift); i < std::ssize(b) && i + shift < std::ssize(a); ++i)
    off.push_back(end_of(other, b[static_cast<std::size_t>(i)]) - end_of(reference, a[static_cast<std::size_t>(i + shift)]));
  const auto fewer = std::min(std::ssize(a), std::ssize(b));
  if (off.empty() || std::ssize(off) < std::max(fewer / 2, std::min<std::ptrdiff_t>(fewer, 3))) return std::nullopt;
  const std::int64_t middle = median(off);
  std::vector<std::int64_t> spread;
  for (const std::int64_t one : off) spread.push_back(std::abs(one - middle));
  return Misfit{median(std::move(spread)), std::abs(middle)};
}

/// Nothing: the order does not tell.
std::optional<std::int64_t> shift_of(const RankRun& reference, const Places& a, const RankRun& other, const Places& b) {
  if (!reference.unix_ns || !other.unix_ns) return a.size() == b.size() ? std::optional<std::int64_t>(0) : std::nullopt;
  std::optional<std::int64_t> best;
  std::optional<Misfit> least;
  // Small shifts first: of equally good ones the smallest stands.
  for (std::int64_t step = 0; step <= kMostShift; ++step) {
    for (const std::int64_t shift : {step, -step}) {
      const auto off = misfit(reference, a, other, b, shift);
      if (!off || (least && *off >= *least)) continue;
      least = off;
      best = shift;
    }
  }
  return best;
}

}  // namespace

std::vector<Match> match_collectives(std::span<const RankRun> runs) {
  std::map<Key, std::vector<Places>> by_key;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    for (std::uint32_t c = 0; c < runs[r].calls.size(); ++c) {
      std::vector<Places>& places = by_key[{runs[r].calls[c].group, runs[r].calls[c].kernel}];
      places.resize(runs.size());
      places[r].push_back(c);
    }
  }
  std::vector<Match> out;
  for (const auto& [key, places] : by_key) {
    bool numbered = true;
    std::size_t reference = 0;
    for (std::size_t r = 0; r < runs.size(); ++r) {
      if (places[r].size() > places[reference].size()) reference = r;
      for (const std::uint32_t c : places[r]) numbered = numbered && runs[r].calls[c].sequence.has_value();
    }
    std::map<std::int64_t, Match> matches;
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const auto shift = numbered || r == reference ? std::optional<std::int64_t>(0) : shift_of(runs[reference], places[reference], runs[r], places[r]);
      if (!shift) continue;
      for (std::size_t i = 0; i < places[r].size(); ++i) {
        const std::int64_t index = numbered ? *runs[r].calls[places[r][i]].sequence : static_cast<std::int64_t>(i) + *shift;
        Match& match = matches[index];
        match.index = index;
        match.calls.resize(runs.size(), kNone);
        match.calls[r] = places[r][i];
      }
    }
    for (auto& [index, match] : matches)
      if (std::ranges::count(match.calls, kNone) + 2 <= std::ssize(runs)) out.push_back(std::move(match));
  }
  return out;
}

}  // namespace seam::analyzer
