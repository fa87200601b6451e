#pragma once
/// Builds a computation anew, op by op, while ids shift: what every transform here needs. Names stay unique.
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "graph/graph.h"

namespace seam::graph {

class Rebuild {
 public:
  /// Keeps name and thread of `original`, starts without ops.
  explicit Rebuild(const Computation& original);

  using IdMap = IdVector<Op, Id<Op>>;
  /// Adds a copy of `op` whose operands and control predecessors are renamed by `map`; predecessors that `map` lost are dropped.
  Id<Op> add(Op op, const IdMap& map);
  /// Adds an op whose operands are ops made here.
  Id<Op> append(Op op);
  /// What a get-tuple-element of a tuple made here would read.
  [[nodiscard]] std::optional<Id<Op>> forwarded(const Op& op, const IdMap& map) const;
  /// Adds all ops of `callee` except its parameters, which become `arguments`; returns what its root became.
  /// get-tuple-element of a tuple made here becomes the tuple's operand. Ops are called "prefix.op" and take `fallback`'s
  /// metadata where they have none; op_names that do not begin where the caller's does are relative to it.
  Id<Op> add_body(const Computation& callee, const std::vector<Id<Op>>& arguments, const std::string& prefix,
                  const Metadata& fallback);
  [[nodiscard]] const Op& op(Id<Op> id) const { return computation_.ops[id]; }
  [[nodiscard]] std::size_t size() const { return computation_.ops.size(); }
  /// Parameters are found again by number.
  [[nodiscard]] Computation finish(Id<Op> root);

 private:
  std::string free_name(std::string wanted);

  Computation computation_;
  std::unordered_set<std::string> names_;
  std::unordered_map<std::string, int> next_suffix_;
};

/// Which ops something outside the graph notices: communication, random state, declared side effects; also through called
/// computations.
class SideEffects {
 public:
  explicit SideEffects(const Graph& graph);
  [[nodiscard]] bool of(const Op& op) const;

 private:
  IdVector<Computation, bool> computations_;
};

/// Transforms that copy bodies stop here: a module of this size is beyond what planning or reading can use.
inline constexpr std::size_t kMaxOps = 4'000'000;

}  // namespace seam::graph
