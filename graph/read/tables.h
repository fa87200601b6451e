#pragma once
/// What stands around the computations of a module: header attributes and the tables of source locations.
#include "graph/graph.h"
#include "read/cursor.h"

namespace seam::graph {

/// Takes one attribute of the module header: is_scheduled and donations become fields, all are kept as text.
[[nodiscard]] Result<void> read_header_attribute(Graph& graph, std::string_view key, Cursor value);
/// FileNames, FunctionNames, FileLocations, StackFrames, as far as they come next.
[[nodiscard]] Result<void> read_tables(Graph& graph, Cursor& cursor);
/// The tables' text: as read, or made from the frames.
[[nodiscard]] std::string print_tables(const Graph& graph);

}  // namespace seam::graph
