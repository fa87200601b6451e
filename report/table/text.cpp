#include <algorithm>
#include <numeric>

#include "report/render.h"

namespace seam::report {
namespace {

struct Texts {
  std::vector<std::string> titles;
  std::vector<std::vector<std::string>> rows;
  std::vector<std::size_t> widths;
};

Texts texts_of(const Table& table) {
  Texts out;
  for (const Column& column : table.columns) {
    out.titles.push_back(column.title);
    out.widths.push_back(columns_of(column.title));
  }
  for (const auto& row : table.rows) {
    std::vector<std::string>& texts = out.rows.emplace_back();
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      texts.push_back(c < row.size() ? shown(row[c], table.columns[c].unit) : "");
      out.widths[c] = std::max(out.widths[c], columns_of(texts.back()));
    }
  }
  return out;
}

/// Keeps both ends: names differ at either.
std::string shortened(const std::string& text, std::size_t width) {
  if (columns_of(text) <= width) return text;
  const auto at = [&](std::size_t column) {
    std::size_t byte = 0;
    for (; byte < text.size() && column > 0; --column) {
      ++byte;
      while (byte < text.size() && (static_cast<unsigned char>(text[byte]) & 0xC0U) == 0x80U) ++byte;
    }
    return byte;
  };
  const std::size_t head = (width - 1) / 2;
  const std::size_t tail = width - 1 - head;
  return text.substr(0, at(head)) + "~" + text.substr(at(columns_of(text) - tail));
}

void fit(Texts& texts, const Table& table, std::size_t width) {
  constexpr std::size_t kGap = 2;
  constexpr std::size_t kNarrowest = 16;
  const auto total = [&] { return std::accumulate(texts.widths.begin(), texts.widths.end(), kGap * (texts.widths.size() - 1)); };
  while (!texts.widths.empty() && total() > width) {
    std::size_t widest = texts.widths.size();
    for (std::size_t c = 0; c < texts.widths.size(); ++c) {
      if (table.columns[c].unit != Unit::Text || texts.widths[c] <= kNarrowest) continue;
      if (widest == texts.widths.size() || texts.widths[c] > texts.widths[widest]) widest = c;
    }
    if (widest == texts.widths.size()) return;
    texts.widths[widest] = std::max(kNarrowest, texts.widths[widest] - std::min(texts.widths[widest], total() - width));
  }
}

/// Words onto lines of at most `width` characters.
std::string wrapped(std::string_view text, std::size_t width) {
  std::string out;
  std::size_t column = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = text.find_first_of(" \n", at);
    if (end == std::string_view::npos) end = text.size();
    const std::string_view word = text.substr(at, end - at);
    const std::size_t length = columns_of(word);
    if (column > 0 && column + 1 + length > width) {
      out += '\n';
      column = 0;
    } else if (column > 0) {
      out += ' ';
      ++column;
    }
    out += word;
    column += length;
    if (end < text.size() && text[end] == '\n') {
      out += '\n';
      column = 0;
    }
    at = end + 1;
  }
  return out + '\n';
}

/// The lines of a cell: sentences wrap, a name that is too long loses its middle.
std::vector<std::string> lines_of(const std::string& cell, std::size_t width) {
  if (columns_of(cell) <= width || cell.find(' ') == std::string::npos) return {shortened(cell, width)};
  const std::string text = wrapped(cell, width);
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    out.push_back(shortened(text.substr(at, end - at), width));
    at = end + 1;
  }
  return out;
}

void put(std::string& out, const std::vector<std::string>& row, const std::vector<std::size_t>& widths, const Table& table) {
  std::vector<std::vector<std::string>> cells;
  std::size_t height = 1;
  for (std::size_t c = 0; c < row.size(); ++c) height = std::max(height, cells.emplace_back(lines_of(row[c], widths[c])).size());
  for (std::size_t l = 0; l < height; ++l) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string cell = l < cells[c].size() ? cells[c][l] : "";
      const std::string space(widths[c] - std::min(widths[c], columns_of(cell)), ' ');
      if (c > 0) line += "  ";
      line += table.columns[c].unit == Unit::Text ? cell + space : space + cell;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
}

}  // namespace

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string to_text(const Table& table, std::size_t width) {
  Texts texts = texts_of(table);
  fit(texts, table, width);
  std::string out;
  if (!table.title.empty()) out += table.title + '\n';
  put(out, texts.titles, texts.widths, table);
  std::vector<std::string> rules;
  for (const std::size_t w : texts.widths) rules.emplace_back(w, '-');
  put(out, rules, texts.widths, table);
  for (const auto& row : texts.rows) put(out, row, texts.widths, table);
  for (const std::string& note : table.notes) out += wrapped(note, width);
  return out;
}

std::string to_text(const Document& document, std::size_t width) {
  std::string out;
  bool after_heading = true;
  for (const Block& block : document) {
    if (!after_heading) out += '\n';
    after_heading = false;
    if (const auto* heading = std::get_if<Heading>(&block)) {
      out += heading->text + '\n' + std::string(columns_of(heading->text), '=') + '\n';
      after_heading = true;
    } else if (const auto* paragraph = std::get_if<Paragraph>(&block)) {
      out += wrapped(paragraph->text, width);
    } else if (const auto* table = std::get_if<Table>(&block)) {
      out += to_text(*table, width);
    } else {
      out += std::get<Verbatim>(block).text;
      if (!out.ends_with('\n')) out += '\n';
    }
  }
  return out;
}

}  // namespace seam::report
