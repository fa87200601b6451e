#include "hlo/instruction.h"

#include <fmt/core.h>

#include "graph/verify.h"
#include "read/attributes.h"
#include "read/literals.h"
#include "read/opcodes.h"
#include "read/shapes.h"

namespace seam::graph {
namespace {

constexpr int kMaxNesting = 100;

Result<Id<Computation>> read_inline_body(ModuleScope& module, Cursor& cursor) {
  ComputationScope scope;
  scope.computation.name = "an inline body";
  if (auto body = read_body(module, scope, cursor); !body) return tl::unexpected(std::move(body).error());
  return module.add_unnamed(std::move(scope.computation), "inline_body");
}

class InstructionReader {
 public:
  InstructionReader(ModuleScope& module, ComputationScope& scope, Cursor& cursor)
      : module_(module), scope_(scope), cursor_(cursor) {}

  /// [%]name = [shape] opcode(operands), attributes
  Result<Id<Op>> read() {
    cursor_.peek();
    const std::size_t at = cursor_.offset();
    SEAM_TRY(const std::string_view op_name, cursor_.name("an instruction"));
    if (auto equals = cursor_.expect('=', "after the name of an instruction"); !equals) {
      return tl::unexpected(std::move(equals).error());
    }
    std::optional<Shape> shape;
    if (starts_shape(cursor_)) {
      SEAM_TRY(shape, read_shape(cursor_));
    }
    return read_from_opcode(std::string(op_name), std::move(shape), at, true);
  }

 private:
  Result<Id<Op>> read_from_opcode(std::string op_name, std::optional<Shape> shape, std::size_t at,
                                  bool with_attributes) {
    cursor_.peek();
    const std::size_t opcode_at = cursor_.offset();
    const std::string_view text = cursor_.word();
    const std::optional<Opcode> opcode = opcode_or_sugar(text);
    if (!opcode) {
      cursor_.move_to(opcode_at);
      return cursor_.error(text.empty() ? fmt::format("expected an opcode, found {}", cursor_.found())
                                        : fmt::format("unknown opcode '{}'", text));
    }
    Op op;
    op.opcode = *opcode;
    op.opcode_text = text;
    op.at = cursor_.position(at);
    const bool named = !op_name.empty();
    op.name = named ? std::move(op_name) : std::string(text);
    if (auto operands = read_operands(op, shape); !operands) {
      return tl::unexpected(std::move(operands).error());
    }
    AttributeReader attributes(module_, scope_, op);
    attributes.inline_body = read_inline_body;
    while (with_attributes && cursor_.accept(',')) {
      if (auto one = read_attribute(attributes); !one) return tl::unexpected(std::move(one).error());
    }
    if (auto finished = attributes.finish(cursor_, at); !finished) {
      return tl::unexpected(std::move(finished).error());
    }
    if (shape) {
      op.shape = *std::move(shape);
    } else {
      SEAM_TRY(op.shape, during(fmt::format("inferring the shape of '{}', which the text leaves out", op.name),
                                infer_shape(module_.graph, scope_.computation, op)));
    }
    if (!named) return scope_.add_unnamed(std::move(op), text);
    return scope_.add(std::move(op), cursor_, at);
  }

  Result<void> read_attribute(AttributeReader& attributes) {
    const std::string_view key = cursor_.word();
    if (key.empty()) return cursor_.error(fmt::format("expected an attribute, found {}", cursor_.found()));
    if (auto equals = cursor_.expect('=', fmt::format("after attribute '{}'", key)); !equals) return equals;
    cursor_.peek();
    const std::size_t start = cursor_.offset();
    if (key == "literal") {  // of old custom calls: a shape, a space, a value
      SEAM_TRY(const Shape shape, read_shape(cursor_));
      SEAM_TRY([[maybe_unused]] const Literal literal, read_literal(cursor_, shape));
    } else {
      SEAM_TRY([[maybe_unused]] const std::string_view value, cursor_.value());
    }
    const std::string_view raw = cursor_.text_from(start);
    return attributes.read(key, cursor_.within(raw));
  }

  Result<void> read_operands(Op& op, const std::optional<Shape>& shape) {
    if (auto open = cursor_.expect('(', "after the opcode"); !open) return open;
    if (op.opcode == Opcode::Constant) {
      if (!shape) return cursor_.error("a constant needs its shape");
      SEAM_TRY(op.attributes.literal, read_literal(cursor_, *shape));
      return cursor_.expect(')', "after the constant's value");
    }
    if (op.opcode == Opcode::Parameter) {
      if (!shape) return cursor_.error("a parameter needs its shape");
      cursor_.peek();
      const std::size_t at = cursor_.offset();
      SEAM_TRY(op.attributes.index, cursor_.integer("a parameter number"));
      if (op.attributes.index < 0) return cursor_.error_at(at, "a parameter number cannot be negative");
      return cursor_.expect(')', "after the parameter number");
    }
    if (cursor_.accept(')')) return {};
    do {
      SEAM_TRY(const Id<Op> operand, read_operand());
      op.operands.push_back(operand);
    } while (cursor_.accept(','));
    return cursor_.expect(')', "after the operands");
  }

  /// %n | shape %n | %n#0#1 | [shape] opcode(…)
  Result<Id<Op>> read_operand() {
    std::optional<Shape> shape;
    if (starts_shape(cursor_)) {
      SEAM_TRY(shape, read_shape(cursor_));
    }
    cursor_.peek();
    const std::size_t at = cursor_.offset();
    Cursor ahead = cursor_;
    const std::string_view word = ahead.word();
    if (!word.empty() && ahead.here() == '(') {
      if (++depth_ > kMaxNesting) return cursor_.error("instructions nest too deeply");
      SEAM_TRY(const Id<Op> nested, read_from_opcode({}, std::move(shape), at, false));
      --depth_;
      return nested;
    }
    SEAM_TRY(const std::string_view op_name, cursor_.name("an operand"));
    SEAM_TRY(Id<Op> operand, scope_.resolve(op_name, cursor_, at));
    while (cursor_.here() == '#') {
      cursor_.accept('#');
      SEAM_TRY(const std::int64_t index, cursor_.bare_integer("a tuple index"));
      SEAM_TRY(operand, element_of(operand, index, at));
    }
    return operand;
  }

  /// The get-tuple-element that %n#index stands for; one per place it is read.
  Result<Id<Op>> element_of(Id<Op> tuple, std::int64_t index, std::size_t at) {
    const Op& source = scope_.computation.ops[tuple];
    if (!source.shape.is_tuple || index < 0 || index >= std::ssize(source.shape.elements)) {
      return cursor_.error_at(at, fmt::format("'{}' is {} and has no element {}", source.name,
                                              print(source.shape), index));
    }
    Op op;
    op.opcode = Opcode::GetTupleElement;
    op.opcode_text = name(op.opcode);
    op.shape = source.shape.elements[static_cast<std::size_t>(index)];
    op.operands = {tuple};
    op.attributes.index = index;
    op.at = cursor_.position(at);
    const std::string stem = fmt::format("{}.element.{}", source.name, index);
    return scope_.add_unnamed(std::move(op), stem);
  }

  ModuleScope& module_;
  ComputationScope& scope_;
  Cursor& cursor_;
  int depth_ = 0;
};

}  // namespace

Result<void> read_body(ModuleScope& module, ComputationScope& scope, Cursor& cursor) {
  if (auto open = cursor.expect('{', "to open a computation"); !open) return open;
  std::optional<Id<Op>> root;
  InstructionReader reader(module, scope, cursor);
  const std::size_t start = cursor.offset();
  while (!cursor.accept('}')) {
    if (cursor.at_end()) {
      return cursor.error(fmt::format("computation '{}' is cut off: its '}}' is missing", scope.computation.name));
    }
    const bool is_root = cursor.accept_word("ROOT");
    if (is_root && root) return cursor.error("a computation has one ROOT; this is the second");
    SEAM_TRY(const Id<Op> id, reader.read());
    if (is_root) root = id;
  }
  return scope.finish(root, cursor, start);
}

}  // namespace seam::graph
