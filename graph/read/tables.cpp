#include "read/tables.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>

#include "read/values.h"

namespace seam::graph {
namespace {

constexpr std::array<std::string_view, 4> kTables{"FileNames", "FunctionNames", "FileLocations",
                                                  "StackFrames"};

struct Location {
  std::int64_t file = 0, function = 0, line = 0, column = 0;
};
struct Frame {
  std::int64_t location = 0, parent = 0;
};
struct Tables {
  std::map<std::int64_t, std::string> files, functions;
  std::map<std::int64_t, Location> locations;
  std::map<std::int64_t, Frame> frames;
};

/// {key=number …} into `fields` by name; unknown keys are skipped.
Result<void> read_fields(Cursor& cursor, const std::map<std::string_view, std::int64_t*>& fields) {
  if (auto open = cursor.expect('{', "to open a table row"); !open) return open;
  while (!cursor.accept('}')) {
    cursor.accept(',');
    const std::string_view key = cursor.word();
    if (key.empty()) return cursor.error(fmt::format("expected a field, found {}", cursor.found()));
    if (auto equals = cursor.expect('=', "after a field of a table row"); !equals) return equals;
    SEAM_TRY(const std::int64_t value, cursor.integer("a number"));
    if (const auto field = fields.find(key); field != fields.end()) *field->second = value;
  }
  return {};
}

Result<void> read_row(Cursor& cursor, std::string_view table, std::int64_t id, Tables& tables) {
  if (table == "FileNames" || table == "FunctionNames") {
    SEAM_TRY((table == "FileNames" ? tables.files : tables.functions)[id], cursor.quoted("a name"));
    return {};
  }
  if (table == "FileLocations") {
    Location& row = tables.locations[id];
    return read_fields(cursor, {{"file_name_id", &row.file},
                                {"function_name_id", &row.function},
                                {"line", &row.line},
                                {"column", &row.column}});
  }
  Frame& row = tables.frames[id];
  return read_fields(cursor, {{"file_location_id", &row.location}, {"parent_frame_id", &row.parent}});
}

std::vector<StackFrame> joined(Tables& tables) {
  std::vector<StackFrame> frames;
  for (const auto& [id, frame] : tables.frames) {
    if (id != std::ssize(frames) + 1) break;  // ids count from 1 without gaps; a hand-cut table keeps its text only
    const Location& at = tables.locations[frame.location];
    // XLA prints parents one too high: 1 means none (the first frame always says 1), and 8's parent 6 reads 7.
    frames.push_back({tables.files[at.file], tables.functions[at.function], at.line, at.column,
                      std::max<std::int64_t>(frame.parent - 1, 0)});
  }
  return frames;
}

/// { {0}: (1, {}, may-alias), {}: (0, {2}) }: whole parameters only.
Result<std::vector<std::pair<std::int64_t, std::int64_t>>> read_aliases(Cursor& cursor) {
  std::vector<std::pair<std::int64_t, std::int64_t>> aliases;
  if (auto open = cursor.expect('{', "to open input_output_alias"); !open) {
    return tl::unexpected(std::move(open).error());
  }
  while (!cursor.accept('}')) {
    cursor.accept(',');
    SEAM_TRY(const std::vector<std::int64_t> output, read_integers(cursor));
    if (!cursor.accept(':') || !cursor.accept('(')) {
      return cursor.error(fmt::format("expected ': (' after an output index, found {}", cursor.found()));
    }
    SEAM_TRY(const std::int64_t parameter, cursor.integer("a parameter number"));
    std::vector<std::int64_t> part;
    if (cursor.accept(',')) {
      SEAM_TRY(part, read_integers(cursor));
    }
    if (cursor.accept(',')) (void)cursor.word();
    if (auto close = cursor.expect(')', "to close an alias"); !close) {
      return tl::unexpected(std::move(close).error());
    }
    if (part.empty() && output.size() <= 1) aliases.emplace_back(output.empty() ? 0 : output[0], parameter);
  }
  return aliases;
}

}  // namespace

Result<void> read_header_attribute(Graph& graph, std::string_view key, Cursor value) {
  value.peek();
  Cursor whole = value;
  SEAM_TRY(const std::string_view raw, whole.value());
  graph.header.emplace_back(key, raw);
  if (key == "is_scheduled") {
    SEAM_TRY(graph.is_scheduled, read_bool(value));
  } else if (key == "input_output_alias") {
    SEAM_TRY(graph.donated, read_aliases(value));
  }
  return {};
}

Result<void> read_tables(Graph& graph, Cursor& cursor) {
  Tables tables;
  cursor.peek();
  const std::size_t start = cursor.offset();
  std::size_t stop = start;
  for (;;) {
    Cursor ahead = cursor;
    const auto table = std::ranges::find(kTables, ahead.peek_word());
    if (table == kTables.end()) break;
    (void)ahead.word();
    const std::size_t after_title = ahead.offset();
    // A computation may be called FileNames; a table's name is followed by rows.
    const char next = ahead.peek();
    if (next == '{' || next == '(') break;
    cursor = ahead;
    stop = after_title;
    while (cursor.peek() >= '0' && cursor.peek() <= '9') {
      SEAM_TRY(const std::int64_t id, cursor.integer("a row number"));
      if (auto row = read_row(cursor, *table, id, tables); !row) return row;
      stop = cursor.offset();
    }
  }
  cursor.move_to(stop);
  graph.tables = cursor.text_from(start);
  graph.frames = joined(tables);
  return {};
}

std::string print_tables(const Graph& graph) {
  if (!graph.tables.empty() || graph.frames.empty()) return graph.tables;
  std::map<std::string, std::size_t> files, functions;
  for (const StackFrame& frame : graph.frames) {
    files.try_emplace(frame.file, files.size() + 1);
    functions.try_emplace(frame.function, functions.size() + 1);
  }
  std::string locations, frames;
  std::size_t id = 0;
  for (const StackFrame& frame : graph.frames) {
    ++id;
    locations += fmt::format("\n{} {{file_name_id={} function_name_id={} line={} column={}}}", id,
                             files[frame.file], functions[frame.function], frame.line, frame.column);
    frames += fmt::format("\n{} {{file_location_id={} parent_frame_id={}}}", id, id, frame.parent + 1);
  }
  const auto by_id = [](std::string_view title, const std::map<std::string, std::size_t>& names) {
    std::map<std::size_t, std::string> sorted;
    for (const auto& [text, number] : names) sorted[number] = text;
    std::string out(title);
    for (const auto& [number, text] : sorted) out += fmt::format("\n{} {}", number, escaped(text));
    return out;
  };
  return by_id("FileNames", files) + "\n\n" + by_id("FunctionNames", functions) + "\n\nFileLocations" +
         locations + "\n\nStackFrames" + frames;
}

}  // namespace seam::graph
