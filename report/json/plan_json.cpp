#include "report/plan_json.h"

#include <fmt/core.h>

#include <set>

#include "json/comparisons.h"

namespace seam::report {

namespace {

using graph::Op;

std::string part_scheme(const planner::Part& part) {
  std::string_view scheme = "thread";
  for (const planner::PlannedOp& planned : part.ops) {
    if (planned.placement == planner::Placement::Shared) return "block";
    if (planned.placement == planner::Placement::Warp) scheme = "warp";
  }
  return std::string(scheme);
}

Json part_json(const graph::Computation& computation, const planner::Part& part) {
  Json kept = Json::array();
  for (const planner::PlannedOp& planned : part.ops)
    if (planned.placement == planner::Placement::Shared)
      kept.push_back({{"op", computation.ops[planned.op].name}, {"bytes", planned.shared_bytes}, {"at", planned.shared_offset}});
  return {{"schedule", planner::name(part.kind)}, {"blocks", part.blocks},           {"splits", part.splits}, {"lanes", part.lanes},
          {"shared_bytes", part.shared_bytes},    {"scheme", part_scheme(part)}, {"kept", std::move(kept)}};
}

Json group_json(const graph::Computation& computation, const planner::ComputationPlan& plan, const planner::FusionGroup& group) {
  Json ops = Json::array(), outputs = Json::array(), parts = Json::array();
  for (const planner::Part& part : group.parts) {
    parts.push_back(part_json(computation, part));
    for (const planner::PlannedOp& planned : part.ops) {
      ops.push_back(computation.ops[planned.op].name);
      if (planned.output) outputs.push_back(computation.ops[planned.op].name);
    }
  }
  const planner::Estimate& e = group.estimate;
  return {{"name", group.name},
          {"ops", std::move(ops)},
          {"scheme", scheme_of(group)},
          {"computation", computation.name},
          {"trips", plan.trips > 0 ? Json(plan.trips) : Json()},
          {"level", group.level},
          {"grid", group.blocks()},
          {"threads", group.threads},
          {"shared_bytes", group.shared_bytes()},
          {"outputs", std::move(outputs)},
          {"parts", std::move(parts)},
          {"bytes_read", e.bytes_read},
          {"bytes_written", e.bytes_written},
          {"bytes_exact", e.exact},
          {"flops", e.flops},
          {"time_us", {{"low", e.time_low_us}, {"mid", e.time_mid_us}, {"high", e.time_high_us}, {"evidence", "modelled"}}}};
}

}  // namespace

std::string scheme_of(const planner::FusionGroup& group) {
  if (group.parts.size() == 1) return part_scheme(group.parts[0]);
  std::string list;
  for (const std::string_view scheme : {"thread", "warp", "block"})
    for (const planner::Part& part : group.parts)
      if (part_scheme(part) == scheme) {
        list += fmt::format("{}{}", list.empty() ? "" : ", ", scheme);
        break;
      }
  return "packing of " + list;
}

std::int64_t op_count(const planner::FusionGroup& group) {
  std::set<Id<Op>> seen;
  for (const planner::Part& part : group.parts)
    for (const planner::PlannedOp& planned : part.ops) seen.insert(planned.op);
  return static_cast<std::int64_t>(seen.size());
}

std::string plan_json(const planner::Plan& plan, const graph::Graph& graph, std::span<const CompilerResult> compilers, const std::vector<SideBySide>& sides) {
  Json groups = Json::array(), vetoes = Json::array(), options = Json::object();
  for (const planner::ComputationPlan& one : plan.computations)
    for (const planner::FusionGroup& group : one.groups) groups.push_back(group_json(graph.computations[one.computation], one, group));
  for (const planner::Veto& veto : plan.vetoes) {
    const graph::Computation& computation = graph.computations[veto.computation];
    Json ops = Json::array(), numbers = Json::object();
    for (const Id<Op> op : veto.ops) ops.push_back(computation.ops[op].name);
    for (const auto& [key, value] : veto.numbers) numbers[key] = value;
    vetoes.push_back({{"code", planner::name(veto.code)}, {"computation", computation.name}, {"ops", std::move(ops)}, {"numbers", std::move(numbers)}});
  }
  for (const auto& [key, value] : plan.options) options[key] = value;
  Json layouts = Json::array();
  for (const auto& [computation, orders] : plan.layouts)
    for (const auto& [op, order] : orders) layouts.push_back({{"computation", computation}, {"op", op}, {"minor_to_major", graph::Order(order.rbegin(), order.rend())}});
  Json compare = Json::array();
  for (const CompilerResult& result : compilers) compare.push_back(json_of(result));
  return dumped(Json{{"schema", "seam.plan/1"},
                 {"module", plan.module},
                 {"policy", plan.policy},
                 {"device", plan.device},
                 {"options", std::move(options)},
                 {"totals", json_of(plan.totals)},
                 {"layouts", std::move(layouts)},
                 {"compare", std::move(compare)},
                 {"side_by_side", json_of(sides)},
                 {"groups", std::move(groups)},
                 {"outside", json_of(outside_kernels(plan, graph))},
                 {"vetoes", std::move(vetoes)}});
}

}  // namespace seam::report
