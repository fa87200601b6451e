#include "text/operands.h"

#include <bit>
#include <charconv>
#include <string>

namespace seam::sim {
namespace {

/// Nesting of {…}, (…) and […]: PTX uses two; a damaged text must not use up the stack.
constexpr int kDeepest = 8;

std::optional<std::uint64_t> digits(std::string_view text, int base) {
  std::uint64_t value = 0;
  if (text.empty()) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> integer(std::string_view text) {
  if (text.ends_with('U')) text.remove_suffix(1);
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    return digits(text.substr(2), 16);
  }
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'b' || text[1] == 'B')) {
    return digits(text.substr(2), 2);
  }
  if (text.size() > 1 && text[0] == '0') return digits(text.substr(1), 8);
  return digits(text, 10);
}

std::optional<Operand> number(std::string_view text) {
  Operand out;
  if (text.size() == 10 && text[0] == '0' && (text[1] == 'f' || text[1] == 'F')) {
    const auto bits = digits(text.substr(2), 16);
    if (!bits) return std::nullopt;
    out.kind = Operand::Kind::F32;
    out.bits = *bits;
    return out;
  }
  if (text.size() == 18 && text[0] == '0' && (text[1] == 'd' || text[1] == 'D')) {
    const auto bits = digits(text.substr(2), 16);
    if (!bits) return std::nullopt;
    out.kind = Operand::Kind::F64;
    out.bits = *bits;
    return out;
  }
  if (const auto value = integer(text)) {
    out.kind = Operand::Kind::Integer;
    out.bits = *value;
    return out;
  }
  if (text.find('.') == std::string_view::npos) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  out.kind = Operand::Kind::F64;
  out.bits = std::bit_cast<std::uint64_t>(value);
  return out;
}

Result<Operand> operand(Cursor& cursor, int depth);

Result<std::vector<Operand>> list(Cursor& cursor, char close, int depth) {
  std::vector<Operand> out;
  if (cursor.peek().is(close)) return out;
  do {
    auto one = operand(cursor, depth);
    if (!one) return tl::unexpected(one.error());
    out.push_back(*std::move(one));
  } while (cursor.accept(','));
  return out;
}

Result<Operand> group(Cursor& cursor, Operand::Kind kind, char close, int depth) {
  if (depth > kDeepest) return cursor.wrong("fewer nested brackets");
  cursor.next();
  Operand out;
  out.kind = kind;
  SEAM_TRY(out.elements, list(cursor, close, depth + 1));
  if (auto closed = cursor.expect(close); !closed) return tl::unexpected(closed.error());
  return out;
}

/// name, name+8, name|name
Result<Operand> named(Cursor& cursor) {
  Operand out;
  out.name = cursor.next().text;
  if (cursor.accept('|')) {
    SEAM_TRY(out.second, cursor.word("a register after '|'"));
  } else if (cursor.peek().is('+') || cursor.peek().is('-')) {
    const bool minus = cursor.next().is('-');
    SEAM_TRY(out.offset, parse_integer(cursor, "an offset"));
    if (minus) out.offset = static_cast<std::int64_t>(-static_cast<std::uint64_t>(out.offset));
  }
  return out;
}

Result<Operand> operand(Cursor& cursor, int depth) {
  const Token& token = cursor.peek();
  if (token.is('{')) return group(cursor, Operand::Kind::Vector, '}', depth);
  if (token.is('(')) return group(cursor, Operand::Kind::List, ')', depth);
  if (token.is('[')) return group(cursor, Operand::Kind::Address, ']', depth);
  if (token.is('!')) {
    cursor.next();
    if (cursor.peek().kind != Token::Kind::Word) return cursor.wrong("a predicate after '!'");
    SEAM_TRY(Operand out, named(cursor));
    out.negated = true;
    return out;
  }
  if (token.kind == Token::Kind::Word) return named(cursor);
  return parse_number(cursor);
}

}  // namespace

Result<Operand> parse_number(Cursor& cursor) {
  bool negative = false;
  while (cursor.peek().is('-') || cursor.peek().is('+')) negative ^= cursor.next().is('-');
  if (cursor.peek().kind != Token::Kind::Number) return cursor.wrong("an operand");
  auto out = number(cursor.peek().text);
  if (!out) return cursor.wrong("a number");
  cursor.next();
  if (negative && out->kind == Operand::Kind::Integer) out->bits = 0 - out->bits;
  if (negative && out->kind == Operand::Kind::F32) out->bits ^= std::uint64_t{1} << 31;
  if (negative && out->kind == Operand::Kind::F64) out->bits ^= std::uint64_t{1} << 63;
  return *out;
}

Result<std::int64_t> parse_integer(Cursor& cursor, std::string_view what) {
  const Token token = cursor.peek();
  SEAM_TRY(const Operand value, parse_number(cursor));
  if (value.kind != Operand::Kind::Integer) {
    return fail(Error::Code::BadInput, fmt::format("{} must be an integer", what),
                cursor.position(token));
  }
  return static_cast<std::int64_t>(value.bits);
}

Result<Operand> parse_operand(Cursor& cursor) { return operand(cursor, 0); }

Result<std::vector<Operand>> parse_operands(Cursor& cursor, char close) {
  return list(cursor, close, 0);
}

}  // namespace seam::sim
