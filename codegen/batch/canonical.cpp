#include "batch/canonical.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace seam::codegen {
namespace {

using namespace std::string_view_literals;
using Tokens = std::span<const CudaToken>;

/// Words that mean something to the compiler, and the one variable whose name the PTX shows. Functions are known by the bracket behind them,
/// members by the dot before them, what is reserved by its underscores.
constexpr auto kKept = std::to_array({
    "asm"sv, "auto"sv, "blockDim"sv, "blockIdx"sv, "bool"sv, "break"sv, "char"sv, "const"sv, "continue"sv, "do"sv, "double"sv,
    "else"sv, "extern"sv, "false"sv, "float"sv, "for"sv, "gridDim"sv, "if"sv, "int"sv, "long"sv, "return"sv, "shared_memory"sv,
    "short"sv, "signed"sv, "sizeof"sv, "static"sv, "struct"sv, "threadIdx"sv, "true"sv, "unsigned"sv, "void"sv, "volatile"sv,
    "while"sv,
});
static_assert(std::ranges::is_sorted(kKept));

/// Functions of a text, each up to the brace that closes it; what stands behind the last one is a piece too.
std::vector<Tokens> functions(Tokens tokens) {
  std::vector<Tokens> out;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].text == "{") ++depth;
    if (tokens[i].text == "}" && --depth == 0) {
      out.push_back(tokens.subspan(begin, i + 1 - begin));
      begin = i + 1;
    }
  }
  if (begin < tokens.size()) out.push_back(tokens.subspan(begin));
  return out;
}

/// New names of the variables of a kernel.
class Names {
 public:
  Names(Tokens kernel, std::string_view entry, const std::unordered_set<std::string_view>& helper_words) : entry_(entry) {
    for (std::size_t i = 0; i < kernel.size(); ++i) {
      const CudaToken& token = kernel[i];
      if (!token.word || token.text == entry) continue;
      const bool called = i + 1 < kernel.size() && kernel[i + 1].text == "(";
      const bool member = i > 0 && kernel[i - 1].text == ".";
      const bool known = std::ranges::binary_search(kKept, token.text) || helper_words.contains(token.text);
      if (called || member || known || token.text.starts_with("__")) kept_.insert(token.text);
    }
  }

  std::string_view operator()(const CudaToken& token) {
    if (!token.word || kept_.contains(token.text)) return token.text;
    if (token.text == entry_) return kCanonicalEntry;
    std::string& name = names_[token.text];
    while (name.empty() || kept_.contains(name)) name = "v" + std::to_string(next_++);
    return name;
  }

 private:
  std::string_view entry_;
  std::unordered_set<std::string_view> kept_;
  std::unordered_map<std::string_view, std::string> names_;
  int next_ = 0;
};

template <class Rename>
Piece piece(Tokens tokens, Rename&& name_of) {
  Piece out;
  out.lines = 1;
  out.places.reserve(tokens.size());
  int column = 1;
  for (const CudaToken& token : tokens) {
    if (!out.text.empty() && token.starts_line) {
      out.text += '\n';
      ++out.lines;
      column = 1;
    } else if (!out.text.empty() && token.after_blank) {
      out.text += ' ';
      ++column;
    }
    const std::string_view name = name_of(token);
    out.places.emplace_back(Place{out.lines, column}, token.at);
    out.text += name;
    column += static_cast<int>(name.size());
  }
  out.text += '\n';
  return out;
}

}  // namespace

std::optional<Canonical> canonical(std::string_view cuda, std::string_view entry) {
  const std::vector<CudaToken> tokens = cuda_tokens(cuda);
  std::vector<Tokens> parts = functions(tokens);
  if (parts.empty() || std::ranges::find(parts.back(), entry, &CudaToken::text) == parts.back().end()) return std::nullopt;
  const Tokens kernel = parts.back();
  parts.pop_back();
  Canonical out;
  std::unordered_set<std::string_view> helper_words;
  for (const Tokens part : parts) {
    for (const CudaToken& token : part) {
      if (token.word) helper_words.insert(token.text);
    }
    out.helpers.push_back(piece(part, [](const CudaToken& token) { return token.text; }));
    out.key += out.helpers.back().text;
  }
  out.kernel = piece(kernel, Names(kernel, entry, helper_words));
  out.key += out.kernel.text;
  return out;
}

Place own_place(const Piece& piece, Place at) {
  const auto after = std::ranges::upper_bound(piece.places, at, {}, [](const auto& place) { return place.first; });
  // Before the first token of its line: the line as a whole.
  const bool first_of_line = after == piece.places.begin() || std::prev(after)->first.line != at.line;
  if (first_of_line && after != piece.places.end() && after->first.line == at.line) return {after->second.line, at.column};
  if (after == piece.places.begin()) return at;
  const auto& [here, own] = *std::prev(after);
  return {own.line, own.column + at.column - here.column};
}

}  // namespace seam::codegen
