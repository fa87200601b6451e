/// What one launch writes and later ones read again: the traffic that fusion can remove (analyzer/movement.h).
#include <algorithm>
#include <tuple>

#include "analyzer/movement.h"

namespace seam::analyzer {

using graph::Op;

std::vector<Reread> rereads_of(const graph::Graph& graph, const std::vector<LaunchTraffic>& launches) {
  std::map<std::pair<Id<graph::Computation>, Id<Op>>, Reread> values;
  for (const LaunchTraffic& launch : launches) {
    for (const auto& [value, crossing] : launch.traffic.reads) {
      const auto found = values.find({launch.computation, value});
      if (found == values.end()) continue;
      ++found->second.readers;
      found->second.bytes_reread += launch.runs * crossing.bytes;
    }
    for (const auto& [value, crossing] : launch.traffic.writes) {
      // A copy that a kernel then updates in place is one value with two writers: the last one is named.
      Reread& entry = values.try_emplace({launch.computation, value}, Reread{graph.computations[launch.computation].ops[value].name, "", 0, 0, 0}).first->second;
      entry.writer = launch.name;
      entry.bytes_written += launch.runs * crossing.bytes;
    }
  }
  std::vector<Reread> out;
  for (auto& [key, value] : values)
    if (value.readers > 0) out.push_back(std::move(value));
  std::ranges::sort(out, [](const Reread& a, const Reread& b) { return std::tie(b.bytes_reread, a.value) < std::tie(a.bytes_reread, b.value); });
  return out;
}

}  // namespace seam::analyzer
