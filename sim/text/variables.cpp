#include "text/variables.h"

#include "text/operands.h"

namespace seam::sim {
namespace {

/// More than a GPU has; keeps a damaged length from becoming an allocation.
constexpr std::int64_t kMostElements = std::int64_t{1} << 40;
constexpr int kMostRegisters = 1 << 20;

std::optional<Space> space_named(std::string_view text) {
  if (text == ".reg") return Space::Register;
  if (text == ".local") return Space::Local;
  if (text == ".shared") return Space::Shared;
  if (text == ".param") return Space::Param;
  if (text == ".global") return Space::Global;
  if (text == ".const") return Space::Const;
  return std::nullopt;
}

Result<int> alignment(Cursor& cursor) {
  SEAM_TRY(const std::int64_t align, parse_integer(cursor, "an alignment"));
  if (align < 1 || align > 4096 || (align & (align - 1)) != 0) {
    return cursor.wrong("an alignment that is a power of two");
  }
  return static_cast<int>(align);
}

/// .align N, .v2/.v4, .ptr .global .align N, the type; in the order they come.
Result<void> attributes(Cursor& cursor, Variable& out) {
  bool typed = false;
  int vector = 1;
  while (cursor.peek().kind == Token::Kind::Word && cursor.peek().text[0] == '.') {
    const Token token = cursor.next();
    const std::string_view word = token.text;
    if (word == ".align") {
      SEAM_TRY(const int align, alignment(cursor));
      if (!out.pointer) out.align = align;
    } else if (word == ".ptr") {
      out.pointer = true;
    } else if (out.pointer && space_named(word)) {
      continue;  // the space that the pointer points to
    } else if (word == ".v2" || word == ".v4") {
      vector = word == ".v2" ? 2 : 4;
    } else if (const auto type = type_named(word.substr(1))) {
      out.type = *type;
      typed = true;
    } else {
      return cursor.refuse(fmt::format("a declaration with {} is not supported", word), token);
    }
  }
  if (!typed) return cursor.wrong("a type");
  if (vector > 1 && out.space == Space::Register) {
    return cursor.refuse("vector registers are not supported", cursor.peek());
  }
  out.elements = vector;
  if (out.align == 0) out.align = size(out.type) * vector;
  return {};
}

Result<void> dimensions(Cursor& cursor, Variable& out) {
  while (cursor.accept('[')) {
    if (cursor.accept(']')) {
      out.unsized = true;
      continue;
    }
    SEAM_TRY(const std::int64_t count, parse_integer(cursor, "an array length"));
    if (count < 0 || (count > 0 && out.elements > kMostElements / count)) {
      return cursor.wrong("a sensible array length");
    }
    out.elements *= count;
    if (auto closed = cursor.expect(']'); !closed) return closed;
  }
  return {};
}

/// Nested braces are flattened: rows follow each other. A short row would need padding, so lengths must agree.
Result<void> flatten(Cursor& cursor, std::vector<Operand>& list, std::vector<Operand>& out) {
  for (Operand& element : list) {
    if (element.kind == Operand::Kind::Vector) {
      const std::size_t row = out.size();
      if (auto done = flatten(cursor, element.elements, out); !done) return done;
      if (list[0].kind != Operand::Kind::Vector ||
          out.size() - row != list[0].elements.size()) {
        return cursor.refuse("an initial value with rows of unequal length", cursor.peek());
      }
    } else {
      out.push_back(std::move(element));
    }
  }
  return {};
}

/// name, generic(name), generic(name)+8: all of them an address, which is generic already here.
Result<Operand> initial_element(Cursor& cursor);

Result<Operand> initial_list(Cursor& cursor) {
  Operand out;
  out.kind = Operand::Kind::Vector;
  cursor.next();
  do {
    if (cursor.peek().is('}')) break;
    SEAM_TRY(Operand one, cursor.peek().is('{') ? initial_list(cursor) : initial_element(cursor));
    out.elements.push_back(std::move(one));
  } while (cursor.accept(','));
  if (auto closed = cursor.expect('}'); !closed) return tl::unexpected(closed.error());
  return out;
}

Result<Operand> initial_element(Cursor& cursor) {
  const Token at = cursor.peek();
  if (!at.is("generic")) {
    SEAM_TRY(Operand value, parse_operand(cursor));
    if (cursor.peek().is('(')) {
      return cursor.refuse(fmt::format("{}() in an initial value is not supported", at.text), at);
    }
    return value;
  }
  cursor.next();
  if (auto opened = cursor.expect('('); !opened) return tl::unexpected(opened.error());
  SEAM_TRY(Operand value, parse_operand(cursor));
  if (value.kind != Operand::Kind::Name) return cursor.wrong("a variable");
  if (auto closed = cursor.expect(')'); !closed) return tl::unexpected(closed.error());
  if (cursor.accept('+')) {
    SEAM_TRY(const std::int64_t more, parse_integer(cursor, "an offset"));
    value.offset = static_cast<std::int64_t>(static_cast<std::uint64_t>(value.offset) +
                                             static_cast<std::uint64_t>(more));
  }
  return value;
}

Result<void> initial_value(Cursor& cursor, Variable& out) {
  const Token at = cursor.peek();
  SEAM_TRY(Operand value, at.is('{') ? initial_list(cursor) : initial_element(cursor));
  std::vector<Operand> list;
  if (value.kind == Operand::Kind::Vector) {
    if (auto done = flatten(cursor, value.elements, list); !done) return done;
  } else {
    list.push_back(std::move(value));
  }
  out.initial = std::move(list);
  if (out.unsized) {
    out.elements = static_cast<std::int64_t>(out.initial.size());
    out.unsized = false;
  }
  if (static_cast<std::int64_t>(out.initial.size()) > out.elements) {
    return fail(Error::Code::BadInput, "more initial values than elements", cursor.position(at));
  }
  return {};
}

}  // namespace

bool opens_variable(const Token& token) {
  return token.kind == Token::Kind::Word && space_named(token.text).has_value();
}

Result<std::vector<Variable>> parse_variables(Cursor& cursor, bool single) {
  Variable common;
  common.line = cursor.peek().line;
  common.space = *space_named(cursor.next().text);
  if (auto done = attributes(cursor, common); !done) return tl::unexpected(done.error());
  std::vector<Variable> out;
  do {
    Variable one = common;
    SEAM_TRY(one.name, cursor.word("a name"));
    if (cursor.accept('<')) {
      SEAM_TRY(const std::int64_t count, parse_integer(cursor, "a register count"));
      if (count < 1 || count > kMostRegisters) return cursor.wrong("a sensible register count");
      one.count = static_cast<int>(count);
      if (auto closed = cursor.expect('>'); !closed) return tl::unexpected(closed.error());
    }
    if (auto done = dimensions(cursor, one); !done) return tl::unexpected(done.error());
    if (cursor.accept('=')) {
      if (auto done = initial_value(cursor, one); !done) return tl::unexpected(done.error());
    }
    out.push_back(std::move(one));
  } while (!single && cursor.accept(','));
  if (!single) {
    if (auto ended = cursor.expect(';'); !ended) return tl::unexpected(ended.error());
  }
  return out;
}

}  // namespace seam::sim
