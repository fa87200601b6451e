#pragma once
/// Operators of PyTorch recorded call by call (a trace) become a graph: the same meanings as for printed graphs, without a text around them.
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "graph/torch_program.h"

namespace seam::graph::torch {

struct RecordedResults {
  std::vector<std::string> names;  ///< one per result, lists flattened; empty: no tensor
  std::string opaque_because;      ///< not empty: it has no known meaning and stands as a library call
};

class RecordedCalls {
 public:
  explicit RecordedCalls(std::string name);
  ~RecordedCalls();
  RecordedCalls(const RecordedCalls&) = delete;
  RecordedCalls& operator=(const RecordedCalls&) = delete;

  /// A tensor from outside, lying as its strides say. Parameters may come at any time; names are unique.
  void parameter(const std::string& name, const TensorType& type);
  /// Adds a call; `node.arguments` name parameters and results of earlier calls. `results`: types as recorded, nullopt where unknown; one that
  /// contradicts the operator's meaning takes the meaning away. nullopt: no known meaning, and not (or not possibly) opaque; nothing was added that
  /// the graph keeps. Errors: BadInput (an argument that nothing defines).
  Result<std::optional<RecordedResults>> call(const Node& node, const std::vector<std::optional<TensorType>>& results, bool may_be_opaque);
  [[nodiscard]] std::optional<TensorType> type(const std::string& name) const;
  /// Whether one is a view of the other, or both of a third.
  [[nodiscard]] bool shares_memory(const std::string& a, const std::string& b) const;
  /// `donated`: (parameter, what its memory holds afterwards). Verified. The object is spent.
  [[nodiscard]] Result<Graph> finish(const std::vector<std::string>& outputs, const std::vector<std::pair<std::string, std::string>>& donated);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Whether an operator ("aten.add_", "aten.add.Tensor") has a known meaning.
[[nodiscard]] bool has_meaning(std::string_view target);

}  // namespace seam::graph::torch
