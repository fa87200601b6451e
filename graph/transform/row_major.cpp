#include <algorithm>

#include "graph/transform.h"

namespace seam::graph {
namespace {

bool all_row_major(const Shape& shape) {
  return shape.is_tuple ? std::ranges::all_of(shape.elements, all_row_major) : is_row_major(shape);
}

void forget_layout(Shape& shape) {
  for (Shape& element : shape.elements) forget_layout(element);
  if (!is_row_major(shape)) shape.minor_to_major.clear();
}

/// A bitcast reinterprets memory, so its meaning changes with the layouts on its two sides.
bool depends_on_layout(const Computation& computation, const Op& op) {
  return op.opcode == Opcode::Bitcast && !(all_row_major(op.shape) && all_row_major(computation.ops[op.operands[0]].shape));
}

}  // namespace

Graph with_row_major_values(const Graph& graph) {
  for (const Computation& computation : graph.computations) {
    for (const Op& op : computation.ops) {
      if (depends_on_layout(computation, op)) return graph;
    }
  }
  Graph result = graph;
  for (Computation& computation : result.computations) {
    for (Op& op : computation.ops) forget_layout(op.shape);
  }
  return result;
}

}  // namespace seam::graph
