#pragma once
/// Words of the .plan text: bare where they can be, quoted where they must.
#include <array>
#include <string>
#include <string_view>

#include "planner/plan.h"

namespace seam::planner::text {

[[nodiscard]] inline bool bare(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-' ||
         c == '<' || c == '>' || c == ':' || c == '$' || c == '/' || c == '+';
}

[[nodiscard]] inline std::string quoted(std::string_view word) {
  bool plain = !word.empty();
  for (const char c : word) plain = plain && bare(c);
  if (plain) return std::string(word);
  std::string out = "\"";
  for (const char c : word) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out + "\"";
}

inline constexpr std::array<std::string_view, 5> kKinds = {"kernel", "library", "copy", "while", "conditional"};
[[nodiscard]] inline std::string_view kind_name(StepKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

}  // namespace seam::planner::text
