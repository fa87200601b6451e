#include "page/parts.h"
#include "report/layouts.h"
#include "report/render.h"

namespace seam::report {

std::string layout_section(const Optimized& o) {
  const Table table = layout_table(o.layouts, *o.plan, *o.graph);
  if (table.rows.empty()) return {};
  return "<section id=\"layouts\" class=\"panel\">\n<h2>Layouts</h2>\n<p>Which values lie in another order than the module writes them, and what that saves. <code>seam plan --explain=value</code> says all reasons.</p>\n<div class=\"scroll\">" +
         to_html(table) + "</div>\n</section>\n";
}

}  // namespace seam::report
