#include "bert_layer.h"

#include <stdexcept>

#include "graph/text.h"
#include "optimized.h"

namespace seam::analyzer::test {

const graph::Graph& bert_layer() {
  static const graph::Graph graph = [] {
    Result<graph::Graph> read = graph::read_graph(slurp(SEAM_EXAMPLES "/bert_paper.graph"), "bert_paper.graph");
    if (!read) throw std::runtime_error(describe(read.error()));
    return *std::move(read);
  }();
  return graph;
}

}  // namespace seam::analyzer::test
