#include "batch/cuda_tokens.h"

#include <algorithm>
#include <cctype>

namespace seam::codegen {
namespace {

bool name_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$'; }
bool digit(char c) { return c >= '0' && c <= '9'; }

/// Where the token that starts at `at` ends.
std::size_t end_of(std::string_view text, std::size_t at) {
  const char first = text[at];
  std::size_t end = at + 1;
  if (digit(first) || (first == '.' && end < text.size() && digit(text[end]))) {
    const auto sign_of_exponent = [&](std::size_t i) { return (text[i] == '+' || text[i] == '-') && std::string_view("eEpP").find(text[i - 1]) != std::string_view::npos; };
    while (end < text.size() && (name_part(text[end]) || text[end] == '.' || sign_of_exponent(end))) ++end;
  } else if (name_part(first)) {
    while (end < text.size() && name_part(text[end])) ++end;
  } else if (first == '"' || first == '\'') {
    while (end < text.size() && text[end] != first && text[end] != '\n') end += text[end] == '\\' ? 2U : 1U;
    end = std::min(end + 1, text.size());
  }
  return end;
}

}  // namespace

std::vector<CudaToken> cuda_tokens(std::string_view text) {
  std::vector<CudaToken> out;
  std::size_t line_begin = 0;
  int line = 1;
  bool starts_line = true;
  bool after_blank = false;
  const auto new_line = [&](std::size_t at) {
    ++line;
    line_begin = at + 1;
    starts_line = true;
    after_blank = false;
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    if (rest.front() == '\n') {
      new_line(at++);
    } else if (rest.front() == ' ' || rest.front() == '\t' || rest.front() == '\r') {
      after_blank = true;
      ++at;
    } else if (rest.starts_with("//")) {
      at = std::min(text.find('\n', at), text.size());
    } else if (rest.starts_with("/*")) {
      const std::size_t close = text.find("*/", at + 2);
      const std::size_t end = close == std::string_view::npos ? text.size() : close + 2;
      for (; at < end; ++at) {
        if (text[at] == '\n') new_line(at);
      }
      after_blank = true;
    } else {
      const std::size_t end = end_of(text, at);
      const Place place{line, static_cast<int>(at - line_begin) + 1};
      out.push_back({text.substr(at, end - at), place, name_part(rest.front()) && !digit(rest.front()), starts_line, after_blank});
      starts_line = after_blank = false;
      at = end;
    }
  }
  return out;
}

}  // namespace seam::codegen
