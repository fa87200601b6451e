#include <algorithm>
#include <set>

#include "analyzer/floor.h"
#include "graph/transform.h"

namespace seam::analyzer {

using graph::Computation;
using graph::Graph;
using graph::Op;
using graph::Opcode;

namespace {

class Floors {
 public:
  Floors(const Graph& graph, const LoadOf& load) : graph_(graph), load_(load), known_(graph.computations.size()) {}

  struct One {
    bool done = false;
    bool library = false;        ///< some call inside, however deep
    std::int64_t all = 0;        ///< with loops inside, one run
    std::int64_t per_trip = 0;   ///< as the body of a loop
    std::int64_t depth = 0;
  };

  const One& of(Id<Computation> id) {
    if (known_[id].done) return known_[id];
    const Computation& computation = graph_.computations[id];
    One one;
    std::set<std::int64_t> levels;
    std::int64_t loops = 0, once = 0;
    IdVector<Op, std::int64_t> after(computation.ops.size(), 0);
    for (std::size_t i = 0; i < computation.ops.size(); ++i) {
      const Id<Op> op_id(i);
      const Op& op = computation.ops[op_id];
      std::int64_t level = 0;
      for (const Id<Op> operand : op.operands) level = std::max(level, after[operand]);
      std::int64_t barrier = 0;
      if (op.opcode == Opcode::While && op.attributes.calls.size() == 2) {
        const One body = of(op.attributes.calls[1]);
        if (body.library) {
          const std::int64_t trips = graph::trip_count(graph_, computation, op).value_or(1);
          loops += trips * body.per_trip;
          barrier = 1;
        } else {
          ++once;
        }
      } else if (op.opcode == Opcode::Conditional) {
        // Branches stand where the conditional stands: the largest counts.
        std::int64_t most = 0;
        bool library = false;
        for (const Id<Computation> branch : op.attributes.calls) {
          const One& b = of(branch);
          most = std::max(most, b.all);
          library = library || b.library;
        }
        loops += most;
        barrier = library ? 1 : 0;
      } else {
        const Load load = load_(computation, op_id);
        if (load == Load::Work) levels.insert(level);
        if (load == Load::Library) barrier = 1;
      }
      if (barrier > 0) one.library = true;
      after[op_id] = level + barrier;
      one.depth = std::max(one.depth, after[op_id]);
    }
    const auto here = static_cast<std::int64_t>(levels.size());
    const bool wraps = one.library && levels.contains(0) && levels.contains(one.depth) && one.depth > 0;
    one.all = here + loops + once;
    one.per_trip = one.all - (wraps ? 1 : 0);
    one.done = true;
    known_[id] = one;
    return known_[id];
  }

 private:
  const Graph& graph_;
  const LoadOf& load_;
  IdVector<Computation, One> known_;
};

}  // namespace

RoofFloor roof_floor(const Graph& graph, const LoadOf& load) {
  Floors floors(graph, load);
  const Floors::One& entry = floors.of(graph.entry);
  return {entry.all, entry.depth};
}

Load load_in_optimized(const Computation& computation, Id<Op> id) {
  const Op& op = computation.ops[id];
  switch (op.opcode) {
    case Opcode::CustomCall:
      return Load::Library;
    case Opcode::Constant:
    case Opcode::Call:
    case Opcode::CopyDone:
    case Opcode::PartitionId:
    case Opcode::ReplicaId:
      return Load::Free;
    default:
      break;
  }
  return graph::op_class(op.opcode) == graph::OpClass::Free && op.opcode != Opcode::Reshape ? Load::Free : Load::Work;
}

}  // namespace seam::analyzer
