#include "analyzer/sequences.h"

#include <algorithm>
#include <map>

namespace seam::analyzer {
namespace {

/// Kernels that do little with every element they touch: what fusions are made of. What nobody knows is left alone.
bool stitchable(const Timeline& timeline, const Work& work) {
  if (work.kind != Work::Kind::Kernel) return false;
  switch (timeline.class_of(work)) {
    case graph::WorkClass::Elementwise:
    case graph::WorkClass::Normalization:
    case graph::WorkClass::Layout: return true;
    default: return false;
  }
}

struct Open {
  std::vector<std::uint32_t> works;
};

}  // namespace

std::vector<Sequence> sequences(const Timeline& timeline, std::int64_t most_gap_ns) {
  std::map<std::vector<std::uint32_t>, Sequence> found;
  std::vector<Open> open(timeline.streams.size());
  const auto close = [&](Open& run) {
    if (run.works.size() > 1) {
      std::vector<std::uint32_t> names;
      for (const std::uint32_t w : run.works) names.push_back(timeline.work[w].name);
      Sequence& sequence = found[names];
      if (sequence.times++ == 0) {
        sequence.names = names;
        sequence.first = run.works.front();
      }
      std::int64_t longest = 0;
      for (std::size_t i = 0; i < run.works.size(); ++i) {
        const Work& work = timeline.work[run.works[i]];
        sequence.kernels_ns += work.duration_ns();
        longest = std::max(longest, work.duration_ns());
        if (i > 0) sequence.gaps_ns += std::max<std::int64_t>(0, work.start_ns - timeline.work[run.works[i - 1]].end_ns);
      }
      sequence.longest_ns += longest;
    }
    run.works.clear();
  };
  for (std::uint32_t w = 0; w < timeline.work.size(); ++w) {
    const Work& work = timeline.work[w];
    Open& run = open[work.stream];
    if (!stitchable(timeline, work)) {
      close(run);
      continue;
    }
    if (!run.works.empty() && work.start_ns - timeline.work[run.works.back()].end_ns > most_gap_ns) close(run);
    run.works.push_back(w);
  }
  for (Open& run : open) close(run);
  std::vector<Sequence> out;
  for (auto& [names, sequence] : found) out.push_back(std::move(sequence));
  std::ranges::sort(out, [](const Sequence& a, const Sequence& b) { return a.gain_high_ns() != b.gain_high_ns() ? a.gain_high_ns() > b.gain_high_ns() : a.first < b.first; });
  return out;
}

}  // namespace seam::analyzer
