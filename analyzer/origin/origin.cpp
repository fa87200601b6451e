#include "analyzer/origin.h"

#include <algorithm>
#include <map>

#include "analyzer/op_cost.h"

namespace seam::analyzer {

using graph::Graph;
using graph::Op;

namespace {

/// Splits at '/' outside parentheses.
std::vector<std::string_view> segments(std::string_view name) {
  std::vector<std::string_view> out;
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i <= name.size(); ++i) {
    const char c = i < name.size() ? name[i] : '/';
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (c == '/' && depth <= 0) {
      if (i > start) out.push_back(name.substr(start, i - start));
      start = i + 1;
    }
  }
  return out;
}

/// "transpose(jvp(layer_norm))" -> "layer_norm", backward. What tracing adds around a name says how it is run, not what it is.
std::string_view opened(std::string_view segment, bool& backward, bool& wrapper) {
  while (true) {
    const std::size_t open = segment.find('(');
    if (open == std::string_view::npos || segment.back() != ')') return segment;
    const std::string_view head = segment.substr(0, open);
    if (head == "transpose") backward = true;
    // jit(step) and pjit(...) name the traced function itself, not a part of the model.
    if (head == "jit" || head == "pjit" || head == "jvp" || head == "vmap" || head == "transpose" || head == "remat" ||
        head == "checkpoint" || head == "custom_jvp" || head == "custom_vjp" || head == "xla_call")
      wrapper = wrapper || head == "jit" || head == "pjit" || head == "xla_call";
    segment = segment.substr(open + 1, segment.size() - open - 2);
  }
}

/// The innermost frame in somebody's function: frames of lambdas and of the tracing driver say less.
const graph::StackFrame* innermost(const Graph& graph, std::int64_t id) {
  if (id < 1 || id > static_cast<std::int64_t>(graph.frames.size())) return nullptr;
  return &graph.frames[static_cast<std::size_t>(id) - 1];
}

}  // namespace

Origin origin_of(const Graph& graph, const Op& op) {
  Origin origin;
  const std::vector<std::string_view> parts = segments(op.metadata.op_name);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    bool wrapper = false;
    const std::string_view inner = opened(parts[i], origin.backward, wrapper);
    if (i + 1 == parts.size()) {
      origin.primitive = inner;
      continue;
    }
    if (wrapper || inner.empty() || inner == "while" || inner == "body" || inner == "cond" || inner == "closed_call") continue;
    if (!origin.scope.empty()) origin.scope += '/';
    origin.scope += inner;
  }
  if (const graph::StackFrame* frame = innermost(graph, op.metadata.stack_frame_id)) {
    origin.function = frame->function;
    origin.line = frame->line;
  }
  return origin;
}

std::string OriginGroup::label() const {
  const std::string base = scope.empty() ? "(unnamed)" : scope;
  return backward ? base + " (backward)" : base;
}

std::vector<OriginGroup> origin_groups(const Graph& graph) {
  std::vector<OriginGroup> groups;
  const std::vector<std::int64_t> runs = runs_of(graph);
  for (std::size_t c = 0; c < graph.computations.size(); ++c) {
    if (runs[c] < 0) continue;
    const Id<graph::Computation> id(c);
    std::map<std::pair<std::string, bool>, std::size_t> index;
    for (std::size_t i = 0; i < graph.computations[id].ops.size(); ++i) {
      const Op& op = graph.computations[id].ops[Id<Op>(i)];
      if (moves_nothing(graph.computations[id], op)) continue;
      const Origin origin = origin_of(graph, op);
      const std::string scope = origin.scope.empty() ? origin.function : origin.scope;
      const auto [found, fresh] = index.try_emplace({scope, origin.backward}, groups.size());
      if (fresh) groups.push_back({scope, origin.backward, id, {}});
      groups[found->second].ops.push_back(Id<Op>(i));
    }
  }
  return groups;
}

}  // namespace seam::analyzer
