#include "report/page.h"

#include <fmt/core.h>

#include "base/units.h"
#include "page/parts.h"
#include "report/render.h"

namespace seam::report {

std::string badge(codegen::Outcome outcome) {
  const std::string_view name = codegen::name(outcome);
  return fmt::format("<span class=\"badge {}\">{}</span>", outcome == codegen::Outcome::NotRun ? "not-run" : name, name);
}

std::string evidence_tag(Evidence evidence) { return fmt::format("<span class=\"ev\">{}</span>", name(evidence)); }

std::string anchor(std::string_view kernel) { return "k-" + html_escape(kernel); }

std::string page(const Optimized& optimized) {
  std::string out = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  out += fmt::format("<title>Seam: {} on {}</title>\n<style>\n{}</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the result</a>\n<div class=\"wrap\" id=\"main\">\n",
                     html_escape(optimized.input), optimized.options.device.name, kStyle);
  for (const auto section : {head_section, compare_section, beside_section, program_section, kernels_section, layout_section, veto_section, honesty_section, reproduce_section}) out += section(optimized);
  out += fmt::format("<footer>Written by {}. This page needs no network and holds no time that was measured: the same module and options give the same bytes.</footer>\n</div>\n<script>\n{}</script>\n</body>\n</html>\n",
                     html_escape(optimized.tool), kScript);
  return out;
}

}  // namespace seam::report
