#pragma once
/// A place in a text that moves forward: the lexer of both text forms (HLO and .graph). HLO's tokens depend on where they
/// stand (`3x3`, `0_1`, `b01f_01io->b01f`, raw JSON), so readers ask for what the grammar allows next instead of getting
/// a fixed token stream. Everything is linear: no reader looks back, positions are found by binary search only for
/// ops and errors.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace seam::graph {

/// The text being read, with its line starts.
class Source {
 public:
  Source(std::string_view text, std::string_view file);
  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] Position position(std::size_t offset) const;

 private:
  std::string_view text_;
  std::string file_;
  std::vector<std::size_t> line_starts_;
};

class Cursor {
 public:
  explicit Cursor(const Source& source)
      : source_(&source), at_(0), end_(source.text().size()) {}
  /// A cursor over `piece`, which must be part of the same source.
  [[nodiscard]] Cursor within(std::string_view piece) const;

  /// Skips white space and comments, then looks at the next character; '\0' at the end.
  char peek();
  [[nodiscard]] bool at_end() { return peek() == '\0' && at_ >= end_; }
  /// The next character without skipping anything.
  [[nodiscard]] char here() const { return at_ < end_ ? source_->text()[at_] : '\0'; }
  [[nodiscard]] std::size_t offset() const { return at_; }
  void move_to(std::size_t offset) { at_ = offset; }
  [[nodiscard]] std::string_view text_from(std::size_t offset) const {
    return source_->text().substr(offset, at_ - offset);
  }

  bool accept(char c);
  bool accept(std::string_view exact);
  /// Whole word only: "ROOT" is not accepted in "ROOT.1".
  bool accept_word(std::string_view exact);
  Result<void> expect(char c, std::string_view where);

  /// [A-Za-z0-9_.-]*, empty if something else comes next. Stops before "->".
  std::string_view word();
  [[nodiscard]] std::string_view peek_word();
  /// An identifier with or without '%'.
  Result<std::string_view> name(std::string_view what);
  Result<std::int64_t> integer(std::string_view what);
  /// Digits only, no sign, no skipping: for patterns such as 3x3 or 0_1.
  Result<std::int64_t> bare_integer(std::string_view what);
  /// "…" or '…' with C escapes, unescaped.
  Result<std::string> quoted(std::string_view what);
  /// The raw text of one bracketed group, brackets included; strings and comments inside are respected.
  Result<std::string_view> group();
  /// The raw text of one attribute value: groups, strings and bare characters up to a comma or white space outside
  /// all of them.
  Result<std::string_view> value();
  /// Everything up to the end of this cursor's range.
  [[nodiscard]] std::string_view rest() const { return source_->text().substr(at_, end_ - at_); }
  /// The rest of the current line, without the line break; moves past it.
  std::string_view line();

  [[nodiscard]] tl::unexpected<Error> error(std::string message) const;
  [[nodiscard]] tl::unexpected<Error> error_at(std::size_t offset, std::string message) const;
  [[nodiscard]] Position position(std::size_t offset) const { return source_->position(offset); }
  /// What stands here, shortened, for messages.
  [[nodiscard]] std::string found();

 private:
  Result<void> skip_string();

  const Source* source_;
  std::size_t at_;
  std::size_t end_;
};

/// "…" with C escapes, as XLA prints them.
[[nodiscard]] std::string escaped(std::string_view text);

}  // namespace seam::graph
