#pragma once
/// The `.graph` text form: small, stable, diffable. parse_graph(print_graph(g)) == g.
#include <cstdint>
#include <string>
#include <string_view>

#include "graph/graph.h"
#include "graph/torch.h"

namespace seam::graph {

[[nodiscard]] std::string print_graph(const Graph& graph);
[[nodiscard]] Result<Graph> parse_graph(std::string_view text, std::string_view file);
enum class TextFormat : std::uint8_t { Hlo, Graph, Torch, Foreign };
/// By content; Hlo is what remains when nothing else is recognised.
[[nodiscard]] TextFormat text_format(std::string_view text);
/// HLO, .graph or a graph of PyTorch's compiler, found by content, and verified. What every command uses to open a module. Other formats are
/// named and refused. `torch`: what a graph of PyTorch may leave open.
[[nodiscard]] Result<Graph> read_graph(std::string_view text, std::string_view file, const TorchOptions& torch = {});
/// Graphviz: clusters per computation, bytes on edges.
[[nodiscard]] std::string print_dot(const Graph& graph);

}  // namespace seam::graph
