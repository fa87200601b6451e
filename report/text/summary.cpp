#include "report/summary.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/units.h"
#include "report/comparison.h"
#include "report/machine_code.h"
#include "report/plan_json.h"

namespace seam::report {
namespace {

using codegen::Outcome;

std::string plural(std::size_t n, std::string_view noun) {
  const std::string many = noun == "copy" ? "copies" : std::string(noun) + "s";
  return fmt::format("{} {}", human_count(static_cast<std::int64_t>(n)), n == 1 ? noun : std::string_view(many));
}

std::string headline(const Optimized& o) {
  const planner::Totals& ours = o.plan->totals;
  const planner::Plan* none = o.baseline("none");
  std::string out = fmt::format("{} on {}: ", o.input, o.options.device.name);
  if (none != nullptr && none != o.plan.get()) {
    const planner::Totals& before = none->totals;
    out += fmt::format("{} become {}{}", plural(static_cast<std::size_t>(before.kernels), "kernel"), human_count(ours.kernels),
                       before.copies + ours.copies == 0       ? ""
                       : before.copies == ours.copies       ? fmt::format(" (and {} stay)", plural(static_cast<std::size_t>(ours.copies), "copy"))
                                                            : fmt::format(" (copies: {} become {})", human_count(before.copies), human_count(ours.copies)));
    out += fmt::format("; {} library calls {}", human_count(ours.library_calls), ours.library_calls == before.library_calls ? "stay" : fmt::format("instead of {}", human_count(before.library_calls)));
    if (const std::size_t taken = taken_over(*o.graph); taken > 0) out += fmt::format(" and also compute {} that followed them", plural(taken, "op"));
    out += fmt::format("; kernels move {} instead of {} (modelled)", human_bytes(static_cast<double>(ours.bytes_read + ours.bytes_written)),
                       human_bytes(static_cast<double>(before.bytes_read + before.bytes_written)));
  } else {
    out += fmt::format("{} kernels, {} copies, {} library calls", human_count(ours.kernels), human_count(ours.copies), human_count(ours.library_calls));
  }
  return out + ".";
}

std::string proof(const Optimized& o) {
  const VerdictCounts counts = count(o.verdicts);
  std::string out = fmt::format("Proof: {} of {} passed", counts.passed, plural(counts.total(), "kernel"));
  if (counts.failed > 0) out += fmt::format(", {} FAILED", counts.failed);
  if (counts.inconclusive > 0) out += fmt::format(", {} inconclusive", counts.inconclusive);
  std::size_t sampled = 0;
  std::size_t bytes_equal = 0;
  for (const codegen::Verdict& v : o.verdicts) {
    if (v.outcome() != Outcome::Passed) continue;
    sampled += v.blocks_run < v.blocks ? 1 : 0;
    bytes_equal += v.bytes_compared ? 1 : 0;
  }
  if (counts.passed > 0) out += fmt::format("; {} on every block, their bytes counted by the simulator and held against the model; {} on a sample of blocks", bytes_equal, sampled);
  out += fmt::format(". Whole program: {}{}{}.", codegen::name(o.run.check.outcome), o.run.check.reason.empty() ? "" : ", ", o.run.check.reason);
  return out + " Host and GPU tiers: not run. No speed is claimed.";
}

Table failures(const Optimized& o) {
  Table table{"Kernels without a pass", {{"kernel", "kernel"}, {"verdict", "verdict"}, {"because", "because"}}, {}, {}};
  constexpr std::size_t kMost = 12;
  for (const codegen::Verdict& v : o.verdicts) {
    if (v.outcome() == Outcome::Passed) continue;
    std::string because;
    for (const codegen::Tier* tier : {&v.ir, &v.sim, &v.values}) {
      if (because.empty() && tier->outcome != Outcome::Passed) because = tier->detail;
    }
    table.rows.push_back({v.kernel, std::string(codegen::name(v.outcome())), because});
  }
  if (table.rows.size() > kMost) {
    table.notes.push_back(fmt::format("and {} more", table.rows.size() - kMost));
    table.rows.resize(kMost);
  }
  return table;
}

Table veto_table(const Optimized& o, std::size_t most) {
  Table table{"Why not fewer kernels", {{"code", "refusal"}, {"count", "times", Unit::Count}, {"example", "for example"}, {"why", "because"}}, {}, {}};
  for (const VetoGroup& group : vetoes_by_code(*o.plan, 1)) {
    if (table.rows.size() == most) break;
    const planner::Veto& veto = *group.examples.front();
    const std::string numbers = numbers_of(veto);
    table.rows.push_back({std::string(planner::name(group.code)), static_cast<std::int64_t>(group.count), ops_of(veto, *o.graph, 2),
                          std::string(planner::sentence(group.code)) + (numbers.empty() ? "" : " (" + numbers + ")")});
  }
  return table;
}

Table kernel_table(const Optimized& o) {
  Table table{"Kernels",
              {{"kernel", "kernel"}, {"level", "level", Unit::Count}, {"ops", "ops", Unit::Count}, {"blocks", "blocks", Unit::Count}, {"threads", "threads", Unit::Count},
               {"shared", "shared", Unit::Bytes}, {"registers", "registers", Unit::Count, Evidence::Modelled}, {"spilled", "spilled", Unit::Bytes, Evidence::Modelled}, {"bytes", "bytes", Unit::Bytes, Evidence::Modelled}, {"run", "blocks run", Unit::Count}, {"seconds", "proved in", Unit::Seconds}, {"verdict", "verdict"}},
              {},
              {}};
  std::size_t number = 0;
  for_each_kernel(o, [&](const KernelView& k) {
    const Cell seconds = o.prove_seconds.empty() ? Cell(Blank{}) : Cell(o.prove_seconds[number++]);
    const std::optional<codegen::Resources>& r = k.built.resources;
    table.rows.push_back({k.verdict.kernel, std::int64_t{k.group.level}, op_count(k.group), k.group.blocks(), std::int64_t{k.group.threads}, k.group.shared_bytes(), r ? Cell(std::int64_t{r->registers}) : Cell(Unknown{}),
                          r ? Cell(r->spill_store_bytes + r->spill_load_bytes) : Cell(Unknown{}), k.group.estimate.bytes_read + k.group.estimate.bytes_written, static_cast<std::int64_t>(k.verdict.blocks_run), seconds, std::string(codegen::name(k.verdict.outcome()))});
  });
  return table;
}

}  // namespace

Document summary(const Optimized& optimized, int more) {
  Document out;
  if (optimized.cancelled) out.emplace_back(Paragraph{"Stopped early: what was not reached says so."});
  out.emplace_back(Paragraph{headline(optimized)});
  out.emplace_back(comparison(optimized));
  out.emplace_back(Paragraph{proof(optimized)});
  if (std::string machine = machine_code_summary(optimized); !machine.empty()) out.emplace_back(Paragraph{std::move(machine)});
  if (Table table = failures(optimized); !table.rows.empty()) out.emplace_back(std::move(table));
  if (Table table = veto_table(optimized, more > 0 ? 100 : 5); !table.rows.empty()) out.emplace_back(std::move(table));
  if (more > 0) out.emplace_back(kernel_table(optimized));
  for (const SideBySide& sides : optimized.beside) {
    out.emplace_back(totals_table(sides));
    out.emplace_back(launches_table(sides, more > 0 ? 0 : 12));
    out.emplace_back(our_launches_table(sides, more > 0 ? 0 : 12));
    if (more > 0) out.emplace_back(formula_table(sides));
  }
  out.emplace_back(time_table(optimized));
  for (const Notice& notice : optimized.warnings) out.emplace_back(Paragraph{fmt::format("Warning ({}): {}", notice.code, notice.message)});
  return out;
}

}  // namespace seam::report
