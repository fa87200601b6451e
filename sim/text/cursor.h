#pragma once
/// A position in a token list with the few questions a PTX parser asks. Private to text/.
#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "text/lexer.h"

namespace seam::sim {

class Cursor {
 public:
  Cursor(std::span<const Token> tokens, std::string_view file) : tokens_(tokens), file_(file) {}

  [[nodiscard]] const Token& peek(std::size_t ahead = 0) const {
    const std::size_t at = at_ + ahead;
    return tokens_[at < tokens_.size() ? at : tokens_.size() - 1];
  }
  [[nodiscard]] bool at_end() const { return peek().kind == Token::Kind::End; }

  const Token& next() {
    const Token& token = peek();
    if (!at_end()) ++at_;
    return token;
  }

  bool accept(char mark) {
    if (!peek().is(mark)) return false;
    next();
    return true;
  }
  bool accept(std::string_view word) {
    if (!peek().is(word)) return false;
    next();
    return true;
  }

  Result<void> expect(char mark) {
    if (accept(mark)) return {};
    return wrong(fmt::format("'{}'", mark));
  }

  Result<std::string_view> word(std::string_view what) {
    if (peek().kind != Token::Kind::Word) return wrong(what);
    return next().text;
  }

  /// "expected X, found Y" at the current token.
  [[nodiscard]] tl::unexpected<Error> wrong(std::string_view expected) const {
    const Token& token = peek();
    return fail(Error::Code::BadInput,
                at_end() ? fmt::format("expected {}, but the text ends", expected)
                         : fmt::format("expected {}, found '{}'", expected, token.text),
                position(token));
  }
  [[nodiscard]] tl::unexpected<Error> refuse(std::string message, const Token& at) const {
    return fail(Error::Code::Unsupported, std::move(message), position(at));
  }
  [[nodiscard]] Position position(const Token& token) const {
    return Position{std::string(file_), token.line, token.column};
  }

 private:
  std::span<const Token> tokens_;
  std::string_view file_;
  std::size_t at_ = 0;
};

}  // namespace seam::sim
