#include <fmt/core.h>

#include "page/parts.h"
#include "report/render.h"

namespace seam::report {
namespace {

/// Launches beyond these are in report.json.
constexpr std::size_t kMost = 200;

std::string one(const SideBySide& sides) {
  std::string out = fmt::format(
      "<section id=\"beside-{0}\" class=\"panel\">\n<h2>{0}: what its kernels move that ours do not</h2>\n<p>The PTX of both sides ran on the simulated device, each kernel once, and was counted the same way. "
      "Below, each launch of {0}, those first where a plan saves most: what it moves, how much of that are values that our kernels keep on chip, and which of ours computes the same.</p>\n",
      html_escape(sides.theirs.name));
  out += to_html(totals_table(sides));
  out += to_html(launches_table(sides, kMost));
  out += to_html(our_launches_table(sides, kMost));
  out += "<details><summary>How times are modelled</summary>\n" + to_html(formula_table(sides)) + "</details>\n";
  return out + "</section>\n";
}

}  // namespace

std::string beside_section(const Optimized& optimized) {
  std::string out;
  for (const SideBySide& sides : optimized.beside) out += one(sides);
  return out;
}

}  // namespace seam::report
