#include <fmt/core.h>

#include <algorithm>

#include "base/units.h"
#include "page/parts.h"
#include "report/comparison.h"
#include "report/render.h"

namespace seam::report {
namespace {

struct Segment {
  std::string_view cls;
  std::string_view what;
  double value = 0;
};
struct Bar {
  std::string label;
  std::vector<Segment> segments;
  std::string shown;
};

/// Horizontal stacked bars; the figures stand beside them as text, so that nothing hangs on colour.
std::string bars(std::string_view title, const std::vector<Bar>& rows) {
  constexpr double kWidth = 1000;
  double most = 1;
  for (const Bar& bar : rows) {
    double sum = 0;
    for (const Segment& s : bar.segments) sum += s.value;
    most = std::max(most, sum);
  }
  std::string out = fmt::format("<figure><figcaption>{}</figcaption><div class=\"bars\">\n", title);
  for (const Bar& bar : rows) {
    out += fmt::format("<span>{}</span><svg viewBox=\"0 0 {:.0f} 10\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{}: {}\">", html_escape(bar.label), kWidth, html_escape(bar.label), bar.shown);
    double x = 0;
    for (const Segment& s : bar.segments) {
      if (s.value <= 0) continue;
      const double width = std::max(3.0, s.value / most * (kWidth - 8));
      out += fmt::format("<rect class=\"{}\" x=\"{:.1f}\" y=\"0\" width=\"{:.1f}\" height=\"10\"><title>{}</title></rect>", s.cls, x, width, s.what);
      x += width + 1.5;
    }
    out += fmt::format("</svg><span class=\"fig\">{}</span>\n", bar.shown);
  }
  return out + "</div></figure>\n";
}

std::vector<const planner::Plan*> plans(const Optimized& o) {
  std::vector<const planner::Plan*> out;
  for (const char* policy : {"none", "xla2018"}) {
    if (const planner::Plan* plan = o.baseline(policy); plan != nullptr && plan != o.plan.get()) out.push_back(plan);
  }
  out.push_back(o.plan.get());
  return out;
}

std::string launch_bars(const Optimized& o) {
  std::vector<Bar> rows;
  for (const planner::Plan* plan : plans(o)) {
    const planner::Totals& t = plan->totals;
    rows.push_back({plan->policy,
                    {{"f-kernel", "kernels", static_cast<double>(t.kernels)}, {"f-copy", "copies", static_cast<double>(t.copies)}, {"f-library", "library calls", static_cast<double>(t.library_calls)}},
                    fmt::format("{} + {} + {}", human_count(t.kernels), human_count(t.copies), human_count(t.library_calls))});
  }
  const planner::Totals& t = o.plan->totals;
  rows.push_back({"floor", {{"f-floor", "kernels and copies at least", static_cast<double>(t.floor_kernels)}, {"f-library", "library calls", static_cast<double>(t.library_calls)}},
                  fmt::format("{} + {}", human_count(t.floor_kernels), human_count(t.library_calls))});
  return bars("Launches: kernels + copies + library calls", rows);
}

std::string byte_bars(const Optimized& o) {
  std::vector<Bar> rows;
  for (const planner::Plan* plan : plans(o)) {
    const planner::Totals& t = plan->totals;
    rows.push_back({plan->policy,
                    {{"f-kernel", "read", static_cast<double>(t.bytes_read)}, {"f-copy", "written", static_cast<double>(t.bytes_written)}},
                    fmt::format("{} + {}", human_bytes(static_cast<double>(t.bytes_read)), human_bytes(static_cast<double>(t.bytes_written)))});
  }
  const double floor = static_cast<double>(o.plan->totals.floor_bytes);
  rows.push_back({"floor", {{"f-floor", "read and written at least", floor}}, human_bytes(floor)});
  return bars("Bytes that kernels move: read + written (modelled)", rows);
}

std::string table(const Optimized& o) {
  std::string html = to_html(comparison(o));
  // The row of the plan that this page is about stands out.
  const std::string row = "<tr><th scope=\"row\">" + html_escape(o.plan->policy) + "</th>";
  if (const auto at = html.find(row); at != std::string::npos) html.replace(at, 4, "<tr class=\"ours\">");
  return html;
}

}  // namespace

std::string compare_section(const Optimized& o) {
  std::string out = "<section id=\"compare\" class=\"panel\">\n<h2>Comparison</h2>\n<p>The same program by different rules, and the least that any stitcher could do while the library calls stay where they are.</p>\n";
  out += table(o);
  out += "<div>" + launch_bars(o) +
         "<ul class=\"legend\"><li><i style=\"background:var(--kernel)\"></i>kernels</li><li><i style=\"background:var(--copy)\"></i>copies</li><li><i style=\"background:var(--library)\"></i>library "
         "calls</li><li><i style=\"background:var(--floor)\"></i>floor</li></ul></div>\n";
  out += "<div>" + byte_bars(o) +
         "<ul class=\"legend\"><li><i style=\"background:var(--kernel)\"></i>read</li><li><i style=\"background:var(--copy)\"></i>written</li><li><i style=\"background:var(--floor)\"></i>floor</li></ul></div>\n";
  return out + "</section>\n";
}

}  // namespace seam::report
