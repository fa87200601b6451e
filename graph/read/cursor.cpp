#include "read/cursor.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace seam::graph {
namespace {

constexpr bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '.' ||
         c == '-';
}
constexpr char closing(char open) {
  switch (open) {
    case '{': return '}';
    case '(': return ')';
    case '[': return ']';
    default: return '\0';
  }
}

}  // namespace

Source::Source(std::string_view text, std::string_view file) : text_(text), file_(file) {
  line_starts_.push_back(0);
  for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1)) {
    line_starts_.push_back(at + 1);
  }
}

Position Source::position(std::size_t offset) const {
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const auto line = static_cast<std::size_t>(after - line_starts_.begin());
  return {file_, static_cast<int>(line), static_cast<int>(offset - line_starts_[line - 1] + 1)};
}

Cursor Cursor::within(std::string_view piece) const {
  Cursor inner = *this;
  inner.at_ = static_cast<std::size_t>(piece.data() - source_->text().data());
  inner.end_ = inner.at_ + piece.size();
  return inner;
}

char Cursor::peek() {
  const std::string_view text = source_->text();
  while (at_ < end_) {
    const char c = text[at_];
    if (is_space(c)) {
      ++at_;
    } else if (c == '/' && at_ + 1 < end_ && text[at_ + 1] == '*') {
      const std::size_t close = text.find("*/", at_ + 2);
      at_ = close == std::string_view::npos || close + 2 > end_ ? end_ : close + 2;
    } else if (c == '/' && at_ + 1 < end_ && text[at_ + 1] == '/') {
      const std::size_t newline = text.find('\n', at_);
      at_ = newline == std::string_view::npos || newline > end_ ? end_ : newline;
    } else {
      return c;
    }
  }
  return '\0';
}

bool Cursor::accept(char c) {
  if (peek() != c || at_ >= end_) return false;
  ++at_;
  return true;
}

bool Cursor::accept(std::string_view exact) {
  peek();
  if (source_->text().substr(at_, std::min(exact.size(), end_ - at_)) != exact) return false;
  at_ += exact.size();
  return true;
}

bool Cursor::accept_word(std::string_view exact) {
  if (peek_word() != exact) return false;
  at_ += exact.size();
  return true;
}

Result<void> Cursor::expect(char c, std::string_view where) {
  if (accept(c)) return {};
  return error(fmt::format("expected '{}' {}, found {}", c, where, found()));
}

std::string_view Cursor::peek_word() {
  peek();
  const std::string_view text = source_->text();
  std::size_t to = at_;
  while (to < end_ && is_word(text[to])) {
    if (text[to] == '-' && to + 1 < end_ && text[to + 1] == '>') break;
    ++to;
  }
  return text.substr(at_, to - at_);
}

std::string_view Cursor::word() {
  const std::string_view result = peek_word();
  at_ += result.size();
  return result;
}

Result<std::string_view> Cursor::name(std::string_view what) {
  const bool percent = accept('%');
  const std::string_view result = percent && !is_word(here()) ? std::string_view{} : word();
  if (result.empty()) return error(fmt::format("expected {}, found {}", what, found()));
  return result;
}

Result<std::int64_t> Cursor::integer(std::string_view what) {
  peek();
  return bare_integer(what);
}

Result<std::int64_t> Cursor::bare_integer(std::string_view what) {
  const char* const base = source_->text().data();
  std::int64_t value = 0;
  const auto [rest, code] = std::from_chars(base + at_, base + end_, value);
  if (code == std::errc::result_out_of_range) {
    return error(fmt::format("{} does not fit into 64 bits", what));
  }
  if (code != std::errc{}) return error(fmt::format("expected {}, found {}", what, found()));
  at_ = static_cast<std::size_t>(rest - base);
  return value;
}

Result<void> Cursor::skip_string() {
  const std::size_t start = at_;
  const std::string_view text = source_->text();
  const char quote = text[at_++];
  while (at_ < end_ && text[at_] != quote) at_ += text[at_] == '\\' ? 2U : 1U;
  if (at_ >= end_) {
    at_ = end_;
    return error_at(start, "this string is never closed");
  }
  ++at_;
  return {};
}

Result<std::string> Cursor::quoted(std::string_view what) {
  const char quote = peek();
  if (quote != '"' && quote != '\'') {
    return error(fmt::format("expected {} in quotes, found {}", what, found()));
  }
  const std::size_t start = at_;
  if (auto skipped = skip_string(); !skipped) return tl::unexpected(std::move(skipped).error());
  const std::string_view raw = source_->text().substr(start + 1, at_ - start - 2);
  std::string out;
  out.reserve(raw.size());
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '\\' || i + 1 == raw.size()) {
      out += raw[i];
      continue;
    }
    const char c = raw[++i];
    switch (c) {
      case 'n': out += '\n'; break;
      case 't': out += '\t'; break;
      case 'r': out += '\r'; break;
      case 'a': out += '\a'; break;
      case 'b': out += '\b'; break;
      case 'f': out += '\f'; break;
      case 'v': out += '\v'; break;
      case 'x':
      case 'X': {
        unsigned code = 0;
        const char* const first = raw.data() + i + 1;
        const char* const last = raw.data() + std::min(raw.size(), i + 3);
        const auto [rest, failed] = std::from_chars(first, last, code, 16);
        if (failed == std::errc{}) {
          out += static_cast<char>(code);
          i += static_cast<std::size_t>(rest - first);
        } else {
          out += c;
        }
        break;
      }
      default: {
        if (c < '0' || c > '7') {
          out += c;
          break;
        }
        unsigned code = 0;
        std::size_t digits = 0;
        while (digits < 3 && i + digits < raw.size() && raw[i + digits] >= '0' &&
               raw[i + digits] <= '7') {
          code = code * 8 + static_cast<unsigned>(raw[i + digits] - '0');
          ++digits;
        }
        out += static_cast<char>(code & 0xffU);
        i += digits - 1;
      }
    }
  }
  return out;
}

Result<std::string_view> Cursor::group() {
  if (closing(peek()) == '\0') {
    return error(fmt::format("expected a bracket, found {}", found()));
  }
  const std::string_view text = source_->text();
  const std::size_t start = at_;
  std::vector<char> expected;
  while (at_ < end_) {
    const char c = text[at_];
    if (c == '"') {
      if (auto skipped = skip_string(); !skipped) return tl::unexpected(std::move(skipped).error());
      continue;
    }
    if (c == '/' && at_ + 1 < end_ && text[at_ + 1] == '*') {
      peek();
      continue;
    }
    if (closing(c) != '\0') {
      expected.push_back(closing(c));
    } else if (c == '}' || c == ')' || c == ']') {
      if (expected.back() != c) {
        return error(fmt::format("expected '{}' to close the bracket opened at {}:{}, found '{}'",
                                 expected.back(), position(start).line, position(start).column, c));
      }
      expected.pop_back();
      if (expected.empty()) {
        ++at_;
        return text_from(start);
      }
    }
    ++at_;
  }
  at_ = end_;
  return error_at(start, "this bracket is never closed");
}

Result<std::string_view> Cursor::value() {
  peek();
  const std::size_t start = at_;
  // XLA writes a device list over a named mesh in two groups with a space between: mesh['x'=2] {'x'}.
  const bool is_mesh = peek_word() == "mesh";
  while (at_ < end_) {
    const char c = here();
    if (closing(c) != '\0') {
      SEAM_TRY([[maybe_unused]] const std::string_view skipped, group());
    } else if (c == '"' || c == '\'') {
      if (auto skipped = skip_string(); !skipped) return tl::unexpected(std::move(skipped).error());
    } else if (is_mesh && c == ' ' && at_ + 1 < end_ && source_->text()[at_ + 1] == '{') {
      ++at_;
    } else if (is_space(c) || c == ',' || c == '}' || c == ')' || c == ']') {
      break;
    } else {
      ++at_;
    }
  }
  if (at_ == start) return error(fmt::format("expected a value, found {}", found()));
  return text_from(start);
}

std::string_view Cursor::line() {
  const std::string_view text = source_->text();
  const std::size_t start = at_;
  const std::size_t stop = std::min(text.find('\n', at_), end_);
  at_ = std::min(stop + 1, end_);
  return text.substr(start, stop - start);
}

tl::unexpected<Error> Cursor::error(std::string message) const {
  return error_at(at_, std::move(message));
}

tl::unexpected<Error> Cursor::error_at(std::size_t offset, std::string message) const {
  return fail(Error::Code::BadInput, std::move(message), source_->position(offset));
}

std::string Cursor::found() {
  const std::string_view next = peek_word();
  if (!next.empty()) return fmt::format("'{}'", next.substr(0, 40));
  return at_ >= end_ ? std::string("the end") : fmt::format("'{}'", here());
}

std::string escaped(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      case '"': out += "\\\""; break;
      case '\'': out += "\\'"; break;
      case '\\': out += "\\\\"; break;
      default: {
        const auto code = static_cast<unsigned char>(c);
        if (code < 0x20 || code >= 0x7f) {
          out += fmt::format("\\{:03o}", code);
        } else {
          out += c;
        }
      }
    }
  }
  return out + '"';
}

}  // namespace seam::graph
