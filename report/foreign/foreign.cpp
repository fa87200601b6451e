#include "report/foreign.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "table/names.h"

namespace seam::report {
namespace {

using codegen::ForeignCheck;
using codegen::ForeignKind;
using codegen::Outcome;

void add(sim::Counters& sum, const sim::Counters& one) {
  sum.blocks += one.blocks;
  sum.warp_instructions += one.warp_instructions;
  sum.instructions += one.instructions;
  sum.bytes_read += one.bytes_read;
  sum.bytes_written += one.bytes_written;
  sum.sectors_read += one.sectors_read;
  sum.sectors_written += one.sectors_written;
  sum.footprint_read += one.footprint_read;
  sum.footprint_written += one.footprint_written;
  sum.distinct_bytes_read += one.distinct_bytes_read;
  sum.distinct_bytes_written += one.distinct_bytes_written;
  sum.global_requests += one.global_requests;
  sum.global_wavefronts += one.global_wavefronts;
  sum.shared_wavefronts += one.shared_wavefronts;
  sum.shared_conflicts += one.shared_conflicts;
  sum.shared_requests += one.shared_requests;
  sum.barriers += one.barriers;
  sum.atomics += one.atomics;
  sum.atomic_sectors += one.atomic_sectors;
  sum.l2_sectors_read += one.l2_sectors_read;
}

std::uint64_t blocks_of(sim::Dim3 grid) { return std::uint64_t{grid.x} * grid.y * grid.z; }

/// Failed beats inconclusive beats passed beats not run.
Outcome worse(Outcome a, Outcome b) {
  for (const Outcome outcome : {Outcome::Failed, Outcome::Inconclusive, Outcome::Passed}) {
    if (a == outcome || b == outcome) return outcome;
  }
  return Outcome::NotRun;
}

void take(ForeignKernelRow& row, const ForeignCheck& check) {
  row.sim = worse(row.sim, check.simulated);
  row.values = worse(row.values, check.simulated == Outcome::Passed ? check.outcome : Outcome::NotRun);
  if (row.reason.empty() && check.outcome != Outcome::Passed) row.reason = check.reason;
  row.max_abs = std::max(row.max_abs, check.max_abs);
  row.max_rel = std::max(row.max_rel, check.max_rel);
  row.tolerance = std::max(row.tolerance, check.tolerance);
  row.compared += check.compared;
}

ForeignTotals totals_of(const std::map<std::string, ForeignKernelRow>& rows) {
  ForeignTotals out;
  for (const auto& [name, row] : rows) {
    if (!row.times || row.counters.blocks == 0) {
      ++out.unknown;
      continue;
    }
    if (row.counters.blocks < row.blocks) out.evidence = Evidence::Modelled;
    const double times = static_cast<double>(*row.times) * static_cast<double>(row.blocks) / static_cast<double>(row.counters.blocks);
    const auto add_to = [&](double& sum, std::uint64_t figure) { sum += times * static_cast<double>(figure); };
    out.kernels += *row.times;
    add_to(out.instructions, row.counters.instructions);
    add_to(out.bytes_read, row.counters.distinct_bytes_read);
    add_to(out.bytes_written, row.counters.distinct_bytes_written);
    add_to(out.dram_bytes_read, row.counters.footprint_read * 32);
    add_to(out.dram_bytes_written, row.counters.footprint_written * 32);
  }
  return out;
}

}  // namespace

Outcome ForeignKernelRow::outcome() const {
  if (sim == Outcome::Failed || values == Outcome::Failed) return Outcome::Failed;
  return sim == Outcome::Passed && values == Outcome::Passed ? Outcome::Passed : Outcome::Inconclusive;
}

Outcome ForeignReport::outcome() const {
  bool all_passed = program.outcome == Outcome::Passed || (program.outcome == Outcome::NotRun && !kernels.empty());
  if (program.outcome == Outcome::Failed) return Outcome::Failed;
  for (const ForeignKernelRow& row : kernels) {
    if (row.outcome() == Outcome::Failed) return Outcome::Failed;
    // A kernel that did not come up in this run (a branch not taken) was not asked about.
    const bool asked = row.sim != Outcome::NotRun || program.outcome == Outcome::NotRun;
    if (asked && row.outcome() != Outcome::Passed) all_passed = false;
  }
  return all_passed ? Outcome::Passed : Outcome::Inconclusive;
}

ForeignReport foreign_report(const codegen::ForeignProgram& program, std::span<const ForeignCheck> alone,
                             std::span<const codegen::ForeignProfile> profiles, const codegen::ForeignRun* run, const codegen::ProgramCheck& check) {
  std::map<std::string, ForeignKernelRow> rows;
  const auto times = codegen::launch_times(program);
  for (const graph::Computation& computation : program.graph.computations) {
    for (const graph::Op& op : computation.ops) {
      const auto found = program.launches.find(op.name);
      if (found == program.launches.end() || found->second.kind != ForeignKind::Kernel) continue;
      const codegen::ForeignLaunch& launch = found->second;
      const auto [slot, fresh] = rows.try_emplace(launch.kernel);
      ForeignKernelRow& row = slot->second;
      if (fresh) {
        row.kernel = launch.kernel;
        row.grid = launch.grid;
        row.block = launch.block;
        row.dynamic_shared = launch.dynamic_shared;
        row.times = 0;
      }
      row.instructions.push_back(op.name);
      // An instruction that never runs (the condition of a loop whose length is known) adds nothing.
      const auto often = times.find(op.name);
      if (often != times.end()) row.times = row.times && often->second ? std::optional(*row.times + *often->second) : std::nullopt;
    }
  }
  for (const ForeignCheck& one : alone) take(rows[one.kernel], one);
  ForeignReport out;
  out.name = program.graph.name;
  out.program = check;
  const auto figures = [&](const std::string& kernel, const sim::Counters& counters, std::uint64_t blocks) {
    ForeignKernelRow& row = rows[kernel];
    ++row.launches;
    row.blocks += blocks;
    add(row.counters, counters);
  };
  if (run != nullptr) {
    for (const ForeignCheck& one : run->checks) take(rows[one.kernel], one);
    for (const codegen::ForeignStep& step : run->steps) {
      if (step.launch->kind == ForeignKind::Kernel) figures(step.launch->kernel, step.counters, blocks_of(step.launch->grid));
    }
    out.launches = run->kernels;
    out.library_calls = run->library_calls;
    out.copies = run->copies;
    out.rescued = run->rescued;
    out.instructions = run->instructions;
    out.bytes_read = run->bytes_read;
    out.bytes_written = run->bytes_written;
    out.peak_bytes = run->peak_bytes;
    if (run->rescued > 0)
      out.notes.push_back(
          fmt::format("{} operands had to be copied before a kernel updated them in place, because something reads them later", run->rescued));
  } else if (!profiles.empty()) {
    std::uint64_t sampled = 0;
    for (const codegen::ForeignProfile& profile : profiles) {
      ForeignKernelRow& row = rows[profile.launch->kernel];
      row.sim = worse(row.sim, profile.refusal ? Outcome::Inconclusive : profile.reports.empty() ? Outcome::Passed : Outcome::Failed);
      if (row.reason.empty() && profile.refusal) row.reason = describe(*profile.refusal);
      if (row.reason.empty() && !profile.reports.empty()) row.reason = profile.reports.front();
      figures(profile.launch->kernel, profile.counters, profile.blocks);
      sampled += profile.counters.blocks < profile.blocks ? 1U : 0U;
    }
    out.totals = totals_of(rows);
    out.notes.emplace_back("each kernel ran once, on seeded inputs; values were not compared");
    if (sampled > 0) out.notes.push_back(fmt::format("{} kernels ran on a sample of their blocks, and their figures speak of these alone", sampled));
  } else {
    for (const ForeignCheck& one : alone) figures(one.kernel, one.counters, one.counters.blocks);
    if (!alone.empty()) out.notes.emplace_back("each kernel ran on seeded inputs; figures are those of one launch");
  }
  std::vector<std::string> ill;
  for (const auto& checks : {alone, run != nullptr ? std::span<const ForeignCheck>(run->checks) : std::span<const ForeignCheck>()}) {
    for (const ForeignCheck& one : checks) {
      if (one.ill_conditioned && std::ranges::find(ill, one.kernel) == ill.end()) ill.push_back(one.kernel);
    }
  }
  if (!ill.empty()) {
    out.notes.push_back(
        fmt::format("{}: right within what operands that move by a few roundings do to the result, which is more than the table of tolerances grants",
                    first_of(ill)));
  }
  for (auto& [name, row] : rows) out.kernels.push_back(std::move(row));
  return out;
}

}  // namespace seam::report
