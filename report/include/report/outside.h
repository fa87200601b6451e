#pragma once
/// Ops that a plan leaves outside its kernels although they are neither library work by nature (products, sorts, custom calls), nor
/// control, nor free; each with the reason. An empty list is the aim.
#include <string>
#include <vector>

#include "graph/graph.h"
#include "planner/plan.h"

namespace seam::report {

struct OutsideKernels {
  std::string op, opcode, computation;
  std::string reason;
  friend bool operator==(const OutsideKernels&, const OutsideKernels&) = default;
};
/// In the order of the plan's computations and their ops.
[[nodiscard]] std::vector<OutsideKernels> outside_kernels(const planner::Plan& plan, const graph::Graph& graph);

}  // namespace seam::report
