#include "graph/cuts.h"

#include <charconv>
#include <string>
#include <string_view>

namespace seam::graph {
namespace {

constexpr std::string_view kHeader = "cuts";

}  // namespace

void set_cuts(Graph& graph, std::int64_t count) {
  std::erase_if(graph.header, [](const auto& entry) { return entry.first == kHeader; });
  if (count > 0) graph.header.emplace_back(kHeader, std::to_string(count));
}

std::int64_t cuts(const Graph& graph) {
  std::int64_t count = 0;
  for (const auto& [key, value] : graph.header)
    if (key == kHeader) std::from_chars(value.data(), value.data() + value.size(), count);
  return count;
}

}  // namespace seam::graph
