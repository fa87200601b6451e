#include <fmt/core.h>

#include "graph/hlo.h"
#include "graph/text.h"
#include "graph/verify.h"
#include "read/cursor.h"

namespace seam::graph {
namespace {

/// Formats that are recognised only to say what they are.
std::string_view foreign_format(std::string_view text) {
  const std::string_view head = text.substr(0, 4096);
  if (head.find('\0') != std::string_view::npos) return "a binary file";
  Source source(text, "");
  Cursor cursor(source);
  const char first = cursor.peek();
  if (first == '{' || first == '[') return "JSON";
  const std::string_view word = cursor.peek_word();
  if (word == "module" || word == "func.func" || head.starts_with("#loc")) return "MLIR text";
  Cursor field = cursor;
  (void)field.word();
  const char next = field.peek();
  if (!word.empty() && (next == ':' || (next == '{' && (word == "hlo_module" || word == "computations")))) {
    return "protobuf text";
  }
  return {};
}

}  // namespace

Result<Graph> read_graph(std::string_view text, std::string_view file) {
  const Source source(text, file);
  Cursor cursor(source);
  if (cursor.at_end()) return cursor.error("this file is empty");
  Result<Graph> graph = [&]() -> Result<Graph> {
    if (cursor.peek_word() == "graph") return parse_graph(text, file);
    if (const std::string_view foreign = foreign_format(text); !foreign.empty()) {
      return cursor.error(fmt::format("this is {}, not HLO text and not .graph text", foreign));
    }
    return parse_hlo(text, file);
  }();
  if (!graph) return graph;
  if (auto sound = verify(*graph); !sound) return tl::unexpected(std::move(sound).error());
  return graph;
}

}  // namespace seam::graph
