#include <fmt/core.h>

#include "report/render.h"

namespace seam::report {

std::string html_escape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default:
        // Control characters are not allowed in HTML; names of foreign modules may hold anything.
        out += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? ' ' : c;
    }
  }
  return out;
}

std::string to_html(const Table& table) {
  std::string out = "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"" + html_escape(table.title) + "\"><table>";
  if (!table.title.empty()) out += "<caption>" + html_escape(table.title) + "</caption>";
  out += "<thead><tr>";
  for (const Column& column : table.columns) {
    out += fmt::format("<th scope=\"col\"{}>{}{}</th>", column.unit == Unit::Text ? "" : " class=\"n\"", html_escape(column.title),
                       column.evidence ? fmt::format(" <span class=\"ev\">{}</span>", name(*column.evidence)) : "");
  }
  out += "</tr></thead><tbody>\n";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const Unit unit = table.columns[c].unit;
      const std::string text = c < row.size() ? html_escape(shown(row[c], unit)) : "";
      if (c == 0) {
        out += "<th scope=\"row\">" + text + "</th>";
      } else {
        out += fmt::format("<td{}>{}</td>", unit == Unit::Text ? "" : " class=\"n\"", text);
      }
    }
    out += "</tr>\n";
  }
  out += "</tbody></table></div>";
  for (const std::string& note : table.notes) out += "<p class=\"note\">" + html_escape(note) + "</p>";
  return out;
}

}  // namespace seam::report
