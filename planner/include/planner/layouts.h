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
  double unmoved_us = 0;      ///< the same where the first value of each set is row-major and the others lie as that makes them
  double lower_bound_us = 0;  ///< no choice in this network costs less
  std::size_t values = 0, groups = 0, factors = 0;  ///< values with a choice, sets of them that move together, costs between them
};
/// What the passes before "layouts" make of a module.
[[nodiscard]] Result<graph::Graph> before_layouts(const graph::Graph& module, const PlanOptions& options);
/// The passes from "layouts" on.
[[nodiscard]] Result<Planning> plan_from_layouts(const graph::Graph& ready, const PlanOptions& options);
/// `graph`: from before_layouts().
[[nodiscard]] LayoutChoice choose_layouts(const graph::Graph& graph, const PlanOptions& options, const LayoutCosts& costs);

/// One thing that costs time in some orders, in words: "library product dot.3 reads transpose.2 through a copy".
struct LayoutCharge {
  std::string what;
  double us = 0;
};
/// Why a set of values that move together lies as it does.
struct LayoutReason {
  struct Value {
    std::string name;                  ///< in the graph before pass layouts
    graph::Shape shape;
    graph::Order order;                ///< row-major before
  };
  std::string computation;
  std::vector<Value> values;           ///< the largest first
  double saved_us = 0;                 ///< what it would cost more if this set alone were row-major, each value as the module writes it
  std::vector<LayoutCharge> otherwise; ///< of that, the largest
};
/// For every set that is not row-major, in the order of the program. `graph`: from before_layouts().
[[nodiscard]] std::vector<LayoutReason> layout_reasons(const graph::Graph& graph, const PlanOptions& options, const LayoutOrders& orders, const LayoutCosts& costs);

/// An op that pays for how its operands lie.
struct BadLayout {
  std::string computation, op, opcode;
  std::string what;
  graph::Shape shape;
  double now_us = 0;    ///< of a kernel (or the library call's copy) that moves the value, as the module is written
  double best_us = 0;   ///< in the orders that choose_layouts() finds; 0: a copy that nobody needs
};
/// Ops whose layouts cost at least `times` their best as the module is written, transposes and copies that other orders would save among them; those that cost most first.
[[nodiscard]] std::vector<BadLayout> bad_layouts(const graph::Graph& graph, const PlanOptions& options, const LayoutOrders& best, const LayoutCosts& costs, double times = 2);

/// These orders with one set of values that move together put back to row-major, for each such set; those with large values first.
[[nodiscard]] std::vector<LayoutOrders> with_one_less(const graph::Graph& graph, const LayoutOrders& orders);

}  // namespace seam::planner
