/// seam sql: queries on a run, one from the command line, or many from a prompt or a pipe.
#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/json_out.h"
#include "base/units.h"
#include "cli/command.h"
#include "open_run.h"
#include "report/render.h"

namespace seam::cli {
namespace {

struct Options {
  std::string run, query;
  bool csv = false;
};

std::string text_of(const db::Field& field) {
  struct {
    std::string operator()(const db::Null&) const { return "NULL"; }
    std::string operator()(std::int64_t value) const { return std::to_string(value); }
    std::string operator()(double value) const { return exact(value); }
    std::string operator()(const std::string& value) const { return value; }
  } visit;
  return std::visit(visit, field);
}

/// RFC 4180; NULL is an empty field, an empty text "".
std::string csv_of(const db::Field& field) {
  if (std::holds_alternative<db::Null>(field)) return "";
  std::string text = text_of(field);
  if (!text.empty() && text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

void print_csv(const db::Rows& rows) {
  for (std::size_t c = 0; c < rows.columns.size(); ++c) fmt::print("{}{}", c == 0 ? "" : ",", csv_of(rows.columns[c]));
  fmt::print("\r\n");
  for (const auto& row : rows.rows) {
    for (std::size_t c = 0; c < row.size(); ++c) fmt::print("{}{}", c == 0 ? "" : ",", csv_of(row[c]));
    fmt::print("\r\n");
  }
}

void print_json(const db::Rows& rows) {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  struct {
    Json operator()(const db::Null&) const { return nullptr; }
    Json operator()(std::int64_t value) const { return value; }
    Json operator()(double value) const { return value; }
    Json operator()(const std::string& value) const { return value; }
  } visit;
  for (const auto& row : rows.rows) {
    Json out = Json::array();
    for (const db::Field& field : row) out.push_back(std::visit(visit, field));
    list.push_back(std::move(out));
  }
  fmt::print("{}\n", dumped(Json{{"schema", "seam.sql/1"}, {"columns", rows.columns}, {"rows", std::move(list)}}, 2));
}

/// Names of kernels run to hundreds of characters: on a terminal the middle goes; JSON, Markdown and CSV keep all of it.
std::string shortened(std::string text) {
  constexpr std::size_t kMost = 72, kFront = 44;
  std::ranges::replace(text, '\n', ' ');
  if (text.size() <= kMost || report::columns_of(text) != text.size()) return text;
  return text.substr(0, kFront) + '~' + text.substr(text.size() - (kMost - kFront - 1));
}

/// Columns as wide as their longest value; numbers to the right.
void print_text(const db::Rows& rows) {
  std::vector<std::size_t> widths;
  std::vector<bool> right;
  std::vector<std::vector<std::string>> cells;
  for (const std::string& column : rows.columns) widths.push_back(report::columns_of(column));
  right.assign(rows.columns.size(), true);
  for (const auto& row : rows.rows) {
    std::vector<std::string>& line = cells.emplace_back();
    for (std::size_t c = 0; c < row.size(); ++c) {
      line.push_back(shortened(text_of(row[c])));
      widths[c] = std::max(widths[c], report::columns_of(line.back()));
      if (std::holds_alternative<std::string>(row[c])) right[c] = false;
    }
  }
  const auto print = [&](const std::vector<std::string>& line) {
    std::string out;
    for (std::size_t c = 0; c < line.size(); ++c) {
      const std::string blanks(widths[c] - std::min(widths[c], report::columns_of(line[c])), ' ');
      out += (c == 0 ? "" : "  ") + (right[c] ? blanks + line[c] : line[c] + blanks);
    }
    out.erase(out.find_last_not_of(' ') + 1);
    fmt::print("{}\n", out);
  };
  print(rows.columns);
  std::vector<std::string> rule;
  for (const std::size_t width : widths) rule.emplace_back(width, '-');
  print(rule);
  for (const auto& line : cells) print(line);
}

void print_markdown(const db::Rows& rows) {
  report::Table table;
  for (const std::string& column : rows.columns) table.columns.push_back({column, column, report::Unit::Text, {}});
  for (const auto& row : rows.rows) {
    std::vector<report::Cell>& cells = table.rows.emplace_back();
    for (const db::Field& field : row) cells.emplace_back(text_of(field));
  }
  fmt::print("{}", report::to_markdown(table));
}

void print(const db::Rows& rows, const Options& options, const Common& common) {
  if (options.csv) return print_csv(rows);
  switch (common.format) {
    case Format::Json: return print_json(rows);
    case Format::Markdown: return print_markdown(rows);
    case Format::Text: return print_text(rows);
  }
}

constexpr std::string_view kHelp = "A statement ends with ';'. .tables lists tables and views, .schema NAME shows one with its comments, .quit (or Ctrl-D) leaves.\n";

/// What begins with a point; false: leave.
bool command(const std::string& line, const db::Database& run, const Options& options, const Common& common) {
  const auto show = [&](const std::string& query) {
    const auto rows = run.query(query);
    if (rows) {
      print(*rows, options, common);
    } else {
      fmt::print(stderr, "{}\n", rows.error().message);
    }
  };
  const auto quoted = [](std::string text) {
    for (std::size_t at = text.find('\''); at != std::string::npos; at = text.find('\'', at + 2)) text.insert(at, 1, '\'');
    return "'" + text + "'";
  };
  if (line == ".quit" || line == ".exit" || line == ".q") return false;
  if (line == ".tables") {
    show("SELECT name, type FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY type, name");
  } else if (line.starts_with(".schema")) {
    const std::size_t at = line.find_first_not_of(" \t", 7);
    const auto rows = run.query("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL" + (at == std::string::npos ? "" : " AND name = " + quoted(line.substr(at))) + " ORDER BY type, name");
    for (const auto& row : rows ? rows->rows : std::vector<std::vector<db::Field>>()) fmt::print("{};\n", text_of(row[0]));
  } else {
    fmt::print("{}", kHelp);
  }
  return true;
}

/// Takes the statements that are whole, with their ';', off the front of `text`. Quotes, brackets and comments hide a ';'.
std::vector<std::string> whole_statements(std::string& text) {
  std::vector<std::string> out;
  std::size_t from = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\'' || c == '"' || c == '`' || c == '[') {
      i = text.find(c == '[' ? ']' : c, i + 1);
    } else if (text.compare(i, 2, "--") == 0) {
      i = text.find('\n', i);
    } else if (text.compare(i, 2, "/*") == 0) {
      i = text.find("*/", i + 2);
    } else if (c == ';') {
      out.push_back(text.substr(from, i + 1 - from));
      from = i + 1;
    }
    if (i == std::string::npos) break;
  }
  text.erase(0, from);
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) text.clear();
  return out;
}

/// Statements from standard input; with a prompt if a person types them.
int converse(const db::Database& run, const Options& options, const Common& common) {
  const bool typed = ::isatty(STDIN_FILENO) == 1 && !common.quiet;
  if (typed) fmt::print("{}", kHelp);
  std::string statement, line;
  for (;;) {
    if (typed) {
      fmt::print("{}", statement.empty() ? "seam> " : "  ... ");
      std::fflush(stdout);
    }
    const bool more = static_cast<bool>(std::getline(std::cin, line));
    if (more && statement.empty() && line.starts_with('.')) {
      if (!command(line, run, options, common)) break;
      continue;
    }
    if (more) statement += line + '\n';
    std::vector<std::string> whole = whole_statements(statement);
    if (!more && !statement.empty()) whole.push_back(statement);
    for (const std::string& one : whole) {
      const auto rows = run.query(one);
      if (rows) {
        print(*rows, options, common);
      } else {
        fmt::print(stderr, "{}\n", rows.error().message);
        if (!typed) return kBadInput;
      }
    }
    if (!more) break;
  }
  if (typed) fmt::print("\n");
  return kPass;
}

Result<int> run(const Options& options, const Common& common) {
  if (options.csv && common.format != Format::Text) return fail(Error::Code::BadInput, "--csv and --format are two answers to one question");
  SEAM_TRY(const OpenRun run, OpenRun::open(options.run, common));
  if (options.query.empty()) return converse(run.database(), options, common);
  SEAM_TRY(const db::Rows rows, run.database().query(options.query));
  print(rows, options, common);
  return kPass;
}

}  // namespace

Run define_sql(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("run", options->run, "a .seam run, or a trace that import takes")->required();
  app.add_option("query", options->query, "one SELECT; without it statements are read from standard input, with a prompt on a terminal");
  app.add_flag("--csv", options->csv, "comma-separated values with a header (RFC 4180)");
  return [options](const Common& common) { return run(*options, common); };
}

}  // namespace seam::cli
