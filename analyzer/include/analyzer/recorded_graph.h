#pragma once
/// From a recorded run to an op graph (DESIGN section 5): the operators that PyTorch called, with the shapes that were recorded. Which result an
/// operand is, an execution trace says (tensor ids: recorded edges); a profiler's trace alone does not, and the edges are inferred from
/// shapes, types and order. Operators without a known meaning stay opaque, with their shapes.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "db/database.h"
#include "graph/graph.h"

namespace seam::analyzer {

struct RecordedGraphOptions {
  /// Which profiled step, counted from 0 in order of time; -1: the last. Runs without marked steps are taken whole.
  std::int64_t step = -1;
};

struct RecordedGraph {
  graph::Graph graph;
  std::string scope;  ///< "step ProfilerStep#2", "the whole run"
  std::int64_t operators = 0;       ///< calls that became part of the graph, by their meaning or opaque
  std::int64_t opaque = 0;
  std::int64_t edges_recorded = 0;  ///< operands whose producer the tensor ids say
  std::int64_t edges_inferred = 0;  ///< … whose producer is guessed by shape, type and order
  std::int64_t from_outside = 0;    ///< tensors that nothing in the scope makes: parameters
  std::int64_t cuts = 0;            ///< memory that operators wrote in a way that cannot be followed: its readers take it from outside (graph/cuts.h)
  std::map<std::string, std::int64_t> left_out;  ///< operators that could not stand in the graph: no shapes recorded, views of unknown memory
};

/// Errors: BadInput (no operators, none with shapes: what to record instead).
[[nodiscard]] Result<RecordedGraph> graph_of_run(const db::Database& run, const RecordedGraphOptions& options = {});

}  // namespace seam::analyzer
