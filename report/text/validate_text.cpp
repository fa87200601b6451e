#include <fmt/core.h>

#include <algorithm>

#include "report/optimized.h"
#include "report/render.h"
#include "report/validate_json.h"

namespace seam::report {
namespace {

using codegen::Outcome;
using codegen::Tier;
using codegen::Verdict;

/// The first tier that decided the verdict: what a reader asks next.
std::string because(const Verdict& verdict) {
  for (const Outcome wanted : {Outcome::Failed, Outcome::Inconclusive, Outcome::NotRun}) {
    for (const auto& [name, tier] : {std::pair<const char*, const Tier&>{"ir", verdict.ir}, {"sim", verdict.sim}, {"values", verdict.values}}) {
      if (tier.outcome == wanted) return fmt::format("{}: {}", name, tier.detail);
    }
  }
  return verdict.values.detail;
}

Table kernel_table(const std::vector<Verdict>& kernels) {
  Table table{"Kernels", {{"name", "kernel"}, {"verdict", "verdict"}, {"ir", "ir"}, {"sim", "sim"}, {"values", "values"}, {"host", "host"}, {"gpu", "gpu"},
               {"registers", "registers", Unit::Count, Evidence::Modelled}, {"spilled", "spilled", Unit::Bytes, Evidence::Modelled}, {"detail", "because"}}, {}, {}};
  for (const Verdict& v : kernels) {
    const auto said = [](Outcome outcome) { return Cell(std::string(codegen::name(outcome))); };
    const Cell registers = v.resources ? Cell(std::int64_t{v.resources->registers}) : Cell(Unknown{});
    const Cell spilled = v.resources ? Cell(v.resources->spill_store_bytes + v.resources->spill_load_bytes) : Cell(Unknown{});
    table.rows.push_back({v.kernel, said(v.outcome()), said(v.ir.outcome), said(v.sim.outcome), said(v.values.outcome), said(v.host.outcome), said(v.gpu.outcome), registers, spilled, because(v)});
  }
  const auto known = std::ranges::find_if(kernels, [](const Verdict& v) { return v.resources.has_value(); });
  table.notes.push_back(known == kernels.end() ? "registers and spills: unknown, no nvJitLink was found (seam doctor)"
                                               : fmt::format("registers a thread and bytes spilled (stores and loads in the code): what ptxas says of the machine code for sm_{}", known->resources->architecture));
  return table;
}

Table output_table(const codegen::ProgramCheck& program) {
  Table table{"Outputs of the whole program",
              {{"index", "output", Unit::Count}, {"compared", "elements", Unit::Count}, {"wrong", "wrong", Unit::Count}, {"max_abs", "largest difference"},
               {"max_rel", "relative"}, {"tolerance", "allowed"}, {"note", ""}},
              {},
              {}};
  for (const codegen::OutputCheck& o : program.outputs) {
    const auto figure = [](double value) { return Cell(fmt::format("{:.3g}", value)); };
    table.rows.push_back({static_cast<std::int64_t>(o.index), static_cast<std::int64_t>(o.compared), static_cast<std::int64_t>(o.wrong), figure(o.max_abs), figure(o.max_rel),
                          figure(o.tolerance), codegen::remark(o)});
  }
  return table;
}

}  // namespace

std::string validate_text(const std::vector<Verdict>& kernels, const codegen::ProgramCheck& program, bool markdown) {
  Document document;
  if (!kernels.empty()) {
    const VerdictCounts counts = count(kernels);
    document.emplace_back(kernel_table(kernels));
    const auto sampled = std::ranges::count_if(kernels, [](const Verdict& v) { return v.blocks_run < v.blocks; });
    document.emplace_back(Paragraph{fmt::format("{} kernel{}: {} passed, {} failed, {} inconclusive; {} on a sample of their blocks.", counts.total(), counts.total() == 1 ? "" : "s", counts.passed,
                                                counts.failed, counts.inconclusive, sampled)});
    std::string reports;
    for (const Verdict& v : kernels) {
      for (const std::string& report : v.reports) reports += fmt::format("{}: {}\n", v.kernel, report);
    }
    if (!reports.empty()) document.emplace_back(Verbatim{std::move(reports)});
  }
  if (!program.outputs.empty()) document.emplace_back(output_table(program));
  if (program.outcome != Outcome::NotRun) {
    document.emplace_back(Paragraph{fmt::format("Whole program: {}{}{}", codegen::name(program.outcome), program.reason.empty() ? "" : ": ", program.reason)});
  }
  if (kernels.empty() && program.outcome == Outcome::NotRun)
    document.emplace_back(Paragraph{"There was nothing to prove: the plan has no kernel (seam plan says which ops are in none, and why), and no inputs were given for a run of the program (--inputs)."});
  document.emplace_back(Paragraph{fmt::format("Verdict: {}", codegen::name(overall(kernels, program)))});
  return markdown ? to_markdown(document) : to_text(document);
}

}  // namespace seam::report
