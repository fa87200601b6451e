#include "report/render.h"

namespace seam::report {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|' || c == '\\' || c == '*' || c == '_' || c == '`' || c == '<' || c == '[' || c == ']') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

}  // namespace

std::string to_markdown(const Table& table) {
  std::string out;
  if (!table.title.empty()) out += "**" + escaped(table.title) + "**\n\n";
  std::string rule = "|";
  out += '|';
  for (const Column& column : table.columns) {
    out += ' ' + escaped(column.title) + (column.evidence ? " (" + std::string(name(*column.evidence)) + ")" : "") + " |";
    rule += column.unit == Unit::Text ? " --- |" : " ---: |";
  }
  out += '\n' + rule + '\n';
  for (const auto& row : table.rows) {
    out += '|';
    for (std::size_t c = 0; c < table.columns.size(); ++c) out += ' ' + (c < row.size() ? escaped(shown(row[c], table.columns[c].unit)) : "") + " |";
    out += '\n';
  }
  for (const std::string& note : table.notes) out += '\n' + escaped(note) + '\n';
  return out;
}

std::string to_markdown(const Document& document) {
  std::string out;
  for (const Block& block : document) {
    if (!out.empty()) out += '\n';
    if (const auto* heading = std::get_if<Heading>(&block)) {
      out += "## " + escaped(heading->text) + '\n';
    } else if (const auto* paragraph = std::get_if<Paragraph>(&block)) {
      out += escaped(paragraph->text) + '\n';
    } else if (const auto* table = std::get_if<Table>(&block)) {
      out += to_markdown(*table);
    } else {
      out += "```\n" + std::get<Verbatim>(block).text;
      if (!out.ends_with('\n')) out += '\n';
      out += "```\n";
    }
  }
  return out;
}

}  // namespace seam::report
