#pragma once
/// The names known while a module is read: computations of the module, ops of the current computation. Both text forms
/// build their Graph through these, so that double names, unknown names and gaps are refused alike.
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "graph/graph.h"
#include "read/cursor.h"

namespace seam::graph {

struct ModuleScope {
  Graph graph;
  std::unordered_map<std::string, Id<Computation>> computations;

  [[nodiscard]] std::optional<Id<Computation>> find(std::string_view computation) const;
  /// `at` is where its name stands.
  Result<Id<Computation>> add(Computation computation, Cursor& cursor, std::size_t at);
  /// Adds a computation that the text does not name, as "stem", "stem.1", …; it gives way to one that the text names so later.
  Id<Computation> add_unnamed(Computation computation, std::string_view stem);

 private:
  [[nodiscard]] std::string free_name(std::string_view stem) const;
  std::unordered_set<std::string> unnamed_;
};

class ComputationScope {
 public:
  Computation computation;

  [[nodiscard]] std::optional<Id<Op>> find(std::string_view op_name) const;
  Result<Id<Op>> resolve(std::string_view op_name, Cursor& cursor, std::size_t at) const;
  /// `at` is where its name stands.
  Result<Id<Op>> add(Op op, Cursor& cursor, std::size_t at);
  /// Adds an op that the text does not name (nested in an operand list, %tuple#1), as "stem", "stem.1", …; it gives way to
  /// one that the text names so later.
  Id<Op> add_unnamed(Op op, std::string_view stem);
  /// Parameters by number, root; call once after the last op.
  Result<void> finish(std::optional<Id<Op>> root, Cursor& cursor, std::size_t at);

 private:
  [[nodiscard]] std::string free_name(std::string_view stem);

  std::unordered_map<std::string, Id<Op>> ops_;
  std::unordered_set<std::string> unnamed_;
  std::unordered_map<std::string, int> next_suffix_;
};

}  // namespace seam::graph
