#include "text/lexer.h"

#include <fmt/core.h>

#include <charconv>

namespace seam::planner::text {

tl::unexpected<Error> Lexer::error(const Word& at, std::string message) const {
  return fail(Error::Code::BadInput, std::move(message), Position{file_, at.line, at.column});
}

tl::unexpected<Error> Lexer::error_at_end(std::string message) const {
  return fail(Error::Code::BadInput, std::move(message), Position{file_, line_ + 1, 1});
}

Result<std::vector<Word>> Lexer::line() {
  std::vector<Word> words;
  while (at_ < source_.size() && words.empty()) {
    ++line_;
    const std::size_t start = at_;
    while (at_ < source_.size() && source_[at_] != '\n') {
      const char c = source_[at_];
      if (c == ' ' || c == '\t' || c == '\r') {
        ++at_;
        continue;
      }
      if (c == '#') {
        while (at_ < source_.size() && source_[at_] != '\n') ++at_;
        break;
      }
      Word word{{}, line_, static_cast<int>(at_ - start) + 1, false};
      // A word may be bare, quoted, or key="value": quotes may open anywhere in it.
      while (at_ < source_.size() && source_[at_] != '\n' && source_[at_] != ' ' && source_[at_] != '\t' && source_[at_] != '\r') {
        if (source_[at_] != '"') {
          word.text += source_[at_++];
          continue;
        }
        word.quoted = true;
        ++at_;
        while (at_ < source_.size() && source_[at_] != '"' && source_[at_] != '\n') {
          if (source_[at_] == '\\' && at_ + 1 < source_.size()) {
            ++at_;
            word.text += source_[at_] == 'n' ? '\n' : source_[at_];
            ++at_;
          } else {
            word.text += source_[at_++];
          }
        }
        if (at_ >= source_.size() || source_[at_] != '"') return error(word, "a quote is not closed");
        ++at_;
      }
      words.push_back(std::move(word));
    }
    if (at_ < source_.size()) ++at_;
  }
  return words;
}

std::optional<std::int64_t> to_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> to_number(std::string_view text) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

namespace {
std::optional<std::pair<std::string_view, const Word*>> value_of(const std::vector<Word>& words, std::size_t first, std::string_view key) {
  for (std::size_t i = first; i < words.size(); ++i) {
    const std::string_view text = words[i].text;
    if (text.size() > key.size() && text.starts_with(key) && text[key.size()] == '=')
      return std::pair{text.substr(key.size() + 1), &words[i]};
  }
  return std::nullopt;
}
}  // namespace

Result<std::int64_t> Fields::integer(std::string_view key) const {
  const auto found = value_of(words_, first_, key);
  if (!found) return lexer_.error(words_.front(), fmt::format("{}= is missing", key));
  const std::optional<std::int64_t> value = to_integer(found->first);
  if (!value) return lexer_.error(*found->second, fmt::format("{} is not a whole number", found->first));
  return *value;
}

Result<double> Fields::number(std::string_view key) const {
  const auto found = value_of(words_, first_, key);
  if (!found) return lexer_.error(words_.front(), fmt::format("{}= is missing", key));
  const std::optional<double> value = to_number(found->first);
  if (!value) return lexer_.error(*found->second, fmt::format("{} is not a number", found->first));
  return *value;
}

}  // namespace seam::planner::text
