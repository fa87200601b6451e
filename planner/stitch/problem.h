#pragma once
/// What the stitching policy works on: one computation with its roles, its levels between library calls, and the list of
/// values that somebody must loop over.
#include <vector>

#include "facts/roles.h"
#include "planner/plan.h"
#include "planner/planner.h"
#include "verify/check.h"

namespace seam::planner::stitch {

/// Refusals that decided something, one per pair of ops and code; later ones for the same pair are dropped.
class Vetoes {
 public:
  void add(VetoCode code, Id<graph::Op> a, Id<graph::Op> b, std::map<std::string, double> numbers = {});
  [[nodiscard]] std::vector<Veto> take(Id<graph::Computation> computation) const;

 private:
  std::map<std::pair<std::vector<Id<graph::Op>>, VetoCode>, std::map<std::string, double>> found_;
};

struct Problem {
  const graph::Graph& graph;
  const graph::Computation& computation;
  const PlanOptions& options;
  Roles roles;
  /// Library calls and loops are roofs: level k lies between the k-th and the next layer of them. An op can be computed
  /// anywhere from asap (all calls it needs have run) to alap (the last level before a call or the end needs it).
  IdVector<graph::Op, int> asap, alap;
  int last_level = 0;
  /// Reduces, small dots, scatters, and values needed in memory; ascending.
  std::vector<Id<graph::Op>> targets;

  [[nodiscard]] const graph::Op& op(Id<graph::Op> id) const { return computation.ops[id]; }
  [[nodiscard]] std::int64_t shared_limit() const {
    return planner::shared_limit(options.device, options.shared_cap);
  }
};

/// `with_pivots`: values that must not be inlined become loops of their own (the policies of others do not know them).
[[nodiscard]] Problem problem_of(const graph::Graph& graph, const graph::Computation& computation, const PlanOptions& options,
                                 bool with_pivots);

/// Elements of the value an op yields, and bytes of each.
[[nodiscard]] std::int64_t elements_of(const graph::Op& op);
[[nodiscard]] std::int64_t bytes_of_element(const graph::Op& op);  ///< tuples: of one element of each

}  // namespace seam::planner::stitch
