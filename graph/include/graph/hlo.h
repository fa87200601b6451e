#pragma once
/// HLO text in and out. The whole grammar of graph-formats: headers, tables, every attribute; unknown
/// attributes survive as text.
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"

namespace seam::graph {

/// Never dies on bad input: Error::BadInput with file:line:col. `file` is only used in positions.
/// A file with several modules is refused; parse_hlo_modules takes it.
[[nodiscard]] Result<Graph> parse_hlo(std::string_view text, std::string_view file);
/// All modules of a text in which `// -----` lines separate them; at least one.
[[nodiscard]] Result<std::vector<Graph>> parse_hlo_modules(std::string_view text, std::string_view file);
/// HLO text that parse_hlo takes back to an equal Graph.
[[nodiscard]] std::string print_hlo(const Graph& graph);

}  // namespace seam::graph
