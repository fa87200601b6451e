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

/// What stands side by side, the plan of this page last.
struct Side {
  std::string name;
  std::int64_t kernels = 0, copies = 0, library_calls = 0;
  std::int64_t read = 0, written = 0;
  std::int64_t both = 0;  ///< read + written, where they are not known apart
};

Side side_of(const planner::Plan& plan) {
  const planner::Totals& t = plan.totals;
  return {plan.policy, t.kernels, t.copies, t.library_calls, t.bytes_read, t.bytes_written, 0};
}

std::vector<Side> sides(const Optimized& o) {
  std::vector<Side> out;
  for (const planner::Plan& plan : o.baselines) out.push_back(side_of(plan));
  for (const CompilerResult& c : o.compilers) out.push_back({c.name, c.counts.kernels, c.counts.copies, c.counts.library_calls, 0, 0, c.counts.kernel_bytes});
  out.push_back(side_of(*o.plan));
  return out;
}

std::string launch_bars(const Optimized& o) {
  std::vector<Bar> rows;
  for (const Side& s : sides(o)) {
    rows.push_back({s.name,
                    {{"f-kernel", "kernels", static_cast<double>(s.kernels)}, {"f-copy", "copies", static_cast<double>(s.copies)}, {"f-library", "library calls", static_cast<double>(s.library_calls)}},
                    fmt::format("{} + {} + {}", human_count(s.kernels), human_count(s.copies), human_count(s.library_calls))});
  }
  const planner::Totals& t = o.plan->totals;
  rows.push_back({"floor", {{"f-floor", "kernels and copies at least", static_cast<double>(t.floor_kernels)}, {"f-library", "library calls", static_cast<double>(t.library_calls)}},
                  fmt::format("{} + {}", human_count(t.floor_kernels), human_count(t.library_calls))});
  return bars("Launches: kernels + copies + library calls", rows);
}

std::string byte_bars(const Optimized& o) {
  std::vector<Bar> rows;
  for (const Side& s : sides(o)) {
    if (s.both > 0) {
      rows.push_back({s.name, {{"f-both", "read and written", static_cast<double>(s.both)}}, human_bytes(static_cast<double>(s.both))});
      continue;
    }
    rows.push_back({s.name,
                    {{"f-kernel", "read", static_cast<double>(s.read)}, {"f-copy", "written", static_cast<double>(s.written)}},
                    fmt::format("{} + {}", human_bytes(static_cast<double>(s.read)), human_bytes(static_cast<double>(s.written)))});
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
  std::string out = fmt::format(
      "<section id=\"compare\" class=\"panel\">\n<h2>Comparison</h2>\n<p>The same program by different rules{}, and the least for a plan that keeps its library calls and their operands.</p>\n",
      o.compilers.empty() ? "" : ", by a real compiler (counted in its optimized module, whose file names the row)");
  out += table(o);
  out += "<div>" + launch_bars(o) +
         "<ul class=\"legend\"><li><i style=\"background:var(--kernel)\"></i>kernels</li><li><i style=\"background:var(--copy)\"></i>copies</li><li><i style=\"background:var(--library)\"></i>library "
         "calls</li><li><i style=\"background:var(--floor)\"></i>floor</li></ul></div>\n";
  out += "<div>" + byte_bars(o) +
         "<ul class=\"legend\"><li><i style=\"background:var(--kernel)\"></i>read</li><li><i style=\"background:var(--copy)\"></i>written</li>" +
         (o.compilers.empty() ? "" : "<li><i style=\"background:var(--soft)\"></i>both, not known apart</li>") +
         "<li><i style=\"background:var(--floor)\"></i>floor</li></ul></div>\n";
  return out + "</section>\n";
}

}  // namespace seam::report
