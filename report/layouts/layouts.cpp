#include "report/layouts.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/units.h"

namespace seam::report {

using graph::Op;
using planner::LayoutReason;

namespace {

/// "x.in_021" is x in another order (graph/transform/reorder.cpp).
std::string_view plain(std::string_view name) {
  const std::size_t at = name.rfind(".in_");
  return at == std::string_view::npos ? name : name.substr(0, at);
}

/// Names of what kernels and library calls read and write.
std::set<std::string, std::less<>> in_memory(const planner::Plan& plan, const graph::Graph& planned) {
  std::set<std::string, std::less<>> out;
  for (const planner::ComputationPlan& one : plan.computations) {
    const graph::Computation& computation = planned.computations[one.computation];
    const auto add = [&](Id<Op> op) {
      out.emplace(plain(computation.ops[op].name));
      out.emplace(plain(computation.ops[planner::storage_of(computation, op)].name));
    };
    for (const planner::FusionGroup& group : one.groups) {
      const planner::GroupBoundary ends = planner::boundary(computation, group);
      for (const Id<Op> op : ends.inputs) add(op);
      for (const Id<Op> op : ends.outputs) add(op);
    }
    for (const planner::Step& step : one.steps) {
      if (step.kind != planner::StepKind::Library) continue;
      add(step.op);
      for (const Id<Op> operand : computation.ops[step.op].operands) add(operand);
    }
  }
  return out;
}

/// Microseconds: what prints as 0.00.
constexpr double kNothing = 0.005;

std::string because(const LayoutReason& reason) {
  if (reason.otherwise.empty()) return "ties with others";
  return fmt::format("otherwise {} ({})", reason.otherwise[0].what, human_microseconds(reason.otherwise[0].us));
}

}  // namespace

Result<std::vector<LayoutReason>> layout_reasons(const graph::Graph& module, const planner::PlanOptions& options, const planner::Plan& plan) {
  if (plan.layouts.empty()) return std::vector<LayoutReason>{};
  SEAM_TRY(const graph::Graph ready, planner::before_layouts(module, options));
  return planner::layout_reasons(ready, options, plan.layouts, *planner::modelled_layout_costs(options.device));
}

Table layout_table(const std::vector<LayoutReason>& reasons, const planner::Plan& plan, const graph::Graph& planned) {
  Table table;
  table.title = "Layouts";
  table.columns = {{"set", "set", Unit::Count}, {"value", "value"}, {"before", "before"}, {"after", "after"}, {"saves_us", "alone, it saves", Unit::Microseconds, Evidence::Modelled}, {"why", "because"}};
  const std::set<std::string, std::less<>> memory = in_memory(plan, planned);
  std::int64_t set = 0, ties = 0;
  std::vector<const LayoutReason*> by_gain;
  for (const LayoutReason& reason : reasons) by_gain.push_back(&reason);
  std::ranges::stable_sort(by_gain, std::ranges::greater{}, &LayoutReason::saved_us);
  for (const LayoutReason* one : by_gain) {
    const LayoutReason& reason = *one;
    if (std::ranges::none_of(reason.values, [&](const LayoutReason::Value& value) { return memory.contains(value.name); })) continue;
    if (reason.saved_us < kNothing) {
      ++ties;
      continue;
    }
    ++set;
    bool first = true;
    for (const LayoutReason::Value& value : reason.values) {
      if (!memory.contains(value.name)) continue;
      graph::Shape shape = value.shape;
      shape.minor_to_major.clear();
      shape.has_layout = false;
      const std::string type = graph::print(shape);
      table.rows.push_back({set, value.name, type + graph::print_order(graph::row_major_order(shape.rank())), graph::print_order(value.order),
                            first ? Cell(reason.saved_us) : Cell(Blank{}), first ? because(reason) : std::string()});
      first = false;
    }
  }
  table.notes = {"values in memory whose dims lie in another order than the module writes them, minor to major as HLO prints layouts; a set moves together",
                 "alone, it saves: what library products, copies and kernels that read across would cost more if that set alone lay as written and all others as chosen; by the time model's formula. Not additive: "
                 "two sets that meet at one product both count what it pays; what the choice gains in all is the difference of whole plans (--layouts simulated counts them)"};
  if (ties > 0) table.notes.push_back(fmt::format("{} in memory {} with row-major and {} left out here", counted(ties, "more set"), ties == 1 ? "ties" : "tie", ties == 1 ? "is" : "are"));
  return table;
}

std::string explained_layout(const std::vector<LayoutReason>& reasons, std::string_view value) {
  for (const LayoutReason& reason : reasons) {
    const auto found = std::ranges::find(reason.values, value, &LayoutReason::Value::name);
    if (found == reason.values.end()) continue;
    std::string out = fmt::format("{} lies as {} instead of {}, with {} other values.\n", value, graph::print_order(found->order), graph::print_order(graph::row_major_order(found->shape.rank())), reason.values.size() - 1);
    out += fmt::format("If these alone were row-major it would cost {} more (modelled):\n", human_microseconds(reason.saved_us));
    for (const planner::LayoutCharge& charge : reason.otherwise) out += fmt::format("  {}: {}\n", charge.what, human_microseconds(charge.us));
    if (reason.otherwise.empty()) out += "  nothing: it ties with other choices\n";
    return out;
  }
  return {};
}

Result<Table> gains_table(const graph::Graph& module, const codegen::SettledLayouts& settled, const Device& device) {
  planner::PlanOptions options = settled.chosen.options;
  options.policy = "none";
  SEAM_TRY(const planner::Planning none, planner::plan_module(module, options));
  options = settled.chosen.options;
  options.orders = planner::LayoutOrders{};
  SEAM_TRY(const planner::Planning row_major, planner::plan_module(module, options));
  Table table;
  table.title = "What fusion and layouts gain, in a CUDA graph";
  table.columns = {{"plan", "plan"}, {"launches", "launches", Unit::Count}, {"estimated_us", "planner's estimate", Unit::Microseconds, Evidence::Modelled}, {"us", "kernels counted", Unit::Microseconds, Evidence::Modelled}};
  const auto row = [&](const char* what, const planner::Planning& planning, Cell counted) {
    const planner::Totals& t = planning.plan.totals;
    table.rows.push_back({std::string(what), t.kernels + t.copies + t.library_calls, codegen::estimated_us(planning, device), counted});
  };
  row("one kernel per op, row-major", none, Unknown{});
  row("fused, row-major", row_major, settled.row_major_us);
  row("fused, layouts chosen", settled.chosen, settled.chosen_us);
  table.notes = {fmt::format("fusion: first to second row; layouts: second to third. Kernels counted: the time model on what the simulator counted of each kernel; the estimate knows no layouts. Plans measured: {}; kernels run: {}, found in the table of costs: {}",
                             settled.tried, settled.kernels_run, settled.kernels_looked_up),
                 fmt::format("the network of layouts: {} values in {} sets, {} costs between them; chosen {}, row-major in the dims of each set's first value {}, lower bound {}", settled.network.values,
                             settled.network.groups, settled.network.factors, human_microseconds(settled.network.cost_us), human_microseconds(settled.network.unmoved_us), human_microseconds(settled.network.lower_bound_us))};
  return table;
}

Result<Table> bad_layout_table(const graph::Graph& module, const planner::PlanOptions& options) {
  Table table;
  table.title = "Ops that pay for their layouts";
  table.columns = {{"op", "op"}, {"opcode", "what"}, {"value", "value"}, {"now_us", "as written", Unit::Microseconds, Evidence::Modelled}, {"best_us", "best", Unit::Microseconds, Evidence::Modelled}, {"why", "why"}};
  SEAM_TRY(const graph::Graph ready, planner::before_layouts(module, options));
  const auto costs = planner::modelled_layout_costs(options.device);
  const planner::LayoutOrders best = planner::choose_layouts(ready, options, *costs).orders;
  for (const planner::BadLayout& one : planner::bad_layouts(ready, options, best, *costs)) {
    graph::Shape shape = one.shape;
    shape.minor_to_major.clear();
    shape.has_layout = false;
    table.rows.push_back({one.op, one.opcode, graph::print(shape), one.now_us, one.best_us, one.what});
  }
  table.notes = {"a layout that costs at least twice its best; transposes and copies that another order of dims saves; seam plan --layouts chosen takes the best"};
  return table;
}

}  // namespace seam::report
