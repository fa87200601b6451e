#pragma once
/// As much of Python's syntax as printed graphs have: one call, subscript or operator per statement. Nothing is evaluated.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "read/cursor.h"
#include "graph/torch_program.h"

namespace seam::graph::torch {

struct Token {
  enum class Kind : std::uint8_t { Name, Number, String, Punctuation, Comment, NewLine, End };
  Kind kind = Kind::End;
  std::string_view text;  ///< strings without their quotes, comments without '#'
  std::size_t offset = 0;
};
/// Line breaks and comments inside brackets are left out; NewLine stands at the end of every statement, also for ';'.
[[nodiscard]] Result<std::vector<Token>> tokens(const Source& source);

/// What stands right of '='.
struct Expression {
  enum class Kind : std::uint8_t { Argument, Attribute, Call, Method, Subscript, Operator };
  Kind kind = Kind::Argument;
  std::string name;                  ///< Attribute: "self.fc.weight"; Call: "torch.ops.aten.add.Tensor"; Method: "view"; Operator: "+", "neg", …
  std::vector<Argument> arguments;   ///< Argument: itself; Method and Subscript: the object first
  std::vector<std::pair<std::string, Argument>> keywords;
};

class TokenReader {
 public:
  TokenReader(const Source& source, const std::vector<Token>& tokens) : source_(source), tokens_(tokens) {}
  [[nodiscard]] const Token& peek(std::size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  const Token& next() { return at_ + 1 < tokens_.size() ? tokens_[at_++] : tokens_.back(); }
  bool accept(std::string_view punctuation);
  [[nodiscard]] bool at(std::string_view punctuation) const { return peek().kind == Token::Kind::Punctuation && peek().text == punctuation; }
  void skip_statement();
  Result<Expression> expression();
  Result<Argument> argument(int depth = 0);
  [[nodiscard]] tl::unexpected<Error> error(std::string message) const;
  [[nodiscard]] Position position() const { return source_.position(peek().offset); }

 private:
  Result<void> arguments(std::string_view close, std::vector<Argument>& positional, std::vector<std::pair<std::string, Argument>>& keywords, int depth);
  Result<Argument> word_argument(int depth);
  Result<Expression> operand();
  std::string dotted_name();

  const Source& source_;
  const std::vector<Token>& tokens_;
  std::size_t at_ = 0;
};

}  // namespace seam::graph::torch
