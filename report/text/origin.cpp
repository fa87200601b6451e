#include "report/origin.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "analyzer/origin.h"

namespace seam::report {
std::string origin_label(const graph::Graph& graph, const graph::Op& op) {
  const analyzer::Origin origin = analyzer::origin_of(graph, op);
  const std::string& what = origin.scope.empty() ? origin.function : origin.scope;
  return what.empty() || !origin.backward ? what : what + ", backward";
}

std::vector<OriginCount> origins_of(const KernelView& kernel) {
  std::map<std::string, std::size_t> counts;
  std::set<Id<graph::Op>> seen;
  for (const planner::Part& part : kernel.group.parts) {
    for (const planner::PlannedOp& planned : part.ops) {
      if (seen.insert(planned.op).second) ++counts[origin_label(kernel.graph, kernel.computation.ops[planned.op])];
    }
  }
  std::vector<OriginCount> out;
  for (const auto& [label, ops] : counts) out.push_back({label, ops});
  std::ranges::stable_sort(out, [](const OriginCount& a, const OriginCount& b) { return a.ops > b.ops; });
  return out;
}

std::string title_of(const KernelView& kernel) {
  std::vector<OriginCount> origins = origins_of(kernel);
  std::erase_if(origins, [](const OriginCount& o) { return o.label.empty(); });
  std::string out;
  constexpr std::size_t kMost = 2;
  for (std::size_t i = 0; i < std::min(kMost, origins.size()); ++i) out += (i == 0 ? "" : " · ") + origins[i].label;
  if (origins.size() > kMost) out += fmt::format(" and {} more", origins.size() - kMost);
  return out;
}

}  // namespace seam::report
