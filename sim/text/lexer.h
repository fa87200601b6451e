#pragma once
/// PTX text → tokens. A word keeps its dots ("ld.global.nc.v4.f32", "%tid.x", ".reg"), because PTX itself
/// has no blanks inside them; everything else is a number, a string or one punctuation character.
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace seam::sim {

struct Token {
  enum class Kind : std::uint8_t { Word, Number, String, Mark, End };
  Kind kind = Kind::End;
  std::string_view text;
  int line = 1;
  int column = 1;

  [[nodiscard]] bool is(char mark) const { return kind == Kind::Mark && text[0] == mark; }
  [[nodiscard]] bool is(std::string_view word) const { return kind == Kind::Word && text == word; }
};

/// The last token is End. Views point into `text`.
[[nodiscard]] Result<std::vector<Token>> tokens(std::string_view text, std::string_view file);

}  // namespace seam::sim
