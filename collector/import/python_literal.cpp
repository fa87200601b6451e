#include "import/python_literal.h"

#include <charconv>
#include <string>

namespace seam::collector {
namespace {

using Json = nlohmann::json;

constexpr int kDeepest = 64;

class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  std::optional<Json> whole() {
    std::optional<Json> value = this->value(0);
    skip_blanks();
    return rest_.empty() ? value : std::nullopt;
  }

 private:
  void skip_blanks() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n' || rest_.front() == '\t')) rest_.remove_prefix(1);
  }
  std::optional<Json> value(int depth) {
    skip_blanks();
    if (rest_.empty() || depth > kDeepest) return std::nullopt;
    switch (rest_.front()) {
      case '[': return list(']', depth);
      case '(': return list(')', depth);
      case '\'':
      case '"': return string();
      default: return word();
    }
  }
  std::optional<Json> list(char end, int depth) {
    rest_.remove_prefix(1);
    Json out = Json::array();
    for (;;) {
      skip_blanks();
      if (rest_.starts_with(end)) break;
      std::optional<Json> item = value(depth + 1);
      if (!item) return std::nullopt;
      out.push_back(*std::move(item));
      skip_blanks();
      if (rest_.starts_with(',')) {
        rest_.remove_prefix(1);
      } else if (!rest_.starts_with(end)) {
        return std::nullopt;
      }
    }
    rest_.remove_prefix(1);
    return out;
  }
  std::optional<Json> string() {
    const char quote = rest_.front();
    rest_.remove_prefix(1);
    std::string out;
    while (!rest_.empty()) {
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == quote) return Json(std::move(out));
      if (c != '\\' || rest_.empty()) {
        out += c;
        continue;
      }
      const char escaped = rest_.front();
      rest_.remove_prefix(1);
      switch (escaped) {
        case 'n': out += '\n'; break;
        case 't': out += '\t'; break;
        case 'r': out += '\r'; break;
        case '\\':
        case '\'':
        case '"': out += escaped; break;
        default: (out += '\\') += escaped;  // kept as it stands
      }
    }
    return std::nullopt;
  }
  std::optional<Json> word() {
    const std::size_t end = std::min(rest_.find_first_of(",])( "), rest_.size());
    const std::string_view word = rest_.substr(0, end);
    rest_.remove_prefix(end);
    if (word == "None") return Json();
    if (word == "True" || word == "False") return Json(word == "True");
    if (word == "inf" || word == "-inf" || word == "nan") return Json(word);
    std::int64_t whole = 0;
    if (const auto [at, error] = std::from_chars(word.data(), word.data() + word.size(), whole); error == std::errc() && at == word.data() + word.size()) return Json(whole);
    double real = 0;
    if (const auto [at, error] = std::from_chars(word.data(), word.data() + word.size(), real); error == std::errc() && at == word.data() + word.size()) return Json(real);
    return std::nullopt;
  }

  std::string_view rest_;
};

}  // namespace

std::optional<Json> python_literal(std::string_view text) { return Parser(text).whole(); }

}  // namespace seam::collector
