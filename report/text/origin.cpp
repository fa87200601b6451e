#include "report/origin.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

namespace seam::report {
namespace {

/// Parts between slashes; a slash inside brackets does not split.
std::vector<std::string_view> segments(std::string_view path) {
  std::vector<std::string_view> out;
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i <= path.size(); ++i) {
    if (i == path.size() || (path[i] == '/' && depth == 0)) {
      out.push_back(path.substr(start, i - start));
      start = i + 1;
    } else if (path[i] == '(' || path[i] == '[') {
      ++depth;
    } else if (path[i] == ')' || path[i] == ']') {
      --depth;
    }
  }
  return out;
}

/// "name(inside)" → inside.
bool unwrap(std::string_view& segment, std::string_view name) {
  if (!segment.starts_with(name) || segment.size() < name.size() + 2 || segment[name.size()] != '(' || !segment.ends_with(')')) return false;
  segment = segment.substr(name.size() + 1, segment.size() - name.size() - 2);
  return true;
}

}  // namespace

std::string origin_label(std::string_view op_name) {
  std::vector<std::string_view> parts = segments(op_name);
  if (parts.size() < 2) return {};
  parts.pop_back();  // the primitive
  std::string out;
  bool backward = false;
  for (std::string_view part : parts) {
    bool wrapped = true;
    bool function = false;
    while (wrapped) {
      wrapped = false;
      if (unwrap(part, "transpose")) wrapped = backward = true;
      for (const char* wrapper : {"jvp", "vmap", "remat", "checkpoint", "custom_jvp", "custom_vjp"}) wrapped |= unwrap(part, wrapper);
      if (unwrap(part, "jit") || unwrap(part, "pjit")) wrapped = function = true;
    }
    // A jit's own name is the step or an internal helper: says nothing of the model.
    if (part.empty() || function || part == "main" || part == "while" || part == "body" || part == "closed_call") continue;
    out += (out.empty() ? "" : "/") + std::string(part);
  }
  if (!out.empty() && backward) out += ", backward";
  return out;
}

std::vector<OriginCount> origins_of(const KernelView& kernel) {
  std::map<std::string, std::size_t> counts;
  std::set<Id<graph::Op>> seen;
  for (const planner::Part& part : kernel.group.parts) {
    for (const planner::PlannedOp& planned : part.ops) {
      if (seen.insert(planned.op).second) ++counts[origin_label(kernel.computation.ops[planned.op].metadata.op_name)];
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
