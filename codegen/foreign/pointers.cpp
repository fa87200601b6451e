#include "foreign/pointers.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace seam::codegen {
namespace {

/// Text without comments.
std::string without_comments(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (text.substr(at, 2) == "//") {
      at = std::min(text.find('\n', at), text.size());
    } else if (text.substr(at, 2) == "/*") {
      const std::size_t end = text.find("*/", at + 2);
      at = end == std::string_view::npos ? text.size() : end + 2;
    } else {
      out += text[at++];
    }
  }
  return out;
}

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%' || c == '.'; }

/// Names in a piece of text: registers and parameters, in order.
std::vector<std::string> names(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_name(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_name(text[end])) ++end;
    out.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return out;
}

struct Statement {
  std::string opcode, text;  ///< text: the operands
};

/// Statements of a body; braces and predicates fall away, so that inline assembly reads like the rest.
std::vector<Statement> statements(std::string_view body) {
  std::vector<Statement> out;
  while (!body.empty()) {
    const std::size_t end = body.find(';');
    std::string_view one = body.substr(0, end);
    body = end == std::string_view::npos ? std::string_view{} : body.substr(end + 1);
    for (;;) {
      const std::size_t begin = one.find_first_not_of(" \t\r\n{}");
      if (begin == std::string_view::npos) {
        one = {};
        break;
      }
      one.remove_prefix(begin);
      const std::size_t space = one.find_first_of(" \t\r\n");
      const std::string_view word = one.substr(0, space);
      if (!word.starts_with('@') && !word.ends_with(':')) break;
      one = space == std::string_view::npos ? std::string_view{} : one.substr(space);
    }
    if (one.empty()) continue;
    const std::size_t space = std::min(one.find_first_of(" \t\r\n"), one.size());
    out.push_back({std::string(one.substr(0, space)), std::string(one.substr(space))});
  }
  return out;
}

/// What stands between the first pair of brackets.
std::string_view address(std::string_view operands) {
  const std::size_t open = operands.find('[');
  if (open == std::string_view::npos) return {};
  return operands.substr(open + 1, std::min(operands.find(']', open), operands.size()) - open - 1);
}

}  // namespace

Result<std::vector<bool>> written_pointers(std::string_view ptx, std::string_view kernel) {
  const auto missing = [&] { return fail(Error::Code::BadInput, fmt::format("the PTX has no entry {} with a body", kernel)); };
  // The entry, its parameter list, its body.
  std::size_t at = std::string_view::npos;
  for (std::size_t entry = ptx.find(".entry"); entry != std::string_view::npos; entry = ptx.find(".entry", entry + 6)) {
    const std::size_t begin = ptx.find_first_not_of(" \t\r\n", entry + 6);
    if (begin == std::string_view::npos || !ptx.substr(begin).starts_with(kernel)) continue;
    const std::size_t end = begin + kernel.size();
    if (end < ptx.size() && !is_name(ptx[end])) at = end;
  }
  if (at == std::string_view::npos) return missing();
  const std::size_t open = ptx.find('{', at);
  if (open == std::string_view::npos) return missing();
  std::size_t end = open, depth = 0;
  for (; end < ptx.size(); ++end) {
    if (ptx[end] == '{') ++depth;
    if (ptx[end] == '}' && --depth == 0) break;
  }
  const std::string header = without_comments(ptx.substr(at, open - at)), body = without_comments(ptx.substr(open, end - open));

  std::map<std::string, std::size_t> parameters;
  for (std::size_t p = header.find(".param"); p != std::string::npos; p = header.find(".param", p + 6)) {
    const std::vector<std::string> words = names(std::string_view(header).substr(p, header.find_first_of(",)[", p) - p));
    if (!words.empty()) parameters.emplace(words.back(), parameters.size());
  }

  std::vector<bool> written(parameters.size(), false);
  const std::vector<Statement> all = statements(body);
  std::map<std::string, std::set<std::size_t>> from;  // register → parameters it may be computed from
  for (bool changed = true; changed;) {
    changed = false;
    for (const Statement& s : all) {
      const bool load = s.opcode.starts_with("ld."), parameter = s.opcode.starts_with("ld.param");
      const bool store = s.opcode.starts_with("st.") || s.opcode.starts_with("red.") || s.opcode.starts_with("atom.");
      if (store || (load && !parameter) || s.opcode.starts_with(".")) continue;  // what memory holds is no address of ours
      const std::vector<std::string> words = names(s.text);
      if (words.size() < 2) continue;
      std::set<std::size_t>& target = from[words[0]];
      const std::size_t before = target.size();
      for (std::size_t w = 1; w < words.size(); ++w) {
        if (parameter) {
          if (const auto found = parameters.find(words[w]); found != parameters.end()) target.insert(found->second);
        } else if (const auto found = from.find(words[w]); found != from.end()) {
          target.insert(found->second.begin(), found->second.end());
        }
      }
      changed |= target.size() != before;
    }
  }
  for (const Statement& s : all) {
    if (!s.opcode.starts_with("st.") && !s.opcode.starts_with("red.") && !s.opcode.starts_with("atom.")) continue;
    for (const std::string& word : names(address(s.text))) {
      if (const auto found = from.find(word); found != from.end()) {
        for (const std::size_t p : found->second) written[p] = true;
      }
    }
  }
  return written;
}

}  // namespace seam::codegen
