#include "report/comparison.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/units.h"
#include "planner/planner.h"
#include "table/names.h"

namespace seam::report {
namespace {

std::vector<Cell> row_of(const planner::Plan& plan) {
  const planner::Totals& t = plan.totals;
  return {plan.policy, t.kernels, t.copies, t.kernels + t.copies, t.library_calls, t.kernels + t.copies + t.library_calls, t.bytes_read, t.bytes_written, t.bytes_read + t.bytes_written, t.copy_bytes, t.library_bytes};
}

std::vector<Cell> row_of(const CompilerResult& result) {
  const analyzer::LaunchCounts& c = result.counts;
  return {result.name, c.kernels, c.copies, c.kernels + c.copies, c.library_calls, c.kernels + c.copies + c.library_calls, Unknown{}, Unknown{}, c.kernel_bytes, c.copy_bytes, c.library_bytes};
}

std::vector<Cell> floor_of(const planner::Plan& plan) {
  const planner::Totals& t = plan.totals;
  return {std::string("floor"), Blank{}, Blank{}, t.floor_kernels, t.library_calls, t.floor_kernels + t.library_calls, Blank{}, Blank{}, t.floor_bytes, Blank{}, t.library_bytes};
}

/// Ops that stand among the library calls because no kernel can be written for them yet.
std::string not_in_a_library(const planner::Plan& plan, const graph::Graph& graph) {
  std::vector<std::string> names;
  for (const planner::ComputationPlan& one : plan.computations) {
    for (const planner::Step& step : one.steps) {
      if (step.kind != planner::StepKind::Library) continue;
      const graph::Op& op = graph.computations[one.computation].ops[step.op];
      const graph::OpClass op_class = graph::op_class(op.opcode);
      if (op_class == graph::OpClass::Contraction || op_class == graph::OpClass::Library || op_class == graph::OpClass::Communication) continue;
      names.push_back(fmt::format("{} ({})", op.name, graph::name(op.opcode)));
    }
  }
  if (names.empty()) return {};
  return fmt::format("Ops that no kernel can be written for yet stand among {}'s library calls, though no library has them; each counts as a call that moves its operands and results: {}.", plan.policy, first_of(names));
}

}  // namespace

std::size_t taken_over(const graph::Graph& graph) {
  std::size_t ops = 0;
  for (const graph::Computation& computation : graph.computations)
    for (const graph::Op& op : computation.ops) ops += planner::epilogue_ops(op).size();
  return ops;
}

Table comparison(const planner::Plan& plan, const graph::Graph& graph, std::span<const planner::Plan> baselines, std::span<const CompilerResult> compilers) {
  Table table{"Policies on this module",
              {{"policy", "policy"},
               {"kernels", "kernels", Unit::Count},
               {"copies", "copies", Unit::Count},
               {"kernels_and_copies", "kernels + copies", Unit::Count},
               {"library_calls", "library calls", Unit::Count},
               {"launches", "all launches", Unit::Count},
               {"bytes_read", "read", Unit::Bytes, Evidence::Modelled},
               {"bytes_written", "written", Unit::Bytes, Evidence::Modelled},
               {"bytes", "both", Unit::Bytes, Evidence::Modelled},
               {"copy_bytes", "by copies", Unit::Bytes, Evidence::Modelled},
               {"library_bytes", "by the library", Unit::Bytes, Evidence::Modelled}},
              {},
              {}};
  for (const planner::Plan& baseline : baselines) table.rows.push_back(row_of(baseline));
  for (const CompilerResult& result : compilers) table.rows.push_back(row_of(result));
  table.rows.push_back(row_of(plan));
  table.rows.push_back(floor_of(plan));
  table.notes.emplace_back(
      "Counts are what runs, loops times their trips; bytes are what kernels read and write in memory, and beside them what copies move and operands and results of library calls. none = one kernel per op. xla2018 = XLA's fusion rules of 2018, re-implemented. floor = the least "
      "for a plan that keeps these library calls and their operands.");
  if (std::string nobodys = not_in_a_library(plan, graph); !nobodys.empty()) table.notes.push_back(std::move(nobodys));
  if (!compilers.empty()) {
    table.notes.emplace_back(
        "Rows named after files are what a real compiler made of the program, counted in its optimized module; bytes of its kernels are operands and results once per launch. Work that it moved into library "
        "calls is not in them, and matrix products that it kept out of library calls are: rows whose library calls differ compare by all launches, and by the sum of all bytes.");
  }
  if (const std::size_t taken = taken_over(graph); taken > 0) {
    table.notes.push_back(fmt::format("{} {} of the module moved into the epilogues of {}'s library calls and {} in none of its kernels (--no-epilogues leaves them to kernels).", taken, taken == 1 ? "op" : "ops",
                                      plan.policy, taken == 1 ? "is" : "are"));
  }
  for (const CompilerResult& result : compilers)
    for (const std::string& note : result.notes) table.notes.push_back(result.name + ": " + note + ".");
  for (const planner::ComputationPlan& one : plan.computations)
    if (one.trips == 0) table.notes.push_back(fmt::format("How often {} runs depends on data: counted once.", graph.computations[one.computation].name));
  return table;
}

Table comparison(const Optimized& optimized) { return comparison(*optimized.plan, *optimized.graph, optimized.baselines, optimized.compilers); }

Table time_table(const Optimized& optimized) {
  const Seconds& s = optimized.seconds;
  Table table{"Where Seam's own time went", {{"stage", "stage"}, {"seconds", "wall time", Unit::Seconds}}, {}, {}};
  for (const auto& [stage, seconds] : {std::pair<const char*, double>{"read", s.read}, {"plan", s.plan}, {"write kernels", s.emit}, {"compile", s.compile}, {"assemble", s.assemble}, {"prove", s.prove}, {"run the program", s.run}, {"count kernels", s.count}}) {
    table.rows.push_back({std::string(stage), seconds});
  }
  table.rows.push_back({std::string("total"), s.read + s.plan + s.emit + s.compile + s.assemble + s.prove + s.run + s.count});
  return table;
}

std::vector<VetoGroup> vetoes_by_code(const planner::Plan& plan, std::size_t examples) {
  std::map<planner::VetoCode, VetoGroup> groups;
  for (const planner::Veto& veto : plan.vetoes) {
    VetoGroup& group = groups[veto.code];
    group.code = veto.code;
    ++group.count;
    if (group.examples.size() < examples) group.examples.push_back(&veto);
  }
  std::vector<VetoGroup> out;
  for (auto& [code, group] : groups) out.push_back(std::move(group));
  std::ranges::stable_sort(out, std::ranges::greater{}, &VetoGroup::count);
  return out;
}

std::string numbers_of(const planner::Veto& veto) {
  std::string out;
  for (const auto& [name, value] : veto.numbers) {
    const bool whole = value == std::floor(value) && std::abs(value) < 9e15;
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", name, whole ? human_count(static_cast<std::int64_t>(value)) : fmt::format("{:.4g}", value));
  }
  return out;
}

std::string ops_of(const planner::Veto& veto, const graph::Graph& graph, std::size_t most) {
  std::string out;
  for (std::size_t i = 0; i < std::min(most, veto.ops.size()); ++i) {
    out += fmt::format("{}{}", i == 0 ? "" : ", ", graph.computations[veto.computation].ops[veto.ops[i]].name);
  }
  if (veto.ops.size() > most) out += fmt::format(" and {} more", veto.ops.size() - most);
  return out;
}

}  // namespace seam::report
