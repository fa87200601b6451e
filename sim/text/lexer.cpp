#include "text/lexer.h"

#include <fmt/format.h>

#include <string>

namespace seam::sim {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool starts_word(char c) { return is_letter(c) || c == '_' || c == '$' || c == '%' || c == '.'; }
bool continues_word(char c) { return starts_word(c) || is_digit(c); }

class Lexer {
 public:
  Lexer(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  Result<std::vector<Token>> run() {
    std::vector<Token> out;
    out.reserve(text_.size() / 4);
    while (true) {
      if (auto blank = skip_blank(); !blank) return tl::unexpected(blank.error());
      if (at_ == text_.size()) break;
      auto token = next();
      if (!token) return tl::unexpected(token.error());
      out.push_back(*token);
    }
    out.push_back(token_from(at_, Token::Kind::End));
    return out;
  }

 private:
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  Token token_from(std::size_t start, Token::Kind kind) const {
    return Token{kind, text_.substr(start, at_ - start), line_,
                 static_cast<int>(start - line_start_) + 1};
  }

  tl::unexpected<Error> damaged(std::string message) const {
    return fail(Error::Code::BadInput, std::move(message),
                Position{std::string(file_), line_, static_cast<int>(at_ - line_start_) + 1});
  }

  void new_line() {
    ++line_;
    line_start_ = at_;
  }

  Result<void> skip_blank() {
    while (at_ < text_.size()) {
      const char c = peek();
      if (c == '\n') {
        ++at_;
        new_line();
      } else if (c == ' ' || c == '\t' || c == '\r' || (c == '\0' && at_ + 1 == text_.size())) {
        ++at_;  // NVRTC ends its text with one zero byte
      } else if (c == '/' && peek(1) == '/') {
        while (at_ < text_.size() && peek() != '\n') ++at_;
      } else if (c == '/' && peek(1) == '*') {
        const std::size_t end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos) return damaged("a comment that never ends");
        while (at_ < end + 2) {
          if (text_[at_++] == '\n') new_line();
        }
      } else {
        break;
      }
    }
    return {};
  }

  Result<Token> next() {
    const std::size_t start = at_;
    const char c = peek();
    if (is_digit(c)) {
      ++at_;
      while (is_digit(peek()) || is_letter(peek()) || peek() == '.' || exponent_sign(start)) ++at_;
      return token_from(start, Token::Kind::Number);
    }
    if (starts_word(c)) {
      ++at_;
      // ".reg.b32" is two directives, "ld.global.b32" is one opcode.
      const bool directive = c == '.';
      while ((continues_word(peek()) && !(directive && peek() == '.')) || qualifier()) {
        at_ += qualifier() ? 2U : 1U;
      }
      return token_from(start, Token::Kind::Word);
    }
    if (c == '"') {
      ++at_;
      while (peek() != '"') {
        if (at_ >= text_.size() || peek() == '\n') return damaged("a string that never ends");
        at_ += peek() == '\\' && at_ + 1 < text_.size() && peek(1) != '\n' ? 2U : 1U;
      }
      ++at_;
      return token_from(start, Token::Kind::String);
    }
    static constexpr std::string_view kMarks = "{}[]()<>,;:+-!|=@*~&/?^";
    if (kMarks.find(c) == std::string_view::npos || c == '\0') {
      return damaged(fmt::format("a byte that PTX does not use here: 0x{:02x}",
                                 static_cast<unsigned>(static_cast<unsigned char>(c))));
    }
    ++at_;
    return token_from(start, Token::Kind::Mark);
  }

  /// "shared::cta": two colons inside a word. A label has one.
  [[nodiscard]] bool qualifier() const {
    return peek() == ':' && peek(1) == ':' && (is_letter(peek(2)) || is_digit(peek(2)));
  }

  /// The sign in 1.5e-3; hexadecimal digits are no exponent.
  [[nodiscard]] bool exponent_sign(std::size_t start) const {
    const char before = text_[at_ - 1];
    const bool hex = at_ - start > 1 && text_[start] == '0' && is_letter(text_[start + 1]);
    return !hex && (peek() == '+' || peek() == '-') && (before == 'e' || before == 'E');
  }

  std::string_view text_;
  std::string_view file_;
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  int line_ = 1;
};

}  // namespace

Result<std::vector<Token>> tokens(std::string_view text, std::string_view file) {
  return Lexer(text, file).run();
}

}  // namespace seam::sim
