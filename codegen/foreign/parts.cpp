#include "foreign/parts.h"

#include <algorithm>

#include "graph/transform.h"

namespace seam::codegen {
namespace {

using graph::Opcode;

void visit(const graph::Graph& graph, Id<graph::Computation> id, std::vector<Id<graph::Computation>>& seen) {
  if (std::ranges::find(seen, id) != seen.end()) return;
  seen.push_back(id);
  const graph::Computation& computation = graph.computations[id];
  for (const graph::Op& op : computation.ops) {
    switch (op.opcode) {
      case Opcode::While:
        if (!graph::trip_count(graph, computation, op)) visit(graph, op.attributes.calls[0], seen);
        visit(graph, op.attributes.calls[1], seen);
        break;
      case Opcode::Conditional:
      case Opcode::Call:
        for (const Id<graph::Computation> callee : op.attributes.calls) visit(graph, callee, seen);
        break;
      default: break;
    }
  }
}

}  // namespace

bool launches_nothing(Opcode opcode) {
  switch (opcode) {
    case Opcode::Parameter:
    case Opcode::Constant:
    case Opcode::Tuple:
    case Opcode::GetTupleElement:
    case Opcode::Bitcast:
    case Opcode::AfterAll:
    case Opcode::OptBarrier:
    case Opcode::AddDependency:
    case Opcode::Domain: return true;
    default: return false;
  }
}

std::vector<Id<graph::Computation>> running_computations(const graph::Graph& graph) {
  std::vector<Id<graph::Computation>> seen;
  visit(graph, graph.entry, seen);
  return seen;
}

std::vector<graph::Shape> leaves(const graph::Shape& shape) { return shape.is_tuple ? shape.elements : std::vector<graph::Shape>{shape}; }

}  // namespace seam::codegen
