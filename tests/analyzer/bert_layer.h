#pragma once
/// The bundled layer of "Data Movement Is All You Need": examples/bert_paper.graph.
#include "graph/graph.h"

namespace seam::analyzer::test {
/// Throws if it cannot be read, which fails the test.
[[nodiscard]] const graph::Graph& bert_layer();
}  // namespace seam::analyzer::test
