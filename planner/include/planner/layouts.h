#pragma once
/// Layouts: in which order the dims of every value lie in memory, chosen together with what the library's products take and what kernels pay for
/// reading in another order than they walk ("Data Movement Is All You Need", section on configuration selection; planner/README.md).
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/device.h"
#include "graph/graph.h"
#include "graph/orders.h"
#include "planner/pipeline.h"
#include "planner/planner.h"

namespace seam::planner {

/// A value of `extents` (major first, as a kernel walks them) that lies in memory with dim lies[k] at place k. Dims that stay together are one.
struct Crossing {
  DType dtype = DType::F32;
  std::vector<std::int64_t> extents;
  graph::Order lies;
  [[nodiscard]] bool straight() const { return extents.size() < 2; }
  friend auto operator<=>(const Crossing&, const Crossing&) = default;
};
/// Dims of 1 dropped, neighbours that stay neighbours merged.
[[nodiscard]] Crossing crossing(DType dtype, const std::vector<std::int64_t>& dims, const graph::Order& walked, const graph::Order& lies);

/// What orders cost, microseconds of the time model.
class LayoutCosts {
 public:
  virtual ~LayoutCosts() = default;
  /// What a kernel pays on top for reading or writing the value across its own order.
  [[nodiscard]] virtual double walk_us(const Crossing& crossing) const = 0;
  /// A kernel of its own that copies the value into the other order, its launch included.
  [[nodiscard]] virtual double copy_us(const Crossing& crossing) const = 0;
};
/// By the time model's formula alone: nothing is compiled, nothing runs.
[[nodiscard]] std::unique_ptr<LayoutCosts> modelled_layout_costs(const Device& device);

struct LayoutChoice {
  LayoutOrders orders;
  double cost_us = 0;         ///< of the network: crossings and copies, not whole kernels
  double row_major_us = 0;    ///< the same with every value row-major
  double lower_bound_us = 0;  ///< no choice in this network costs less
  std::size_t values = 0, groups = 0, factors = 0;  ///< values with a choice, sets of them that move together, costs between them
};
/// What the passes before "layouts" make of a module.
[[nodiscard]] Result<graph::Graph> before_layouts(const graph::Graph& module, const PlanOptions& options);
/// The passes from "layouts" on.
[[nodiscard]] Result<Planning> plan_from_layouts(const graph::Graph& ready, const PlanOptions& options);
/// `graph`: from before_layouts().
[[nodiscard]] LayoutChoice choose_layouts(const graph::Graph& graph, const PlanOptions& options, const LayoutCosts& costs);

/// These orders with one set of values that move together put back to row-major, for each such set; those with large values first.
[[nodiscard]] std::vector<LayoutOrders> with_one_less(const graph::Graph& graph, const LayoutOrders& orders);

}  // namespace seam::planner
