#include "prepare/frontend.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace seam::planner {

namespace {
constexpr std::string_view kAttribute = "frontend_attributes";
}  // namespace

std::vector<std::string> frontend_words(const graph::Op& op, std::string_view key) {
  std::vector<std::string> out;
  for (const auto& [name, value] : op.attributes.others) {
    if (name != kAttribute) continue;
    const std::string begin = fmt::format("{}=\"", key);
    std::size_t at = value.find(begin);
    if (at == std::string::npos) continue;
    at += begin.size();
    const std::string_view names = std::string_view(value).substr(at, value.find('"', at) - at);
    for (std::size_t from = 0; from < names.size();) {
      const std::size_t to = std::min(names.find(' ', from), names.size());
      if (to > from) out.emplace_back(names.substr(from, to - from));
      from = to + 1;
    }
  }
  return out;
}

void keep_frontend_words(graph::Op& op, std::string_view key, const std::vector<std::string>& words) {
  if (words.empty()) return;
  const std::string entry = fmt::format("{}=\"{}\"", key, fmt::join(words, " "));
  for (auto& [name, value] : op.attributes.others) {
    if (name != kAttribute || !value.ends_with('}')) continue;
    value.insert(value.size() - 1, fmt::format("{}{}", value == "{}" ? "" : ",", entry));
    return;
  }
  op.attributes.others.emplace_back(kAttribute, fmt::format("{{{}}}", entry));
}

}  // namespace seam::planner
