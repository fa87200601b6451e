/// A plan as a picture: a cluster per kernel, calls as boxes between them.
#include <fmt/core.h>

#include <map>

#include "planner/pipeline.h"

namespace seam::planner {

using graph::Computation;
using graph::Op;

namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

void draw(std::string& out, const Computation& computation, const ComputationPlan& plan, std::size_t number) {
  std::map<Id<Op>, std::string> made_by;  // value → node
  std::string edges;
  const auto read = [&](Id<Op> value, const std::string& reader) {
    const Id<Op> storage = storage_of(computation, value);
    Id<Op> source = storage;
    while (!made_by.contains(source) && computation.ops[source].opcode == graph::Opcode::GetTupleElement) source = computation.ops[source].operands[0];
    const auto found = made_by.find(source);
    if (found != made_by.end())
      edges += fmt::format("  \"{}\" -> \"{}\" [label=\"{} B\"];\n", found->second, reader, computation.ops[storage].shape.byte_size());
  };
  for (const Step& step : plan.steps) {
    if (step.kind != StepKind::Kernel) {
      const std::string node = fmt::format("c{}_{}", number, escaped(computation.ops[step.op].name));
      out += fmt::format("  \"{}\" [shape=box, style=bold, label=\"{}\"];\n", node, escaped(computation.ops[step.op].name));
      for (const Id<Op> operand : computation.ops[step.op].operands) read(operand, node);
      made_by[step.op] = node;
      continue;
    }
    const FusionGroup& group = plan.groups[step.group];
    const GroupBoundary edge = boundary(computation, group);
    const std::string node = fmt::format("c{}_{}", number, group.name);
    out += fmt::format("  subgraph \"cluster_{}\" {{ label=\"{}, level {}\";\n    \"{}\" [shape=ellipse, label=\"{} blocks\"];\n", node, group.name,
                       group.level, node, group.blocks());
    for (const Part& part : group.parts)
      for (const PlannedOp& planned : part.ops)
        if (planned.output || planned.placement != Placement::Inline)
          out += fmt::format("    \"{}_{}\" [shape=plaintext, label=\"{}: {}\"];\n", node, escaped(computation.ops[planned.op].name),
                             escaped(computation.ops[planned.op].name), name(planned.placement));
    out += "  }\n";
    for (const Id<Op> input : edge.inputs) read(input, node);
    for (const Id<Op> output : edge.outputs) made_by[output] = node;
  }
  out += edges;
}

}  // namespace

std::string print_plan_dot(const Plan& plan, const graph::Graph& graph) {
  std::string out = fmt::format("digraph \"{}\" {{\n  node [fontname=\"sans-serif\"];\n", escaped(plan.module));
  for (std::size_t i = 0; i < plan.computations.size(); ++i)
    draw(out, graph.computations[plan.computations[i].computation], plan.computations[i], i);
  return out + "}\n";
}

}  // namespace seam::planner
