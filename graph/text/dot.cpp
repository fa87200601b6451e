#include <fmt/core.h>
#include <fmt/format.h>

#include "graph/text.h"

namespace seam::graph {
namespace {

std::string_view colour(OpClass op_class) {
  switch (op_class) {
    case OpClass::Elementwise: return "#d5e8f8";
    case OpClass::Reduce: return "#fbe0c3";
    case OpClass::Contraction: return "#f6c9c9";
    case OpClass::Library: return "#e6d0ee";
    case OpClass::Layout:
    case OpClass::Scatter: return "#d9efd3";
    case OpClass::Communication: return "#f9f0b8";
    default: return "#f2f2f2";
  }
}

std::string label(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string human(std::int64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  const double kib = static_cast<double>(bytes) / 1024;
  return kib < 1024 ? fmt::format("{:.1f} KiB", kib) : fmt::format("{:.1f} MiB", kib / 1024);
}

void print_cluster(std::string& out, const Graph& graph, Id<Computation> id) {
  const Computation& computation = graph.computations[id];
  out += fmt::format("  subgraph cluster_{} {{\n    label=\"{}{}\";\n", id.index(), label(computation.name),
                     id == graph.entry ? " (entry)" : "");
  for (std::size_t i = 0; i < computation.ops.size(); ++i) {
    const Op& op = computation.ops[Id<Op>(i)];
    out += fmt::format("    n{}_{} [label=\"{}\\n{} {}\" fillcolor=\"{}\"{}];\n", id.index(), i, label(op.name),
                       name(op.opcode), label(print(op.shape)), colour(op_class(op.opcode)),
                       Id<Op>(i) == computation.root ? " penwidth=2" : "");
  }
  for (std::size_t i = 0; i < computation.ops.size(); ++i) {
    for (const Id<Op> operand : computation.ops[Id<Op>(i)].operands) {
      out += fmt::format("    n{}_{} -> n{}_{} [label=\"{}\"];\n", id.index(), operand.index(), id.index(), i,
                         human(computation.ops[operand].shape.byte_size()));
    }
  }
  out += "  }\n";
}

}  // namespace

std::string print_dot(const Graph& graph) {
  std::string out = fmt::format("digraph \"{}\" {{\n  node [shape=box style=filled fontname=\"sans-serif\"];\n",
                                label(graph.name));
  for (std::size_t i = 0; i < graph.computations.size(); ++i) print_cluster(out, graph, Id<Computation>(i));
  for (std::size_t i = 0; i < graph.computations.size(); ++i) {
    const Computation& caller = graph.computations[Id<Computation>(i)];
    for (std::size_t op = 0; op < caller.ops.size(); ++op) {
      for (const Id<Computation> callee : caller.ops[Id<Op>(op)].attributes.calls) {
        out += fmt::format("  n{}_{} -> n{}_{} [style=dashed];\n", i, op, callee.index(),
                           graph.computations[callee].root.index());
      }
    }
  }
  return out + "}\n";
}

}  // namespace seam::graph
