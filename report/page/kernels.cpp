#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/units.h"
#include "page/parts.h"
#include "report/launch.h"
#include "report/machine_code.h"
#include "report/origin.h"
#include "report/render.h"

namespace seam::report {
namespace {

/// CUDA text in the page, all kernels together; beyond it the page points at the files beside it.
constexpr std::size_t kMostCuda = 1'500'000;
constexpr std::size_t kMostOps = 80;

std::string schedule_of(const planner::PlannedOp& planned) {
  if (planned.schedule.kind == planner::ScheduleKind::Flat) return "flat";
  return fmt::format("{}, split at {}, {} per split", planner::name(planned.schedule.kind), planned.schedule.split_dim, human_count(planned.schedule.sword));
}

Table launch_table(const KernelView& k) {
  Table table{"Parts: independent work side by side in one launch",
              {{"part", "part", Unit::Count}, {"schedule", "schedule"}, {"blocks", "blocks", Unit::Count}, {"splits", "blocks per reduction", Unit::Count},
               {"lanes", "threads per row", Unit::Count}, {"ops", "ops", Unit::Count}, {"shared", "kept in shared memory", Unit::Bytes}},
              {},
              {}};
  std::int64_t number = 0;
  for (const planner::Part& part : k.group.parts) {
    table.rows.push_back({++number, std::string(planner::name(part.kind)), part.blocks * part.splits, part.splits, std::int64_t{part.lanes}, static_cast<std::int64_t>(part.ops.size()), part.shared_bytes});
    if (table.rows.size() == 24 && k.group.parts.size() > 25) {
      table.notes.push_back(fmt::format("and {} more parts", k.group.parts.size() - 24));
      break;
    }
  }
  return table;
}

/// Values that never reach global memory but outlive one thread's loop.
Table kept_table(const KernelView& k) {
  Table table{"", {{"value", "value"}, {"where", "lives in"}, {"schedule", "schedule"}, {"bytes", "bytes per block", Unit::Bytes}, {"at", "at", Unit::Count}}, {}, {}};
  std::size_t more = 0;
  for (const planner::Part& part : k.group.parts) {
    for (const planner::PlannedOp& planned : part.ops) {
      if (planned.placement != planner::Placement::Shared && planned.placement != planner::Placement::Warp) continue;
      if (table.rows.size() == 40) {
        ++more;
        continue;
      }
      const bool shared = planned.placement == planner::Placement::Shared;
      table.rows.push_back({k.computation.ops[planned.op].name, std::string(shared ? "shared memory" : "registers of a warp"), schedule_of(planned), shared ? Cell(planned.shared_bytes) : Cell(Blank{}),
                            shared ? Cell(planned.shared_offset) : Cell(Blank{})});
    }
  }
  if (more > 0) table.notes.push_back(fmt::format("and {} more", more));
  return table;
}

Table argument_table(const KernelView& k) {
  Table table{"", {{"value", "value"}, {"role", "role"}, {"type", "type"}, {"bytes", "size", Unit::Bytes}}, {}, {}};
  constexpr std::size_t kMost = 60;
  for (const LaunchArgument& a : launch_of(k).arguments) {
    if (table.rows.size() == kMost) break;
    std::string dims;
    for (const std::int64_t d : a.dims) dims += fmt::format("{}{}", dims.empty() ? "" : ",", d);
    table.rows.push_back({a.value.empty() ? a.name : a.value, std::string(a.role == ArgumentRole::Updated ? "updated in place" : name(a.role)), fmt::format("{}[{}]", name(a.dtype), dims), a.bytes});
  }
  if (k.built.source.arguments.size() > kMost) table.notes.push_back(fmt::format("and {} more", k.built.source.arguments.size() - kMost));
  return table;
}

Table byte_table(const KernelView& k) {
  const codegen::Verdict& v = k.verdict;
  Table table{"", {{"what", "per launch"}, {"modelled", "bytes", Unit::Bytes, Evidence::Modelled}}, {{std::string("read"), k.group.estimate.bytes_read}, {std::string("written"), k.group.estimate.bytes_written}}, {}};
  if (v.bytes_compared) {
    table.columns.push_back({"simulated", "bytes", Unit::Bytes, Evidence::Simulated});
    table.rows[0].emplace_back(static_cast<std::int64_t>(v.bytes_read));
    table.rows[1].emplace_back(static_cast<std::int64_t>(v.bytes_written));
  } else {
    table.notes.push_back(v.blocks_run == 0 ? "Not counted by the simulator: the kernel did not run there."
                                            : fmt::format("The simulator ran {} of {} blocks, a sample: its bytes are no total to hold against the model.", human_count(static_cast<std::int64_t>(v.blocks_run)),
                                                          human_count(static_cast<std::int64_t>(v.blocks))));
  }
  if (!k.group.estimate.exact) table.notes.emplace_back("An index depends on data: the model is an upper bound.");
  return table;
}

std::string tiers(const codegen::Verdict& v) {
  std::string out = "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">check</th><th scope=\"col\">verdict</th><th scope=\"col\">what was found</th></tr></thead><tbody>\n";
  for (const auto& [label, tier] : {std::pair<const char*, const codegen::Tier&>{"1 &middot; kernel IR", v.ir}, {"2 &middot; simulator", v.sim}, {"3 &middot; values", v.values}, {"4 &middot; host build", v.host}, {"5 &middot; GPU", v.gpu}}) {
    out += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td></tr>\n", label, badge(tier.outcome), html_escape(tier.detail));
  }
  out += "</tbody></table></div>\n";
  if (v.values_compared > 0) {
    out += fmt::format("<p class=\"note\">{} values compared; largest difference {:.3g}. The tolerance table allows more for larger values and longer sums: up to {:.3g} here.</p>\n", human_count(static_cast<std::int64_t>(v.values_compared)), v.max_abs, v.tolerance);
  }
  if (!v.reports.empty()) {
    out += "<pre>";
    for (const std::string& report : v.reports) out += html_escape(report) + '\n';
    out += "</pre>\n";
  }
  return out;
}

/// Ops under the name that the framework gave their origin.
std::string ops_by_origin(const KernelView& k) {
  std::map<std::string, std::vector<const graph::Op*>> groups;
  std::set<Id<graph::Op>> seen;
  for (const planner::Part& part : k.group.parts) {
    for (const planner::PlannedOp& planned : part.ops) {
      if (seen.insert(planned.op).second) groups[origin_label(k.graph, k.computation.ops[planned.op])].push_back(&k.computation.ops[planned.op]);
    }
  }
  std::string out = "<dl class=\"ops\">\n";
  std::size_t left = kMostOps;
  for (const OriginCount& origin : origins_of(k)) {
    out += fmt::format("<dt>{} <span class=\"ev\">{}</span></dt><dd>", origin.label.empty() ? "origin unknown" : html_escape(origin.label), counted(static_cast<std::int64_t>(origin.ops), "op"));
    const auto& ops = groups.at(origin.label);
    const std::size_t shown = std::min(left, ops.size());
    for (std::size_t i = 0; i < shown; ++i) out += (i == 0 ? "" : ", ") + html_escape(ops[i]->name);
    if (shown < ops.size()) out += fmt::format("{}and {} more", shown == 0 ? "" : " ", ops.size() - shown);
    left -= shown;
    out += "</dd>\n";
  }
  return out + "</dl>\n";
}

std::string cuda(const KernelView& k, bool included) {
  const std::string& text = k.built.source.cuda;
  const std::string file = "kernels/" + k.built.source.name + ".cu";
  if (text.empty()) return "<p class=\"note\">No CUDA text: the kernel could not be written.</p>\n";
  if (!included) return fmt::format("<p class=\"note\">CUDA text: <a href=\"{0}\">{0}</a> (left out here to keep the page small)</p>\n", html_escape(file));
  return fmt::format("<details class=\"more cuda\"><summary>CUDA text, {}</summary><pre tabindex=\"0\"><code>{}</code></pre></details>\n", counted(std::ranges::count(text, '\n'), "line"), html_escape(text));
}

std::string card(const Optimized& o, const KernelView& k, bool with_cuda) {
  const planner::FusionGroup& g = k.group;
  std::size_t ops = 0;
  for (const OriginCount& origin : origins_of(k)) ops += origin.ops;
  std::string out = fmt::format("<details class=\"card\" id=\"{}\"><summary><b>{}</b> {} <span class=\"what\">{}</span><span class=\"fig\">{} &middot; {}{}</span></summary><div class=\"in\">\n", anchor(g.name), html_escape(g.name),
                                badge(k.verdict.outcome()), html_escape(title_of(k)), counted(static_cast<std::int64_t>(ops), "op"), human_bytes(static_cast<double>(g.estimate.bytes_read + g.estimate.bytes_written)),
                                k.where.trips > 1 ? fmt::format(" &middot; {} times", human_count(k.where.trips)) : k.where.trips == 0 ? " &middot; times unknown" : "");
  out += fmt::format("<p class=\"note\">{} of {} threads{} &middot; level {}</p>\n", counted(g.blocks(), "block"), g.threads,
                     g.shared_bytes() > 0 ? fmt::format(", {} of shared memory each", human_bytes(static_cast<double>(g.shared_bytes()))) : std::string(), g.level);
  if (!k.built.ptx.empty()) out += fmt::format("<p class=\"note\">Machine code: {}</p>\n", html_escape(machine_code_of(o, k)));
  out += "<h3>Proof</h3>\n" + tiers(k.verdict);
  out += "<h3>Memory traffic</h3>\n" + to_html(byte_table(k));
  out += "<h3>What it computes</h3>\n" + ops_by_origin(k);
  out += "<h3>How it is divided</h3>\n" + to_html(launch_table(k));
  const Table kept = kept_table(k);
  out += "<h3>Kept on chip</h3>\n" + (kept.rows.empty() ? "<p class=\"note\">Nothing outlives a thread&rsquo;s loop: intermediate values are in registers only.</p>" : to_html(kept)) + "\n";
  if (!k.built.source.arguments.empty()) out += "<h3>Arguments</h3>\n" + to_html(argument_table(k));
  out += "<h3>Code</h3>\n" + cuda(k, with_cuda);
  return out + "</div></details>\n";
}

}  // namespace

std::string kernels_section(const Optimized& o) {
  // The kernels that move most get their text into the page first.
  std::vector<std::pair<std::int64_t, const codegen::Built*>> order;
  for_each_kernel(o, [&](const KernelView& k) {
    order.emplace_back((k.group.estimate.bytes_read + k.group.estimate.bytes_written) * std::max<std::int64_t>(1, k.where.trips), &k.built);
  });
  std::ranges::stable_sort(order, [](const auto& a, const auto& b) { return a.first > b.first; });
  std::set<const codegen::Built*> with_cuda;
  std::size_t used = 0;
  for (const auto& [bytes, built] : order) {
    used += built->source.cuda.size();
    if (used > kMostCuda) break;
    with_cuda.insert(built);
  }
  std::string out = "<section id=\"kernels\">\n<h2>Kernels</h2>\n<p>Each opens. The figures on the right are ops inside and bytes per launch (modelled).</p>\n"
                    "<div class=\"find\" hidden><input id=\"find\" type=\"search\" placeholder=\"Find a kernel, op or origin\" aria-label=\"Find a kernel, op or origin\"><button type=\"button\" id=\"all\">Open or close all</button>"
                    "<span id=\"found\" class=\"note\" role=\"status\"></span></div>\n";
  if (o.verdicts.empty()) out += "<p>This module holds nothing that could be stitched into a kernel.</p>\n";
  for_each_kernel(o, [&](const KernelView& k) { out += card(o, k, with_cuda.contains(&k.built)); });
  return out + "</section>\n";
}

}  // namespace seam::report
