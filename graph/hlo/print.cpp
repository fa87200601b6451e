#include <fmt/core.h>
#include <fmt/format.h>

#include <iterator>

#include "graph/hlo.h"
#include "read/attributes.h"
#include "read/literals.h"
#include "read/tables.h"

namespace seam::graph {
namespace {

void print_op(std::string& out, const Graph& graph, const Computation& computation, Id<Op> id) {
  const Op& op = computation.ops[id];
  auto to = std::back_inserter(out);
  fmt::format_to(to, "  {}%{} = {} {}(", id == computation.root ? "ROOT " : "", op.name, print(op.shape),
                 op.opcode_text.empty() ? name(op.opcode) : std::string_view(op.opcode_text));
  if (op.opcode == Opcode::Constant) {
    out += print(op.attributes.literal, op.shape);
  } else if (op.opcode == Opcode::Parameter) {
    out += fmt::to_string(op.attributes.index);
  }
  for (std::size_t i = 0; i < op.operands.size(); ++i) {
    if (i > 0) out += ", ";
    out += '%';
    out += computation.ops[op.operands[i]].name;
  }
  out += ')';
  for (const auto& [key, value] : printed_attributes(graph, computation, op)) {
    fmt::format_to(to, ", {}={}", key, value);
  }
  if (const std::string metadata = print(op.metadata); !metadata.empty()) {
    fmt::format_to(to, ", metadata={{{}}}", metadata);
  }
  out += '\n';
}

}  // namespace

std::string print_hlo(const Graph& graph) {
  std::string out;
  const std::string tables = print_tables(graph);
  if (!graph.name.empty() || !graph.header.empty() || !tables.empty()) {
    out = fmt::format("HloModule {}", graph.name.empty() ? "module" : graph.name);
    for (const auto& [key, value] : graph.header) out += fmt::format(", {}={}", key, value);
    out += '\n';
  }
  if (!tables.empty()) out += '\n' + tables + '\n';
  for (std::size_t i = 0; i < graph.computations.size(); ++i) {
    const Id<Computation> id(i);
    const Computation& computation = graph.computations[id];
    out += fmt::format("\n{}%{} {{\n", id == graph.entry ? "ENTRY " : "", computation.name);
    for (std::size_t op = 0; op < computation.ops.size(); ++op) {
      print_op(out, graph, computation, Id<Op>(op));
    }
    out += '}';
    if (!computation.execution_thread.empty()) {
      out += ", execution_thread=" + escaped(computation.execution_thread);
    }
    out += '\n';
  }
  return out;
}

}  // namespace seam::graph
