#pragma once
/// Lines and words of the .plan text, with places for messages.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace seam::planner::text {

struct Word {
  std::string text;
  int line = 0, column = 0;
  bool quoted = false;
};

class Lexer {
 public:
  Lexer(std::string_view source, std::string_view file) : source_(source), file_(file) {}

  /// The next non-empty line as words; empty at the end. `#` starts a comment.
  [[nodiscard]] Result<std::vector<Word>> line();
  [[nodiscard]] tl::unexpected<Error> error(const Word& at, std::string message) const;
  [[nodiscard]] tl::unexpected<Error> error_at_end(std::string message) const;

 private:
  std::string_view source_;
  std::string file_;
  std::size_t at_ = 0;
  int line_ = 0;
};

/// key=value words after the fixed ones of a line.
class Fields {
 public:
  Fields(const Lexer& lexer, const std::vector<Word>& words, std::size_t first) : lexer_(lexer), words_(words), first_(first) {}
  [[nodiscard]] Result<std::int64_t> integer(std::string_view key) const;
  [[nodiscard]] Result<double> number(std::string_view key) const;

 private:
  const Lexer& lexer_;
  const std::vector<Word>& words_;
  std::size_t first_;
};

[[nodiscard]] std::optional<std::int64_t> to_integer(std::string_view text);
[[nodiscard]] std::optional<double> to_number(std::string_view text);

}  // namespace seam::planner::text
