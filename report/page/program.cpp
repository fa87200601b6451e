#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/units.h"
#include "page/parts.h"
#include "report/origin.h"
#include "report/render.h"

namespace seam::report {
namespace {

using planner::StepKind;

constexpr std::size_t kMostRows = 40;

std::size_t op_count(const planner::FusionGroup& group) {
  std::set<Id<graph::Op>> ops;
  for (const planner::Part& part : group.parts) {
    for (const planner::PlannedOp& planned : part.ops) ops.insert(planned.op);
  }
  return ops.size();
}

/// Steps between two library layers, or one such layer.
struct Row {
  StepKind kind = StepKind::Kernel;
  int level = 0;
  std::vector<const planner::Step*> steps;
};

/// Neighbouring steps of one sort on one level; kernels and copies share a row.
std::vector<Row> rows_of(const planner::ComputationPlan& plan) {
  std::vector<Row> rows;
  for (const planner::Step& step : plan.steps) {
    const StepKind kind = step.kind == StepKind::Copy ? StepKind::Kernel : step.kind;
    if (rows.empty() || rows.back().kind != kind || rows.back().level != step.level) rows.push_back({kind, step.level, {}});
    rows.back().steps.push_back(&step);
  }
  return rows;
}

class Flow {
 public:
  explicit Flow(const Optimized& o) : o_(o) {
    for_each_kernel(o, [&](const KernelView& view) { views_[{view.built.computation, view.built.group}] = Chip{view.verdict.outcome(), title_of(view)}; });
  }

  std::string computation(std::size_t index) const {
    const planner::ComputationPlan& plan = o_.plan->computations[index];
    const graph::Computation& computation = o_.graph->computations[plan.computation];
    std::string out;
    if (o_.plan->computations.size() > 1) {
      out += fmt::format("<h3 id=\"c-{0}\">{0} &middot; {1}</h3>\n", html_escape(computation.name),
                         plan.trips == 0 ? "runs as often as the data says" : plan.trips == 1 ? "runs once" : "runs " + human_count(plan.trips) + " times");
    }
    const std::vector<Row> rows = rows_of(plan);
    // A long program in full would bury what comes after it.
    const std::size_t shown = rows.size() <= kMostRows + 10 ? rows.size() : kMostRows;
    out += "<ol class=\"flow\">\n";
    for (std::size_t i = 0; i < shown; ++i) out += row_html(index, computation, rows[i]);
    out += "</ol>\n";
    if (shown == rows.size()) return out;
    out += fmt::format("<details class=\"more\"><summary>The other {} rows</summary><ol class=\"flow\">\n", rows.size() - shown);
    for (std::size_t i = shown; i < rows.size(); ++i) out += row_html(index, computation, rows[i]);
    return out + "</ol></details>\n";
  }

 private:
  struct Chip {
    codegen::Outcome outcome{};
    std::string title;
  };

  std::string row_html(std::size_t index, const graph::Computation& computation, const Row& row) const {
    if (row.kind == StepKind::Library) {
      std::string names;
      constexpr std::size_t kMost = 12;
      for (std::size_t i = 0; i < std::min(kMost, row.steps.size()); ++i) {
        const graph::Op& op = computation.ops[row.steps[i]->op];
        const std::string origin = origin_label(*o_.graph, op);
        names += fmt::format("{}<span title=\"{}\">{}</span>", i == 0 ? "" : " &middot; ", html_escape(graph::print(op.shape)), html_escape(call_label(op, origin)));
      }
      if (row.steps.size() > kMost) names += fmt::format(" and {} more", row.steps.size() - kMost);
      return fmt::format("<li><div class=\"tag\">library</div><div class=\"roof\">{}: {}</div></li>\n", counted(static_cast<std::int64_t>(row.steps.size()), "call"), names);
    }
    if (row.kind == StepKind::While || row.kind == StepKind::Conditional) {
      std::string chips;
      for (const planner::Step* step : row.steps) {
        const graph::Op& op = computation.ops[step->op];
        const bool loop = row.kind == StepKind::While;
        const std::string& body = o_.graph->computations[op.attributes.calls.at(loop ? 1 : 0)].name;
        chips += fmt::format("<a class=\"chip loop\" href=\"#c-{}\"><b>{}</b> <span>{} {}</span></a>", html_escape(body), html_escape(op.name), loop ? "repeats" : "chooses", html_escape(body));
      }
      return fmt::format("<li><div class=\"tag\">{}</div><div class=\"chips\">{}</div></li>\n", row.kind == StepKind::While ? "loop" : "branch", chips);
    }
    std::string chips;
    for (const planner::Step* step : row.steps) chips += step->kind == StepKind::Copy ? copy_chip(computation, *step) : kernel_chip(index, *step);
    return fmt::format("<li><div class=\"tag\">level {}</div><div class=\"chips\">{}</div></li>\n", row.level, chips);
  }

  static std::string call_label(const graph::Op& op, const std::string& origin) {
    std::string label = op.name;
    for (const std::string& taken : planner::epilogue_ops(op)) label += " + " + taken;
    return origin.empty() ? label : label + " (" + origin + ")";
  }

  std::string kernel_chip(std::size_t index, const planner::Step& step) const {
    const planner::FusionGroup& group = o_.plan->computations[index].groups[step.group];
    const Chip& chip = views_.at({index, step.group});
    return fmt::format("<a class=\"chip {}\" href=\"#{}\"><b>{}</b> <span>{} &middot; {}{}{}</span></a>", codegen::name(chip.outcome), anchor(group.name), html_escape(group.name), counted(static_cast<std::int64_t>(op_count(group)), "op"),
                       human_bytes(static_cast<double>(group.estimate.bytes_read + group.estimate.bytes_written)), chip.title.empty() ? "" : " &middot; ", html_escape(chip.title));
  }

  static std::string copy_chip(const graph::Computation& computation, const planner::Step& step) {
    const graph::Op& op = computation.ops[step.op];
    return fmt::format("<span class=\"chip copy\"><b>copy</b> <span>{} &middot; {}</span></span>", html_escape(op.name), human_bytes(static_cast<double>(op.shape.byte_size())));
  }

  const Optimized& o_;
  std::map<std::pair<std::size_t, std::size_t>, Chip> views_;
};

}  // namespace

std::string program_section(const Optimized& o) {
  std::string out = "<section id=\"program\" class=\"panel\">\n<h2>The program</h2>\n<p>What runs, in order. Library calls are roofs: no kernel reaches across one. A level is what stands between two roofs; choose a kernel to see inside.</p>\n";
  const Flow flow(o);
  // The entry comes last in the plan, because callees stand first; readers start with it.
  for (std::size_t c = o.plan->computations.size(); c-- > 0;) out += flow.computation(c);
  return out + "</section>\n";
}

}  // namespace seam::report
