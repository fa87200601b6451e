/// The .plan text: one line per fact, names of ops instead of ids, nothing that changes from run to run.
#include <fmt/core.h>

#include <algorithm>

#include "planner/planner.h"
#include "text/words.h"

namespace seam::planner {

using graph::Computation;
using graph::Op;

namespace {

std::string schedule_text(const Schedule& schedule) {
  if (schedule.kind == ScheduleKind::Flat) return fmt::format("flat blocks={}", schedule.sword);
  return fmt::format("{} split={} sword={}", name(schedule.kind), schedule.split_dim, schedule.sword);
}

void print_op(std::string& out, const Computation& computation, const PlannedOp& planned) {
  out += fmt::format("      {} {}", text::quoted(computation.ops[planned.op].name), name(planned.placement));
  if (planned.output && planned.placement != Placement::Output) out += " written";
  if (planned.placement != Placement::Inline || planned.output) out += " " + schedule_text(planned.schedule);
  if (planned.placement == Placement::Shared)
    out += fmt::format(" bytes={} at={}", planned.shared_bytes, planned.shared_offset);
  out += "\n";
}

void print_group(std::string& out, const Computation& computation, const FusionGroup& group) {
  out += fmt::format("  group {} level={} threads={} {{\n", text::quoted(group.name), group.level, group.threads);
  for (const Part& part : group.parts) {
    out += fmt::format("    part {} blocks={} splits={} lanes={} shared={} {{\n", name(part.kind), part.blocks, part.splits,
                       part.lanes, part.shared_bytes);
    for (const PlannedOp& planned : part.ops) print_op(out, computation, planned);
    out += "    }\n";
  }
  for (const auto& [root, input] : group.in_place)
    out += fmt::format("    in-place {} over {}\n", text::quoted(computation.ops[root].name),
                       text::quoted(computation.ops[input].name));
  const Estimate& e = group.estimate;
  out += fmt::format("    estimate read={} written={} exact={} flops={} low={} mid={} high={}\n", e.bytes_read, e.bytes_written,
                     e.exact ? 1 : 0, e.flops, e.time_low_us, e.time_mid_us, e.time_high_us);
  out += "  }\n";
}

}  // namespace

std::string print_plan(const Plan& plan, const graph::Graph& graph) {
  std::string out = "seam.plan 1\n";
  out += fmt::format("module {}\npolicy {}\ndevice {}\n", text::quoted(plan.module), text::quoted(plan.policy),
                     text::quoted(plan.device));
  for (const auto& [key, value] : plan.options)
    out += fmt::format("option {} {}\n", text::quoted(key), text::quoted(value));
  for (const auto& [computation, orders] : plan.layouts)
    for (const auto& [op, order] : orders) out += fmt::format("layout {} {} {}\n", text::quoted(computation), text::quoted(op), text::quoted(graph::print_order(order)));
  for (const ComputationPlan& one : plan.computations) {
    const Computation& computation = graph.computations[one.computation];
    out += fmt::format("computation {} trips={} roof-floor={} byte-floor={} {{\n", text::quoted(computation.name), one.trips,
                       one.roof_floor, one.byte_floor);
    for (const FusionGroup& group : one.groups) print_group(out, computation, group);
    for (const Step& step : one.steps)
      out += fmt::format("  step {} {} level={}\n", text::kind_name(step.kind),
                         text::quoted(step.kind == StepKind::Kernel ? one.groups[step.group].name
                                                                    : computation.ops[step.op].name),
                         step.level);
    out += "}\n";
  }
  for (const Veto& veto : plan.vetoes) {
    const Computation& computation = graph.computations[veto.computation];
    out += fmt::format("veto {} in {} {{", name(veto.code), text::quoted(computation.name));
    for (const Id<Op> op : veto.ops) out += " " + text::quoted(computation.ops[op].name);
    out += " }";
    for (const auto& [key, number] : veto.numbers) out += fmt::format(" {}={}", text::quoted(key), number);
    out += "\n";
  }
  const Totals& t = plan.totals;
  out += fmt::format(
      "totals kernels={} library-calls={} copies={} read={} written={} library-bytes={} copy-bytes={} floor-kernels={} floor-bytes={} ops={} fusable={} fused={}\n",
      t.kernels, t.library_calls, t.copies, t.bytes_read, t.bytes_written, t.library_bytes, t.copy_bytes, t.floor_kernels, t.floor_bytes, t.ops, t.fusable_ops,
      t.fused_ops);
  return out;
}

}  // namespace seam::planner
