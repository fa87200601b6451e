#pragma once
/// The planner's front door: Graph → Plan.
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/device.h"
#include "graph/graph.h"
#include "graph/orders.h"
#include "planner/plan.h"

namespace seam::planner {

/// Who says how values lie in memory.
enum class Layouts : std::uint8_t {
  AsWritten,  ///< row-major, and products read whatever they get
  RowMajor,   ///< row-major, with copies where the library could not read a product's operand as it lies
  Chosen,     ///< the orders that cost least
};
[[nodiscard]] std::string_view name(Layouts layouts);
[[nodiscard]] std::optional<Layouts> layouts_named(std::string_view name);

struct PlanOptions {
  std::string policy = "stitch";         ///< stitch | none | xla2018
  Device device{};
  std::int64_t shared_cap = 0;           ///< bytes per block; 0 = the device's own limit without opt-in; the paper's is 20480
  std::int64_t footprint_cap = 0;        ///< bytes a packed kernel may touch; 0 = no cap
  bool unroll_loops = false;
  bool emit_small_dots = true;           ///< small batched dots inside groups
  Layouts layouts = Layouts::AsWritten;
  std::optional<LayoutOrders> orders;    ///< for RowMajor and Chosen: these and no others (pass layouts); what choose_layouts() finds if not set
  bool merge_products = true;            ///< products that can be one library call become one where that is faster (policies that know merges)
  bool library_epilogues = true;         ///< products that stay with the library take over what its epilogue can do (policies that know epilogues)
};

/// What is planned: calls inlined, dead code and duplicates removed, loops unrolled if asked, products merged, library calls with their epilogues. Plans speak of the
/// ops of this graph, so everything after (codegen, run, report) must use it too. It depends on the policy: another policy, another graph.
[[nodiscard]] Result<graph::Graph> prepared(const graph::Graph& graph, const PlanOptions& options);
/// `graph` must be what prepared() returned. Deterministic: same input, same bytes of .plan.
[[nodiscard]] Result<Plan> make_plan(const graph::Graph& graph, const PlanOptions& options);

[[nodiscard]] std::string print_plan(const Plan& plan, const graph::Graph& graph);
/// `otherwise` with what a .plan says of how its graph was prepared and for what: policy, device, unrolling, merges, epilogues. What cannot be read is left to parse_plan to report.
[[nodiscard]] PlanOptions stated_options(std::string_view plan, PlanOptions otherwise);
[[nodiscard]] Result<Plan> parse_plan(std::string_view text, std::string_view file, const graph::Graph& graph);
/// Legality of a whole plan, whoever wrote it: every op computed before it is read, groups acyclic, placements and
/// schedules block-local, shared memory within limits, in-place targets dead.
[[nodiscard]] Result<void> verify(const Plan& plan, const graph::Graph& graph, const Device& device);

/// Names of the ops that a library call took over into its epilogue (pass library-epilogues), in order; empty for other ops.
[[nodiscard]] std::vector<std::string> epilogue_ops(const graph::Op& call);
/// Names of the ops that a product stands for (pass merge-products): products, then the adds between them; empty for other ops.
[[nodiscard]] std::vector<std::string> merged_products(const graph::Op& product);
/// An op that reads no memory of its own accord: folded into whatever uses it (constants, iota, scalar broadcasts) or no work at all
/// (DESIGN section 12, "Free ops").
[[nodiscard]] bool is_free(const graph::Computation& computation, const graph::Op& op);
/// Whether codegen can lower the op inside a kernel; the reason if not.
[[nodiscard]] Result<void> can_emit(const graph::Graph& graph, const graph::Computation& computation, const graph::Op& op);

}  // namespace seam::planner
