#include "torch/python.h"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <cmath>

namespace seam::graph::torch {
namespace {

using Kind = Token::Kind;

bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool continues_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

constexpr std::array<std::string_view, 10> kLongOperators = {"**", "//", "<<", ">>", "<=", ">=", "==", "!=", "->", "..."};

/// Length of a number at `at`: digits, a fraction, an exponent.
std::size_t number_length(std::string_view text, std::size_t at) {
  std::size_t end = at;
  const auto digits = [&] {
    while (end < text.size() && (std::isdigit(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_')) ++end;
  };
  digits();
  if (end < text.size() && text[end] == '.') {
    ++end;
    digits();
  }
  if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
    std::size_t exponent = end + 1;
    if (exponent < text.size() && (text[exponent] == '+' || text[exponent] == '-')) ++exponent;
    if (exponent < text.size() && std::isdigit(static_cast<unsigned char>(text[exponent])) != 0) {
      end = exponent;
      digits();
    }
  }
  return end - at;
}

constexpr int kDeepest = 64;

}  // namespace

Result<std::vector<Token>> tokens(const Source& source) {
  const std::string_view text = source.text();
  std::vector<Token> out;
  int depth = 0;
  std::size_t at = 0;
  const auto push = [&](Kind kind, std::size_t start, std::size_t length) { out.push_back({kind, text.substr(start, length), start}); };
  while (at < text.size()) {
    const char c = text[at];
    if (c == '\n' || c == ';') {
      if (depth == 0 && !out.empty() && out.back().kind != Kind::NewLine) push(Kind::NewLine, at, 1);
      ++at;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\\') {
      ++at;
    } else if (c == '#') {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      if (depth == 0) push(Kind::Comment, at + 1, end - at - 1);
      at = end;
    } else if (c == '"' || c == '\'') {
      std::size_t end = at + 1;
      while (end < text.size() && text[end] != c && text[end] != '\n') end += text[end] == '\\' ? 2U : 1U;
      if (end >= text.size() || text[end] != c) return fail(Error::Code::BadInput, "this string has no end", source.position(at));
      push(Kind::String, at + 1, end - at - 1);
      at = end + 1;
    } else if (starts_name(c)) {
      std::size_t end = at + 1;
      while (end < text.size() && continues_name(text[end])) ++end;
      push(Kind::Name, at, end - at);
      at = end;
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      const std::size_t length = number_length(text, at);
      push(Kind::Number, at, length);
      at += length;
    } else {
      std::size_t length = 1;
      for (const std::string_view op : kLongOperators)
        if (text.substr(at).starts_with(op)) length = op.size();
      if (c == '(' || c == '[' || c == '{') ++depth;
      if ((c == ')' || c == ']' || c == '}') && depth > 0) --depth;
      push(Kind::Punctuation, at, length);
      at += length;
    }
  }
  push(Kind::NewLine, text.size(), 0);
  push(Kind::End, text.size(), 0);
  return out;
}

tl::unexpected<Error> TokenReader::error(std::string message) const { return fail(Error::Code::BadInput, std::move(message), position()); }

bool TokenReader::accept(std::string_view punctuation) {
  if (!at(punctuation)) return false;
  ++at_;
  return true;
}

void TokenReader::skip_statement() {
  while (peek().kind != Kind::NewLine && peek().kind != Kind::End) ++at_;
  if (peek().kind == Kind::NewLine) ++at_;
}

std::string TokenReader::dotted_name() {
  std::string name(next().text);
  while (at(".") && peek(1).kind == Kind::Name) {
    ++at_;
    name += '.';
    name += next().text;
  }
  return name;
}

Result<void> TokenReader::arguments(std::string_view close, std::vector<Argument>& positional, std::vector<std::pair<std::string, Argument>>& keywords, int depth) {
  while (!accept(close)) {
    if (peek().kind == Kind::Name && peek(1).kind == Kind::Punctuation && peek(1).text == "=") {
      std::string key(next().text);
      ++at_;
      SEAM_TRY(Argument value, argument(depth + 1));
      keywords.emplace_back(std::move(key), std::move(value));
    } else {
      SEAM_TRY(Argument value, argument(depth + 1));
      positional.push_back(std::move(value));
    }
    if (accept(",")) continue;
    if (!at(close)) return error(fmt::format("expected ',' or '{}'", close));
  }
  return {};
}

Result<Argument> TokenReader::word_argument(int depth) {
  const std::string name = dotted_name();
  if (accept("(")) {
    std::vector<Argument> positional;
    std::vector<std::pair<std::string, Argument>> keywords;
    SEAM_DO(arguments(")", positional, keywords, depth));
    if (name == "slice") {
      Argument slice;
      slice.kind = Argument::Kind::Slice;
      slice.items = std::move(positional);
      if (slice.items.size() == 1) slice.items.insert(slice.items.begin(), Argument{});
      slice.items.resize(3);
      return slice;
    }
    if (name == "float" && positional.size() == 1 && positional[0].kind == Argument::Kind::Text) {
      Argument number;
      number.kind = Argument::Kind::Float;
      const std::string& text = positional[0].text;
      number.number = text == "nan" ? std::nan("") : text == "-inf" ? -HUGE_VAL : HUGE_VAL;
      return number;
    }
    Argument text;  // device(type='cuda', index=0), Size([…]), …
    text.kind = Argument::Kind::Text;
    text.text = name;
    if ((name == "torch.Size" || name == "Size") && positional.size() == 1) return positional[0];
    return text;
  }
  Argument out;
  if (name == "None") return out;
  if (name == "True" || name == "False") {
    out.kind = Argument::Kind::Bool;
    out.integer = name == "True" ? 1 : 0;
  } else if (name == "inf" || name == "nan") {
    out.kind = Argument::Kind::Float;
    out.number = name == "inf" ? HUGE_VAL : std::nan("");
  } else if (name == "Ellipsis") {
    out.kind = Argument::Kind::Ellipsis;
  } else {
    out.kind = name.find('.') == std::string::npos ? Argument::Kind::Name : Argument::Kind::Text;
    out.text = name;
  }
  return out;
}

Result<Argument> TokenReader::argument(int depth) {
  if (depth > kDeepest) return error("brackets are nested too deeply");
  const Token& token = peek();
  Argument out;
  switch (token.kind) {
    case Kind::Name: return word_argument(depth);
    case Kind::String:
      out.kind = Argument::Kind::Text;
      out.text = std::string(next().text);
      return out;
    case Kind::Number: {
      std::string digits(next().text);
      std::erase(digits, '_');
      if (digits.find_first_of(".eE") == std::string::npos) {
        out.kind = Argument::Kind::Int;
        const auto [end, wrong] = std::from_chars(digits.data(), digits.data() + digits.size(), out.integer);
        if (wrong == std::errc{}) return out;
      }
      out.kind = Argument::Kind::Float;
      out.number = std::strtod(digits.c_str(), nullptr);
      return out;
    }
    default: break;
  }
  if (accept("...")) {
    out.kind = Argument::Kind::Ellipsis;
    return out;
  }
  if (accept("-")) {
    SEAM_TRY(out, argument(depth + 1));
    if (out.kind != Argument::Kind::Int && out.kind != Argument::Kind::Float) return error("expected a number after '-'");
    out.integer = -out.integer;
    out.number = -out.number;
    return out;
  }
  for (const auto& [open, close] : {std::pair<std::string_view, std::string_view>{"[", "]"}, {"(", ")"}}) {
    if (!accept(open)) continue;
    out.kind = Argument::Kind::List;
    std::vector<std::pair<std::string, Argument>> keywords;
    SEAM_DO(arguments(close, out.items, keywords, depth));
    return out;
  }
  if (accept("{")) {  // options of higher-order operators: kept as a text that no operator reads
    int open = 1;
    while (open > 0 && peek().kind != Kind::End) {
      if (at("{")) ++open;
      if (at("}")) --open;
      ++at_;
    }
    out.kind = Argument::Kind::Text;
    return out;
  }
  return error(fmt::format("expected an argument, found '{}'", token.text));
}

Result<Expression> TokenReader::operand() {
  Expression out;
  if (peek().kind != Kind::Name || peek().text == "None" || peek().text == "True" || peek().text == "False" || peek().text == "slice") {
    SEAM_TRY(Argument value, argument());
    out.arguments.push_back(std::move(value));
    return out;
  }
  const std::string name = dotted_name();
  const std::size_t dot = name.find('.');
  const std::string_view head = std::string_view(name).substr(0, dot);
  if (accept("(")) {
    SEAM_DO(arguments(")", out.arguments, out.keywords, 0));
    const bool module = dot == std::string::npos || head == "torch" || head == "operator" || head == "math" || head == "torchvision" || head == "fx_pytree" || head == "pytree" ||
                        head == "self" || head == "einops" || head == "builtins" || head == "_operator";
    out.kind = module ? Expression::Kind::Call : Expression::Kind::Method;
    out.name = module ? name : name.substr(name.rfind('.') + 1);
    if (!module) {
      Argument object;
      object.kind = Argument::Kind::Name;
      object.text = name.substr(0, name.rfind('.'));
      if (object.text.find('.') != std::string::npos) return error(fmt::format("'{}' is no operator of PyTorch", name));
      out.arguments.insert(out.arguments.begin(), std::move(object));
    }
    return out;
  }
  if (accept("[")) {
    Argument object;
    object.kind = Argument::Kind::Name;
    object.text = name;
    out.kind = Expression::Kind::Subscript;
    out.arguments.push_back(std::move(object));
    Argument index;
    index.kind = Argument::Kind::List;
    std::vector<std::pair<std::string, Argument>> keywords;
    SEAM_DO(arguments("]", index.items, keywords, 0));
    // x[i] and x[(i, j)] say the same
    if (index.items.size() == 1 && index.items[0].kind == Argument::Kind::List) index = Argument(index.items[0]);
    out.arguments.push_back(std::move(index));
    return out;
  }
  if (dot != std::string::npos) {
    out.kind = Expression::Kind::Attribute;
    out.name = name;
    return out;
  }
  Argument value;
  value.kind = Argument::Kind::Name;
  value.text = name;
  out.arguments.push_back(std::move(value));
  return out;
}

Result<Expression> TokenReader::expression() {
  for (const auto& [sign, name] : {std::pair<std::string_view, std::string_view>{"-", "neg"}, {"~", "bitwise_not"}}) {
    if (!at(sign) || peek(1).kind != Kind::Name) continue;
    ++at_;
    SEAM_TRY(Argument value, argument());
    Expression out;
    out.kind = Expression::Kind::Operator;
    out.name = name;
    out.arguments.push_back(std::move(value));
    return out;
  }
  SEAM_TRY(Expression left, operand());
  if (peek().kind != Kind::Punctuation || at(",") || at(")") || at("=")) return left;
  const std::string op(next().text);
  SEAM_TRY(Argument right, argument());
  if (left.kind != Expression::Kind::Argument) return error("expected one operation per line");
  Expression out;
  out.kind = Expression::Kind::Operator;
  out.name = op;
  out.arguments = {std::move(left.arguments[0]), std::move(right)};
  return out;
}

}  // namespace seam::graph::torch
