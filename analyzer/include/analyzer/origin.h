#pragma once
/// Where an op comes from in the program that was traced: the scopes of its op_name and the frames of its source, so that a
/// transformer layer reads as in a paper: "attention/softmax", forward and backward.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"

namespace seam::analyzer {

struct Origin {
  std::string scope;      ///< "attention/softmax"; empty if the op says nothing
  bool backward = false;  ///< inside transpose(...): the gradient half
  std::string primitive;  ///< last word of the name: "dot_general"
  std::string function;   ///< innermost function of the source stack; empty if unknown
  std::int64_t line = 0;
  friend bool operator==(const Origin&, const Origin&) = default;
};
/// Wrappers of tracing (jit(...), jvp(...), transpose(...), vmap(...), ...) are opened, not kept.
[[nodiscard]] Origin origin_of(const graph::Graph& graph, const graph::Op& op);

/// Ops of one scope and direction in one computation. Where op_name has no scopes (a bare "mul"), the function of the source
/// stack stands for it.
struct OriginGroup {
  std::string scope;
  bool backward = false;
  Id<graph::Computation> computation;
  std::vector<Id<graph::Op>> ops;
  /// "softmax", "softmax (backward)", "(unnamed)".
  [[nodiscard]] std::string label() const;
};
/// In the order of each group's first op, over the computations that run.
[[nodiscard]] std::vector<OriginGroup> origin_groups(const graph::Graph& graph);

}  // namespace seam::analyzer
