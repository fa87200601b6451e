#include <fmt/core.h>

#include <algorithm>

#include "graph/hlo.h"
#include "hlo/instruction.h"
#include "read/shapes.h"
#include "read/tables.h"

namespace seam::graph {
namespace {

/// `, key=value` as often as it comes.
Result<void> read_header(Graph& graph, Cursor& cursor) {
  while (cursor.accept(',')) {
    const std::string_view key = cursor.word();
    if (key.empty()) {
      return cursor.error(fmt::format("expected a module attribute, found {}", cursor.found()));
    }
    if (auto equals = cursor.expect('=', "after a module attribute"); !equals) return equals;
    cursor.peek();
    const std::size_t start = cursor.offset();
    SEAM_TRY(const std::string_view raw, cursor.value());
    Cursor value = cursor.within(raw);
    value.move_to(start);
    if (auto read = read_header_attribute(graph, key, value); !read) return read;
  }
  return {};
}

/// (p: shape, …) -> shape. Parameter shapes stand again at the parameters; the result is compared with the root.
Result<std::optional<Shape>> read_signature(Cursor& cursor) {
  if (cursor.peek() != '(') return std::nullopt;
  SEAM_TRY([[maybe_unused]] const std::string_view parameters, cursor.group());
  if (!cursor.accept("->")) {
    return cursor.error(fmt::format("expected '->' after the parameters, found {}", cursor.found()));
  }
  SEAM_TRY(Shape result, read_shape(cursor));
  return std::optional<Shape>(std::move(result));
}

Result<void> read_computation(ModuleScope& module, Cursor& cursor, std::optional<Id<Computation>>& entry) {
  const bool is_entry = cursor.accept_word("ENTRY");
  cursor.peek();
  const std::size_t at = cursor.offset();
  SEAM_TRY(const std::string_view computation_name, cursor.name("a computation"));
  if (is_entry && entry) return cursor.error_at(at, "a module has one ENTRY; this is the second");
  SEAM_TRY(const std::optional<Shape> result, read_signature(cursor));
  ComputationScope scope;
  scope.computation.name = computation_name;
  if (auto body = read_body(module, scope, cursor); !body) return body;
  if (result) {
    const Op& root = scope.computation.ops[scope.computation.root];
    if (!same_type(root.shape, *result)) {
      return fail(Error::Code::BadInput,
                  fmt::format("root '{}' is {}, but computation '{}' returns {}", root.name,
                              print(root.shape), computation_name, print(*result)),
                  root.at);
    }
  }
  while (cursor.accept(',')) {
    const std::string_view key = cursor.word();
    if (auto equals = cursor.expect('=', "after an attribute of a computation"); !equals) return equals;
    if (key == "execution_thread") {
      SEAM_TRY(scope.computation.execution_thread, cursor.quoted("a thread name"));
    } else {
      return cursor.error(fmt::format("unknown attribute '{}' of a computation", key));
    }
  }
  SEAM_TRY(const Id<Computation> id, module.add(std::move(scope.computation), cursor, at));
  if (is_entry) entry = id;
  return {};
}

constexpr std::string_view kSeparator = "// -----";

/// Where the next separator line starts: the mark alone on its line. Longer rules of dashes are decoration.
std::size_t next_separator(std::string_view text, std::size_t from) {
  for (std::size_t at = text.find(kSeparator, from); at != std::string_view::npos; at = text.find(kSeparator, at + 1)) {
    const std::string_view rest = text.substr(at + kSeparator.size());
    const std::string_view tail = rest.substr(0, rest.find('\n'));
    if ((at == 0 || text[at - 1] == '\n') && tail.find_first_not_of(" \t\r") == std::string_view::npos) return at;
  }
  return std::string_view::npos;
}

/// The pieces between separator lines that hold more than comments.
std::vector<Cursor> modules_of(const Source& source) {
  std::vector<Cursor> pieces;
  const std::string_view text = source.text();
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = next_separator(text, begin);
    Cursor piece = Cursor(source).within(text.substr(begin, end - begin));
    if (!piece.at_end()) pieces.push_back(piece);
    if (end == std::string_view::npos) break;
    begin = std::min(text.find('\n', end), text.size());
  }
  return pieces;
}

Result<Graph> read_module(Cursor cursor) {
  ModuleScope module;
  if (cursor.accept_word("HloModule")) {
    SEAM_TRY(module.graph.name, cursor.name("the name of the module"));
    cursor.accept(':');
    if (auto header = read_header(module.graph, cursor); !header) {
      return tl::unexpected(std::move(header).error());
    }
    if (auto tables = read_tables(module.graph, cursor); !tables) {
      return tl::unexpected(std::move(tables).error());
    }
  }
  std::optional<Id<Computation>> entry;
  while (!cursor.at_end()) {
    if (auto computation = read_computation(module, cursor, entry); !computation) {
      return tl::unexpected(std::move(computation).error());
    }
  }
  if (module.graph.computations.empty()) return cursor.error("this module has no computation");
  // Without ENTRY the last computation is the entry: callees stand before their callers.
  module.graph.entry = entry.value_or(Id<Computation>(module.graph.computations.size() - 1));
  return std::move(module.graph);
}

}  // namespace

Result<std::vector<Graph>> parse_hlo_modules(std::string_view text, std::string_view file) {
  const Source source(text, file);
  std::vector<Graph> graphs;
  for (const Cursor& piece : modules_of(source)) {
    SEAM_TRY(Graph graph, read_module(piece));
    graphs.push_back(std::move(graph));
  }
  if (graphs.empty()) return fail(Error::Code::BadInput, "this file holds no HLO module", Position{std::string(file), 1, 1});
  return graphs;
}

Result<Graph> parse_hlo(std::string_view text, std::string_view file) {
  SEAM_TRY(std::vector<Graph> graphs, parse_hlo_modules(text, file));
  if (graphs.size() == 1) return std::move(graphs.front());
  return fail(Error::Code::BadInput,
              fmt::format("this file holds {} modules, separated by '{}' lines; give one of them", graphs.size(),
                          kSeparator),
              Position{std::string(file), 1, 1});
}

}  // namespace seam::graph
