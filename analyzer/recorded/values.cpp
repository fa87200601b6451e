#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "recorded/calls.h"

namespace seam::analyzer::recorded {
namespace {

using graph::torch::Argument;

class ValueReader {
 public:
  explicit ValueReader(std::string_view text) : text_(text) {}

  Argument whole() {
    Argument out = item(0);
    skip();
    if (at_ == text_.size()) return out;
    out = Argument{};
    out.kind = Argument::Kind::Text;
    out.text = text_;
    return out;
  }

 private:
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == ',')) ++at_;
  }

  Argument item(int depth) {
    skip();
    Argument out;
    if (at_ < text_.size() && (text_[at_] == '[' || text_[at_] == '(') && depth < 16) {
      const char close = text_[at_] == '[' ? ']' : ')';
      ++at_;
      out.kind = Argument::Kind::List;
      for (skip(); at_ < text_.size() && text_[at_] != close; skip()) out.items.push_back(item(depth + 1));
      if (at_ < text_.size()) ++at_;
      return out;
    }
    const std::size_t end = std::min(text_.find_first_of(",]) ", at_), text_.size());
    const std::string_view word = text_.substr(at_, end - at_);
    at_ = end;
    return scalar(word);
  }

  static Argument scalar(std::string_view word) {
    Argument out;
    if (word.empty() || word == "<None>" || word == "None") return out;
    if (word == "true" || word == "True" || word == "false" || word == "False") {
      out.kind = Argument::Kind::Bool;
      out.integer = word[0] == 't' || word[0] == 'T' ? 1 : 0;
      return out;
    }
    const auto [int_end, int_error] = std::from_chars(word.data(), word.data() + word.size(), out.integer);
    if (int_error == std::errc{} && int_end == word.data() + word.size()) {
      out.kind = Argument::Kind::Int;
      return out;
    }
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), out.number);
    out.integer = 0;
    if (error == std::errc{} && end == word.data() + word.size()) {
      out.kind = Argument::Kind::Float;
      return out;
    }
    out.kind = Argument::Kind::Text;
    out.text = word;
    return out;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

struct Keyword {
  std::string_view name;
  std::size_t place;
  std::string_view keyword;
};
/// Keyword-only arguments that change what an operator computes (native_functions.yaml), for traces that have no schemas.
constexpr std::array kUsual = {
    Keyword{"add", 2, "alpha"}, Keyword{"add_", 2, "alpha"}, Keyword{"sub", 2, "alpha"}, Keyword{"sub_", 2, "alpha"}, Keyword{"rsub", 2, "alpha"},
    Keyword{"addmm", 3, "beta"}, Keyword{"addmm", 4, "alpha"}, Keyword{"addmm_", 3, "beta"}, Keyword{"addmm_", 4, "alpha"}, Keyword{"baddbmm", 3, "beta"},
    Keyword{"baddbmm", 4, "alpha"}, Keyword{"addmv", 3, "beta"}, Keyword{"addmv", 4, "alpha"}, Keyword{"addcmul", 3, "value"}, Keyword{"addcmul_", 3, "value"},
    Keyword{"addcdiv", 3, "value"}, Keyword{"addcdiv_", 3, "value"}, Keyword{"gelu", 1, "approximate"}, Keyword{"gelu_backward", 2, "approximate"},
    Keyword{"empty", 1, "dtype"}, Keyword{"zeros", 1, "dtype"}, Keyword{"ones", 1, "dtype"}, Keyword{"full", 2, "dtype"}, Keyword{"empty_strided", 2, "dtype"},
    Keyword{"empty_like", 1, "dtype"}, Keyword{"zeros_like", 1, "dtype"}, Keyword{"ones_like", 1, "dtype"}, Keyword{"_to_copy", 1, "dtype"}, Keyword{"new_zeros", 2, "dtype"},
    Keyword{"new_empty", 2, "dtype"}, Keyword{"new_empty_strided", 3, "dtype"}, Keyword{"scalar_tensor", 1, "dtype"}, Keyword{"rand", 1, "dtype"}, Keyword{"randn", 1, "dtype"},
    Keyword{"_foreach_add", 2, "alpha"}, Keyword{"_foreach_add_", 2, "alpha"}, Keyword{"_foreach_sub_", 2, "alpha"},
};

}  // namespace

Argument value_of(std::string_view text) { return ValueReader(text).whole(); }

std::vector<std::pair<std::size_t, std::string>> keyword_places(const std::string& name, const std::string& schema) {
  std::vector<std::pair<std::size_t, std::string>> out;
  const std::size_t open = schema.find('(');
  if (open == std::string::npos) {
    const std::string_view bare = std::string_view(name).substr(name.rfind(':') == std::string::npos ? 0 : name.rfind(':') + 1);
    for (const Keyword& one : kUsual)
      if (one.name == bare) out.emplace_back(one.place, one.keyword);
    return out;
  }
  std::size_t place = 0, start = open + 1;
  int depth = 0;
  bool keywords = false;
  for (std::size_t at = open + 1; at < schema.size(); ++at) {
    const char c = schema[at];
    if (c == '(' || c == '[') ++depth;
    if ((c == ',' || c == ')') && depth == 0) {
      std::string_view argument = std::string_view(schema).substr(start, at - start);
      while (argument.starts_with(' ')) argument.remove_prefix(1);
      if (argument == "*") {
        keywords = true;
      } else if (!argument.empty()) {
        argument = argument.substr(0, argument.find('='));
        if (keywords) out.emplace_back(place, argument.substr(argument.rfind(' ') == std::string_view::npos ? 0 : argument.rfind(' ') + 1));
        ++place;
      }
      start = at + 1;
      if (c == ')') break;
      continue;
    }
    if (c == ')' || c == ']') --depth;
  }
  return out;
}

}  // namespace seam::analyzer::recorded
