#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "graph/text.h"
#include "read/attributes.h"
#include "read/literals.h"
#include "read/tables.h"

namespace seam::graph {
namespace {

bool has(const Graph& graph, std::string_view key) {
  return std::ranges::any_of(graph.header, [&](const auto& entry) { return entry.first == key; });
}

void print_head(std::string& out, const Graph& graph) {
  auto to = std::back_inserter(out);
  fmt::format_to(to, "graph {}\n", escaped(graph.name));
  for (const auto& [key, value] : graph.header) fmt::format_to(to, "header {}={}\n", key, value);
  // What a header attribute states is read from there; a graph that was made without one says it here.
  if (graph.is_scheduled && !has(graph, "is_scheduled")) out += "scheduled\n";
  if (!has(graph, "input_output_alias")) {
    for (const auto& [output, parameter] : graph.donated) fmt::format_to(to, "donated {} {}\n", output, parameter);
  }
  if (!graph.tables.empty()) {
    std::string_view rest = graph.tables;
    for (bool more = true; more;) {
      const std::size_t stop = rest.find('\n');
      more = stop != std::string_view::npos;
      const std::string_view line = rest.substr(0, stop);
      fmt::format_to(to, "|{}{}\n", line.empty() ? "" : " ", line);
      if (more) rest.remove_prefix(stop + 1);
    }
    return;
  }
  for (const StackFrame& frame : graph.frames) {
    fmt::format_to(to, "frame {} {} {}:{} in {}\n", escaped(frame.file), escaped(frame.function), frame.line,
                   frame.column, frame.parent);
  }
}

void print_op(std::string& out, const Graph& graph, const Computation& computation, Id<Op> id) {
  const Op& op = computation.ops[id];
  auto to = std::back_inserter(out);
  fmt::format_to(to, "  {}%{}: {} = {}", id == computation.root ? "root " : "", op.name, print(op.shape),
                 op.opcode_text.empty() ? name(op.opcode) : std::string_view(op.opcode_text));
  if (op.opcode == Opcode::Constant) fmt::format_to(to, " {}", print(op.attributes.literal, op.shape));
  if (op.opcode == Opcode::Parameter) fmt::format_to(to, " {}", op.attributes.index);
  for (const Id<Op> operand : op.operands) fmt::format_to(to, " %{}", computation.ops[operand].name);
  for (const auto& [key, value] : printed_attributes(graph, computation, op)) {
    fmt::format_to(to, " {}={}", key, value);
  }
  if (const std::string metadata = print(op.metadata); !metadata.empty()) {
    fmt::format_to(to, " @{{{}}}", metadata);
  }
  out += '\n';
}

}  // namespace

std::string print_graph(const Graph& graph) {
  std::string out;
  print_head(out, graph);
  for (std::size_t i = 0; i < graph.computations.size(); ++i) {
    const Id<Computation> id(i);
    const Computation& computation = graph.computations[id];
    out += fmt::format("\n{}computation %{}", id == graph.entry ? "entry " : "", computation.name);
    if (!computation.execution_thread.empty()) out += " thread " + escaped(computation.execution_thread);
    out += " {\n";
    for (std::size_t op = 0; op < computation.ops.size(); ++op) print_op(out, graph, computation, Id<Op>(op));
    out += "}\n";
  }
  return out;
}

}  // namespace seam::graph
