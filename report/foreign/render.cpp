/// Text and JSON of a foreign program's report.
#include <fmt/core.h>

#include <cmath>

#include "base/units.h"
#include "json/verdicts.h"
#include "report/foreign.h"
#include "report/render.h"

namespace seam::report {
namespace {

using codegen::Outcome;

std::string dimensions(sim::Dim3 d) {
  if (d.y == 1 && d.z == 1) return fmt::format("{}", d.x);
  return fmt::format("{}x{}x{}", d.x, d.y, d.z);
}

Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(); }

std::string_view answer(Outcome outcome) { return codegen::name(outcome == Outcome::NotRun ? Outcome::Inconclusive : outcome); }

Json json_of(sim::Dim3 d) { return {d.x, d.y, d.z}; }

Json json_of(const sim::Counters& c) {
  return {{"evidence", name(Evidence::Simulated)},
          {"instructions", c.instructions},
          {"warp_instructions", c.warp_instructions},
          {"bytes_read", c.distinct_bytes_read},
          {"bytes_written", c.distinct_bytes_written},
          {"sectors_read", c.sectors_read},
          {"sectors_written", c.sectors_written},
          {"dram_bytes_read", c.footprint_read * 32},
          {"dram_bytes_written", c.footprint_written * 32},
          {"global_wavefronts", c.global_wavefronts},
          {"shared_wavefronts", c.shared_wavefronts},
          {"shared_conflicts", c.shared_conflicts},
          {"shared_requests", c.shared_requests},
          {"barriers", c.barriers},
          {"atomics", c.atomics}};
}

Json json_of(const ForeignKernelRow& row) {
  const std::string_view none = codegen::name(Outcome::NotRun);
  Json out = {
      {"name", row.kernel},
      {"verdict", answer(row.outcome())},
      {"tiers", {{"ir", none}, {"sim", codegen::name(row.sim)}, {"values", codegen::name(row.values)}, {"host", none}, {"gpu", none}}},
      {"details",
       {{"ir", "another compiler's kernel"},
        {"sim", row.sim == Outcome::Passed ? "" : row.reason},
        {"values", row.sim == Outcome::Passed ? row.reason : ""},
        {"host", ""},
        {"gpu", ""}}},
      {"instructions", row.instructions},
      {"launches", row.launches},
      {"times", row.times ? Json(*row.times) : Json()},
      {"grid", json_of(row.grid)},
      {"block", json_of(row.block)},
      {"dynamic_shared_bytes", row.dynamic_shared},
      {"blocks", {{"run", row.counters.blocks}, {"of", row.blocks}}},
      {"counters", row.launches > 0 ? json_of(row.counters) : Json()},
      {"values",
       {{"compared", row.compared}, {"max_abs", finite(row.max_abs)}, {"max_rel", finite(row.max_rel)}, {"tolerance", finite(row.tolerance)}}}};
  out["reports"] = row.sim == Outcome::Failed ? Json{row.reason} : Json::array();
  return out;
}

Table kernel_table(const ForeignReport& report) {
  Table table{"Kernels of " + report.name,
              {{"name", "kernel"},
               {"verdict", "verdict"},
               {"launches", "launches", Unit::Count},
               {"grid", "grid"},
               {"block", "block"},
               {"shared", "shared", Unit::Bytes},
               {"instructions", "instructions", Unit::Count, Evidence::Simulated},
               {"bytes_read", "read", Unit::Bytes, Evidence::Simulated},
               {"bytes_written", "written", Unit::Bytes, Evidence::Simulated},
               {"sectors", "sectors", Unit::Count, Evidence::Simulated},
               {"barriers", "barriers", Unit::Count, Evidence::Simulated},
               {"detail", "because"}},
              {},
              {}};
  for (const ForeignKernelRow& row : report.kernels) {
    const auto figure = [&](std::uint64_t value) { return row.launches > 0 ? Cell(static_cast<std::int64_t>(value)) : Cell(Unknown{}); };
    table.rows.push_back({row.kernel, std::string(codegen::name(row.outcome())), static_cast<std::int64_t>(row.launches), dimensions(row.grid),
                          dimensions(row.block), row.dynamic_shared, figure(row.counters.instructions), figure(row.counters.distinct_bytes_read),
                          figure(row.counters.distinct_bytes_written), figure(row.counters.sectors_read + row.counters.sectors_written),
                          figure(row.counters.barriers), row.reason});
  }
  table.notes.emplace_back("figures are sums over the launches; read and written: distinct bytes per launch; sectors: 32 bytes each, requested");
  for (const std::string& note : report.notes) table.notes.push_back(note);
  return table;
}

Table output_table(const codegen::ProgramCheck& program) {
  Table table{"Outputs of the whole program",
              {{"index", "output", Unit::Count},
               {"compared", "elements", Unit::Count},
               {"wrong", "wrong", Unit::Count},
               {"max_abs", "largest difference"},
               {"max_rel", "relative"},
               {"tolerance", "allowed"},
               {"note", ""}},
              {},
              {}};
  for (const codegen::OutputCheck& o : program.outputs) {
    const auto figure = [](double value) { return Cell(fmt::format("{:.3g}", value)); };
    table.rows.push_back({static_cast<std::int64_t>(o.index), static_cast<std::int64_t>(o.compared), static_cast<std::int64_t>(o.wrong),
                          figure(o.max_abs), figure(o.max_rel), figure(o.tolerance),
                          codegen::remark(o)});
  }
  return table;
}

Json json_of(const ForeignTotals& totals) {
  return {{"evidence", name(totals.evidence)},
          {"kernels", totals.kernels},
          {"instructions", totals.instructions},
          {"bytes_read", totals.bytes_read},
          {"bytes_written", totals.bytes_written},
          {"dram_bytes_read", totals.dram_bytes_read},
          {"dram_bytes_written", totals.dram_bytes_written},
          {"unknown_kernels", totals.unknown}};
}

}  // namespace

std::string foreign_json(const ForeignReport& report) {
  Json kernels = Json::array();
  for (const ForeignKernelRow& row : report.kernels) kernels.push_back(json_of(row));
  Json program = json_of(report.program);
  if (report.program.outcome != Outcome::NotRun) {
    program["run"] = {{"kernels", report.launches},
                      {"library_calls", report.library_calls},
                      {"copies", report.copies},
                      {"rescued", report.rescued},
                      {"instructions", report.instructions},
                      {"bytes_read", report.bytes_read},
                      {"bytes_written", report.bytes_written},
                      {"peak_bytes", report.peak_bytes}};
  }
  if (report.totals) program["totals"] = json_of(*report.totals);
  return dumped(Json{{"schema", "seam.validate/1"},
                 {"verdict", answer(report.outcome())},
                 {"kernels", std::move(kernels)},
                 {"program", std::move(program)},
                 {"notes", report.notes}});
}

std::string foreign_text(const ForeignReport& report, bool markdown) {
  Document document;
  document.emplace_back(kernel_table(report));
  std::size_t passed = 0, failed = 0;
  for (const ForeignKernelRow& row : report.kernels) {
    passed += row.outcome() == Outcome::Passed ? 1U : 0U;
    failed += row.outcome() == Outcome::Failed ? 1U : 0U;
  }
  document.emplace_back(Paragraph{fmt::format("{} kernels: {} passed, {} failed, {} inconclusive.", report.kernels.size(), passed, failed,
                                              report.kernels.size() - passed - failed)});
  if (report.totals) {
    document.emplace_back(Paragraph{fmt::format(
        "A run of the program launches {} kernels, which take {} thread instructions and move {} from and {} to DRAM ({}; a cache without limit within each launch){}.",
        report.totals->kernels, human_count(static_cast<std::int64_t>(report.totals->instructions)), human_bytes(report.totals->dram_bytes_read),
        human_bytes(report.totals->dram_bytes_written), name(report.totals->evidence),
        report.totals->unknown > 0 ? fmt::format("; {} kernels are left out", report.totals->unknown) : std::string())});
  }
  if (!report.program.outputs.empty()) document.emplace_back(output_table(report.program));
  if (report.program.outcome != Outcome::NotRun) {
    document.emplace_back(Paragraph{
        fmt::format("The run: {} kernels, {} library calls, {} copies; kernels read {} and wrote {}; {} thread instructions; at most {} in use.",
                    report.launches, report.library_calls, report.copies, human_bytes(static_cast<double>(report.bytes_read)),
                    human_bytes(static_cast<double>(report.bytes_written)), human_count(static_cast<std::int64_t>(report.instructions)),
                    human_bytes(static_cast<double>(report.peak_bytes)))});
    document.emplace_back(Paragraph{fmt::format("Whole program: {}{}{}", codegen::name(report.program.outcome),
                                                report.program.reason.empty() ? "" : ": ", report.program.reason)});
  }
  document.emplace_back(Paragraph{fmt::format("Verdict: {}", codegen::name(report.outcome()))});
  return markdown ? to_markdown(document) : to_text(document);
}

}  // namespace seam::report
