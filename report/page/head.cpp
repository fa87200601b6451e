#include <fmt/core.h>

#include <filesystem>

#include "base/units.h"
#include "page/parts.h"
#include "report/comparison.h"
#include "report/render.h"

namespace seam::report {
namespace {

using codegen::Outcome;

std::string tile(std::string_view kind, std::string_view label, std::string_view value, std::string_view detail) {
  return fmt::format("<div class=\"tile {}\"><div class=\"k\">{}</div><div class=\"v\">{}</div><div class=\"d\">{}</div></div>\n", kind, label, value, detail);
}

std::string before_after(std::string_view before, std::string_view after) {
  return before.empty() ? std::string(after) : fmt::format("<small>{} &rarr;</small> {}", before, after);
}

std::string copies(std::int64_t before, std::int64_t after, bool has_before) {
  if (has_before && before != after) return fmt::format("copies: {} &rarr; {}", human_count(before), human_count(after));
  return after == 0 ? "no copies" : counted(after, "copy");
}

std::string proof_tile(const Optimized& o) {
  const VerdictCounts counts = count(o.verdicts);
  const std::string passed = fmt::format("{} of {}", human_count(static_cast<std::int64_t>(counts.passed)), human_count(static_cast<std::int64_t>(counts.total())));
  std::string detail;
  if (counts.failed > 0) detail += fmt::format("<b>{} failed</b>, ", counts.failed);
  if (counts.inconclusive > 0) detail += fmt::format("{} inconclusive, ", counts.inconclusive);
  const Outcome program = o.run.check.outcome;
  detail += program == Outcome::Passed ? "and the whole program agrees with the reference" : program == Outcome::Failed ? "<b>the whole program failed</b>" : "each kernel on its own; the whole program was not run";
  const char* kind = counts.failed > 0 || program == Outcome::Failed ? "bad" : counts.inconclusive > 0 ? "open" : "good";
  return tile(kind, "Kernels proven right", passed, detail);
}

std::string bytes_detail(const Optimized& o) {
  std::size_t compared = 0;
  for (const codegen::Verdict& v : o.verdicts) compared += v.bytes_compared ? 1 : 0;
  return evidence_tag(Evidence::Modelled) + (compared > 0 ? fmt::format(" and counted by the simulator for {} of {} kernels", compared, o.verdicts.size()) : " not counted in full by the simulator");
}

}  // namespace

std::string head_section(const Optimized& o) {
  const planner::Totals& now = o.plan->totals;
  const planner::Plan* none = o.baseline("none");
  const bool has_before = none != nullptr && none != o.plan.get();
  const planner::Totals before = has_before ? none->totals : planner::Totals{};
  const auto was = [&](const std::string& text) { return has_before ? text : std::string(); };

  std::string out = "<header>\n<div class=\"brand\">Seam</div>\n";
  const std::string name = std::filesystem::path(o.input).stem().string();
  out += has_before ? fmt::format("<h1>{}: {} become {}</h1>\n", html_escape(name), counted(before.kernels, "kernel"), human_count(now.kernels))
                    : fmt::format("<h1>{}: {}</h1>\n", html_escape(name), counted(now.kernels, "kernel"));
  const Device& device = o.options.device;
  out += fmt::format("<p class=\"sub\">{}, module <code>{}</code> &middot; planned for {} (compute capability {}.{}) by policy <code>{}</code></p>\n", html_escape(o.input), html_escape(o.graph->name), html_escape(device.product), device.compute_major,
                     device.compute_minor, html_escape(o.plan->policy));
  if (o.cancelled) out += "<p><span class=\"badge inconclusive\">stopped early</span> What was not reached says so below.</p>\n";
  for (const Notice& notice : o.warnings) out += fmt::format("<p><span class=\"badge inconclusive\">{}</span> {}</p>\n", html_escape(notice.code), html_escape(notice.message));
  out += "<div class=\"tiles\">\n";
  out += tile("", "Kernels", before_after(was(human_count(before.kernels)), human_count(now.kernels)), copies(before.copies, now.copies, has_before));
  out += tile("", "Bytes moved by kernels", before_after(was(human_bytes(static_cast<double>(before.bytes_read + before.bytes_written))), human_bytes(static_cast<double>(now.bytes_read + now.bytes_written))),
              bytes_detail(o));
  const std::size_t taken = taken_over(*o.graph);
  out += tile("", "Library calls", before_after(has_before && before.library_calls != now.library_calls ? human_count(before.library_calls) : "", human_count(now.library_calls)),
              taken > 0 ? fmt::format("matrix products, which also compute {} that followed them", counted(static_cast<std::int64_t>(taken), "operation"))
              : has_before && before.library_calls == now.library_calls ? "unchanged: matrix products stay with the library" : "matrix products and what cannot be generated");
  out += proof_tile(o);
  out += "</div>\n<nav aria-label=\"Sections\"><a href=\"#compare\">Comparison</a><a href=\"#program\">The program</a><a href=\"#kernels\">Kernels</a>"
         + std::string(layout_section(o).empty() ? "" : "<a href=\"#layouts\">Layouts</a>") + "<a href=\"#why\">Why not fewer</a>"
         "<a href=\"#honesty\">What this does not say</a><a href=\"#again\">Do it again</a></nav>\n</header>\n";
  out += "<section class=\"two\">\n<div class=\"panel\"><h2>What this is</h2><p>Seam read a program for a GPU, and <b>stitched</b> its many small operations into few kernels: values that one operation hands to "
         "the next stay in registers and shared memory instead of going through the GPU&rsquo;s main memory and back. It then wrote each kernel as CUDA code, compiled it, and ran the compiled code on a simulated GPU "
         "to prove that it computes the same.</p></div>\n";
  out += "<div class=\"panel\"><h2>How to read it</h2><p>Fewer kernels mean fewer launches to wait for, fewer bytes mean less time at the memory; how much faster that is, only a real GPU can tell, and none was used. "
         "Each figure says where it comes from: <span class=\"ev\">modelled</span> by a formula, <span class=\"ev\">simulated</span> counted while the code ran.</p></div>\n</section>\n";
  return out;
}

}  // namespace seam::report
