/// The front door: every computation that runs is planned by the policy, callees before callers; then everything is counted.
#include <fmt/core.h>

#include <algorithm>

#include "analyzer/op_cost.h"
#include "cost/floors.h"
#include "graph/transform.h"
#include "planner/planner.h"
#include "policy/policy.h"

namespace seam::planner {

using graph::Computation;
using graph::Graph;
using graph::Op;
using graph::Opcode;

namespace {

/// How often each computation that runs on the device runs, 0 = unknown; conditions of loops run on the host.
class Runs {
 public:
  explicit Runs(const Graph& graph) : graph_(graph), times_(graph.computations.size(), -1) { visit(graph.entry, 1); }
  [[nodiscard]] std::int64_t times(Id<Computation> id) const { return times_[id]; }

 private:
  void visit(Id<Computation> id, std::int64_t times) {
    std::int64_t& have = times_[id];
    have = have < 0 ? times : (have == 0 || times == 0) ? 0 : have + times;
    const Computation& computation = graph_.computations[id];
    for (const Op& op : computation.ops) {
      if (op.opcode == Opcode::While) {
        const std::optional<std::int64_t> trips = graph::trip_count(graph_, computation, op);
        visit(op.attributes.calls.at(1), trips ? times * *trips : 0);
      } else if (op.opcode == Opcode::Conditional) {
        // At most one branch runs: each is counted as if it did, so that the sum is an upper bound.
        for (const Id<Computation> branch : op.attributes.calls) visit(branch, times);
      }
    }
  }

  const Graph& graph_;
  IdVector<Computation, std::int64_t> times_;
};

void add(Totals& totals, const Graph& graph, const ComputationPlan& plan) {
  const std::int64_t trips = std::max<std::int64_t>(1, plan.trips);
  const Computation& computation = graph.computations[plan.computation];
  for (const Step& step : plan.steps) {
    totals.kernels += step.kind == StepKind::Kernel ? trips : 0;
    totals.library_calls += step.kind == StepKind::Library ? trips : 0;
    totals.copies += step.kind == StepKind::Copy ? trips : 0;
    if (step.kind == StepKind::Copy) {
      const CopiedBytes copied = copied_bytes(computation.ops[step.op]);
      totals.copy_bytes += trips * (copied.read + copied.written);
    }
    if (step.kind != StepKind::Library) continue;
    const analyzer::OpCost cost = analyzer::cost_of(computation, computation.ops[step.op]);
    totals.library_bytes += trips * (cost.bytes_in + cost.bytes_out);
  }
  for (const FusionGroup& group : plan.groups) {
    totals.bytes_read += trips * group.estimate.bytes_read;
    totals.bytes_written += trips * group.estimate.bytes_written;
  }
  totals.floor_kernels += trips * plan.roof_floor;
  totals.floor_bytes += trips * plan.byte_floor;
  IdVector<Op, bool> fused(computation.ops.size(), false), called(computation.ops.size(), false);
  for (const FusionGroup& group : plan.groups)
    for (const Part& part : group.parts)
      for (const PlannedOp& planned : part.ops) fused[planned.op] = true;
  for (const Step& step : plan.steps)
    if (step.kind != StepKind::Kernel && step.op.valid()) called[step.op] = step.kind != StepKind::Copy;
  for (std::size_t i = 0; i < computation.ops.size(); ++i) {
    const Id<Op> id(i);
    if (is_free(computation, computation.ops[id])) continue;
    ++totals.ops;
    if (called[id]) continue;
    ++totals.fusable_ops;
    totals.fused_ops += fused[id] ? 1 : 0;
  }
}

}  // namespace

Result<Plan> make_plan(const Graph& graph, const PlanOptions& options) {
  const Policy* policy = policy_named(options.policy);
  if (policy == nullptr) {
    std::string known;
    for (const Policy& p : policies()) known += fmt::format("{}{}", known.empty() ? "" : ", ", p.name);
    return fail(Error::Code::NotFound, fmt::format("no policy named {}; there are {}", options.policy, known));
  }
  Plan plan;
  plan.module = graph.name;
  plan.policy = options.policy;
  plan.device = std::string(options.device.name);
  if (options.shared_cap > 0) plan.options["shared-cap"] = std::to_string(options.shared_cap);
  if (options.footprint_cap > 0) plan.options["footprint-cap"] = std::to_string(options.footprint_cap);
  if (options.unroll_loops) plan.options["unroll"] = "1";
  if (options.layouts != Layouts::AsWritten) plan.options["layouts"] = name(options.layouts);
  if (options.orders) plan.layouts = *options.orders;
  if (!options.emit_small_dots) plan.options["small-dots"] = "0";
  if (!options.library_epilogues && policy->epilogues) plan.options["epilogues"] = "0";
  if (!options.merge_products && policy->merges) plan.options["merges"] = "0";
  const Runs runs(graph);
  for (std::size_t i = 0; i < graph.computations.size(); ++i) {
    const Id<Computation> id(i);
    if (runs.times(id) < 0) continue;
    stitch::Vetoes vetoes;
    ComputationPlan one = plan_by(*policy, graph, id, options, vetoes);
    one.trips = runs.times(id);
    one.byte_floor = byte_floor(graph.computations[id], one);
    for (FusionGroup& group : one.groups)
      if (graph.entry != id) group.name = fmt::format("c{}_{}", id.index(), group.name);
    for (Veto& veto : vetoes.take(id)) plan.vetoes.push_back(std::move(veto));
    add(plan.totals, graph, one);
    plan.computations.push_back(std::move(one));
  }
  return plan;
}

}  // namespace seam::planner
