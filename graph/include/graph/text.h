#pragma once
/// The `.graph` text form: small, stable, diffable. parse_graph(print_graph(g)) == g.
#include <string>
#include <string_view>

#include "graph/graph.h"

namespace seam::graph {

[[nodiscard]] std::string print_graph(const Graph& graph);
[[nodiscard]] Result<Graph> parse_graph(std::string_view text, std::string_view file);
/// HLO or .graph, found by content. What every command uses to open a module.
[[nodiscard]] Result<Graph> read_graph(std::string_view text, std::string_view file);
/// Graphviz: clusters per computation, bytes on edges.
[[nodiscard]] std::string print_dot(const Graph& graph);

}  // namespace seam::graph
