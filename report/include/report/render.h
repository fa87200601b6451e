#pragma once
/// Renderings of the table model. Same input, same bytes.
#include <string>
#include <string_view>

#include "report/document.h"
#include "report/table.h"

namespace seam::report {

/// For a terminal: aligned columns, at most `width` characters wide: the widest text column is shortened in the middle if need be.
[[nodiscard]] std::string to_text(const Table& table, std::size_t width = 120);
[[nodiscard]] std::string to_text(const Document& document, std::size_t width = 120);
/// GitHub's Markdown.
[[nodiscard]] std::string to_markdown(const Table& table);
[[nodiscard]] std::string to_markdown(const Document& document);
/// {"title", "columns": [{key, title, unit, evidence}], "rows": [{key: value}], "notes"}; unknown and blank cells are null.
[[nodiscard]] std::string to_json(const Table& table);
/// A <table> with <caption>, scope and class names of the page's style sheet.
[[nodiscard]] std::string to_html(const Table& table);

/// Text as HTML content or attribute value.
[[nodiscard]] std::string html_escape(std::string_view text);
/// Characters on a terminal: UTF-8 sequences count one.
[[nodiscard]] std::size_t columns_of(std::string_view text);

}  // namespace seam::report
