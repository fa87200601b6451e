#pragma once
/// Graphs of PyTorch's compiler as text: what TORCH_LOGS=graph_code,aot_graphs,post_grad_graphs prints, print_readable() of any GraphModule, and the
/// graphs inside a structured log (TORCH_TRACE, tlparse). Every operator with a known meaning becomes HLO ops under its name; what has
/// none stays an opaque library call of the shape that the text states, with the reason.
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"

namespace seam::graph {

/// What a text leaves open.
struct TorchOptions {
  std::map<std::string, std::int64_t> sizes;  ///< of symbolic dims: {"s17", 64}
  std::string graph;                          ///< which graph of a log, by name or number; empty: the only one
};

/// One graph of a text: "aot_forward_graph", "inductor_post_grad_graph 0/0", … ; bare texts have one, named after its class.
struct TorchGraphText {
  std::string name;
  std::string text;       ///< without the prefixes of a log
  std::int64_t line = 1;  ///< where it starts in the file
};
/// Whether this is such a text or log.
[[nodiscard]] bool is_torch_text(std::string_view text);
[[nodiscard]] std::vector<TorchGraphText> torch_graphs(std::string_view text);

/// Errors: BadInput with the place (not a graph, a name that nothing defines, sizes that are missing, no graph of that name).
[[nodiscard]] Result<Graph> parse_torch(std::string_view text, std::string_view file, const TorchOptions& options = {});

/// An operator that kept no meaning, and why.
struct OpaqueOp {
  std::string target, reason;
  std::int64_t count = 0;
};
[[nodiscard]] std::vector<OpaqueOp> opaque_ops(const Graph& graph);

}  // namespace seam::graph
