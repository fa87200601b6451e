#pragma once
/// HLO text in and out. The whole grammar of graph-formats: headers, tables, every attribute; unknown
/// attributes survive as text.
#include <string>
#include <string_view>

#include "graph/graph.h"

namespace seam::graph {

/// Never dies on bad input: Error::BadInput with file:line:col. `file` is only used in positions.
[[nodiscard]] Result<Graph> parse_hlo(std::string_view text, std::string_view file);
/// HLO text that parse_hlo takes back to an equal Graph.
[[nodiscard]] std::string print_hlo(const Graph& graph);

}  // namespace seam::graph
