#pragma once
/// Finds softmaxes by their ops, and around them what frameworks launch apart: scale and dropout (analyzer/movement.h has the rule).
#include <set>
#include <vector>

#include "analyzer/movement.h"
#include "analyzer/origin.h"

namespace seam::analyzer {

/// The softmaxes of one origin scope, forward or backward, and what belongs to them, in whatever scope it stands.
struct SoftmaxScope {
  std::size_t group = 0;  ///< index into the groups given
  bool backward = false;
  std::set<Id<graph::Op>> scale, dropout;
};
/// Of the computation that `values` is about; `groups` may hold those of others. In the order of the groups; no op is in two of them.
[[nodiscard]] std::vector<SoftmaxScope> softmax_scopes(const graph::Graph& graph, const Values& values, const std::vector<OriginGroup>& groups);

}  // namespace seam::analyzer
