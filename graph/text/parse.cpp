#include <fmt/core.h>

#include "graph/text.h"
#include "graph/verify.h"
#include "read/attributes.h"
#include "read/literals.h"
#include "read/opcodes.h"
#include "read/shapes.h"
#include "read/tables.h"

namespace seam::graph {
namespace {

/// The lines before the first computation.
class HeadReader {
 public:
  HeadReader(Graph& graph, Cursor& cursor) : graph_(graph), cursor_(cursor) {}

  Result<void> read() {
    if (!cursor_.accept_word("graph")) return cursor_.error(fmt::format("expected 'graph', found {}", cursor_.found()));
    SEAM_TRY(graph_.name, cursor_.quoted("the name of the graph"));
    for (;;) {
      if (cursor_.accept_word("header")) {
        if (auto one = header(); !one) return one;
      } else if (cursor_.accept_word("scheduled")) {
        graph_.is_scheduled = true;
      } else if (cursor_.accept_word("donated")) {
        SEAM_TRY(const std::int64_t output, cursor_.integer("an output number"));
        SEAM_TRY(const std::int64_t parameter, cursor_.integer("a parameter number"));
        graph_.donated.emplace_back(output, parameter);
      } else if (cursor_.accept_word("frame")) {
        if (auto one = frame(); !one) return one;
      } else if (cursor_.peek() == '|') {
        if (auto all = tables(); !all) return all;
      } else {
        return {};
      }
    }
  }

 private:
  Result<void> header() {
    const std::string_view key = cursor_.word();
    if (auto equals = cursor_.expect('=', "after a header attribute"); !equals) return equals;
    cursor_.peek();
    SEAM_TRY(const std::string_view raw, cursor_.value());
    return read_header_attribute(graph_, key, cursor_.within(raw));
  }

  Result<void> frame() {
    StackFrame frame;
    SEAM_TRY(frame.file, cursor_.quoted("a file name"));
    SEAM_TRY(frame.function, cursor_.quoted("a function name"));
    SEAM_TRY(frame.line, cursor_.integer("a line"));
    if (auto colon = cursor_.expect(':', "between line and column"); !colon) return colon;
    SEAM_TRY(frame.column, cursor_.integer("a column"));
    if (!cursor_.accept_word("in")) return cursor_.error("expected 'in' and the number of the calling frame");
    SEAM_TRY(frame.parent, cursor_.integer("the number of the calling frame"));
    graph_.frames.push_back(std::move(frame));
    return {};
  }

  /// Lines that start with "| " hold the tables of source locations as HLO has them.
  Result<void> tables() {
    const std::size_t at = cursor_.offset();
    std::string text;
    while (cursor_.here() == '|') {
      std::string_view line = cursor_.line().substr(1);
      if (line.starts_with(' ')) line.remove_prefix(1);
      if (!text.empty()) text += '\n';
      text += line;
    }
    const Source source(text, "tables");
    Cursor inside(source);
    if (auto read = read_tables(graph_, inside); !read) return cursor_.error_at(at, read.error().message);
    if (!inside.at_end()) return cursor_.error_at(at, "these lines are not tables of source locations");
    return {};
  }

  Graph& graph_;
  Cursor& cursor_;
};

/// `%name` that does not begin the next op.
bool operand_follows(Cursor cursor) {
  if (!cursor.accept('%')) return false;
  (void)cursor.word();
  const char next = cursor.peek();
  return next != ':' && next != '=';
}

Result<Id<Op>> read_op(ModuleScope& module, ComputationScope& scope, Cursor& cursor) {
  cursor.peek();
  const std::size_t at = cursor.offset();
  Op op;
  op.at = cursor.position(at);
  SEAM_TRY(op.name, cursor.name("an op"));
  std::optional<Shape> shape;
  if (cursor.accept(':')) {
    SEAM_TRY(shape, read_shape(cursor));
  }
  if (auto equals = cursor.expect('=', "before the opcode"); !equals) return tl::unexpected(std::move(equals).error());
  cursor.peek();
  const std::size_t opcode_at = cursor.offset();
  op.opcode_text = cursor.word();
  const std::optional<Opcode> opcode = opcode_or_sugar(op.opcode_text);
  if (!opcode) return cursor.error_at(opcode_at, fmt::format("unknown opcode '{}'", op.opcode_text));
  op.opcode = *opcode;
  if (op.opcode == Opcode::Constant || op.opcode == Opcode::Parameter) {
    if (!shape) return cursor.error_at(at, fmt::format("a {} needs its shape", op.opcode_text));
  }
  if (op.opcode == Opcode::Constant) {
    SEAM_TRY(op.attributes.literal, read_literal(cursor, *shape));
  } else if (op.opcode == Opcode::Parameter) {
    SEAM_TRY(op.attributes.index, cursor.integer("a parameter number"));
    if (op.attributes.index < 0) return cursor.error("a parameter number cannot be negative");
  }
  while (operand_follows(cursor)) {
    cursor.peek();
    const std::size_t operand_at = cursor.offset();
    SEAM_TRY(const std::string_view operand, cursor.name("an operand"));
    SEAM_TRY(const Id<Op> id, scope.resolve(operand, cursor, operand_at));
    op.operands.push_back(id);
  }
  AttributeReader attributes(module, scope, op);
  for (;;) {
    // key=value; anything else is the next op or the end of the computation.
    Cursor ahead = cursor;
    const std::string_view key = ahead.word();
    if (key.empty() || ahead.here() != '=') break;
    cursor = ahead;
    cursor.accept('=');
    cursor.peek();
    const std::size_t start = cursor.offset();
    if (key == "literal") {
      SEAM_TRY(const Shape literal_shape, read_shape(cursor));
      SEAM_TRY([[maybe_unused]] const Literal literal, read_literal(cursor, literal_shape));
    } else {
      SEAM_TRY([[maybe_unused]] const std::string_view value, cursor.value());
    }
    if (auto one = attributes.read(key, cursor.within(cursor.text_from(start))); !one) {
      return tl::unexpected(std::move(one).error());
    }
  }
  if (cursor.accept('@')) {
    SEAM_TRY(const std::string_view group, cursor.group());
    if (auto one = attributes.read("metadata", cursor.within(group)); !one) {
      return tl::unexpected(std::move(one).error());
    }
  }
  if (auto finished = attributes.finish(cursor, at); !finished) return tl::unexpected(std::move(finished).error());
  if (shape) {
    op.shape = *std::move(shape);
  } else {
    SEAM_TRY(op.shape, infer_shape(module.graph, scope.computation, op));
  }
  return scope.add(std::move(op), cursor, at);
}

Result<void> read_computation(ModuleScope& module, Cursor& cursor, std::optional<Id<Computation>>& entry) {
  const bool is_entry = cursor.accept_word("entry");
  if (!cursor.accept_word("computation")) {
    return cursor.error(fmt::format("expected 'computation', found {}", cursor.found()));
  }
  cursor.peek();
  const std::size_t at = cursor.offset();
  if (is_entry && entry) return cursor.error_at(at, "a graph has one entry; this is the second");
  ComputationScope scope;
  SEAM_TRY(scope.computation.name, cursor.name("a computation"));
  if (cursor.accept_word("thread")) {
    SEAM_TRY(scope.computation.execution_thread, cursor.quoted("a thread name"));
  }
  if (auto open = cursor.expect('{', "to open a computation"); !open) return open;
  std::optional<Id<Op>> root;
  while (!cursor.accept('}')) {
    if (cursor.at_end()) {
      return cursor.error(fmt::format("computation '{}' is cut off: its '}}' is missing", scope.computation.name));
    }
    const bool is_root = cursor.accept_word("root");
    if (is_root && root) return cursor.error("a computation has one root; this is the second");
    SEAM_TRY(const Id<Op> id, read_op(module, scope, cursor));
    if (is_root) root = id;
  }
  if (auto finished = scope.finish(root, cursor, at); !finished) return finished;
  SEAM_TRY(const Id<Computation> id, module.add(std::move(scope.computation), cursor, at));
  if (is_entry) entry = id;
  return {};
}

}  // namespace

Result<Graph> parse_graph(std::string_view text, std::string_view file) {
  const Source source(text, file);
  Cursor cursor(source);
  ModuleScope module;
  if (auto head = HeadReader(module.graph, cursor).read(); !head) return tl::unexpected(std::move(head).error());
  std::optional<Id<Computation>> entry;
  while (!cursor.at_end()) {
    if (auto computation = read_computation(module, cursor, entry); !computation) {
      return tl::unexpected(std::move(computation).error());
    }
  }
  if (module.graph.computations.empty()) return cursor.error("this graph has no computation");
  module.graph.entry = entry.value_or(Id<Computation>(module.graph.computations.size() - 1));
  return std::move(module.graph);
}

}  // namespace seam::graph
