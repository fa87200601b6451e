#include "import/json_text.h"

#include <charconv>
#include <string_view>

#include "base/utf8.h"

namespace seam::collector {
namespace {

constexpr int kMostDigits = 19;  // of an int64

std::optional<std::uint32_t> hex4(std::string_view text) {
  std::uint32_t code = 0;
  if (text.size() < 4) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + 4, code, 16);
  return error == std::errc() && end == text.data() + 4 ? std::optional(code) : std::nullopt;
}

/// One escape at the front of `text`; how many bytes it took.
std::size_t unescape(std::string_view text, std::string& out, TextMends& mends) {
  const char c = text.size() > 1 ? text[1] : '\0';
  switch (c) {
    case '"':
    case '\\':
    case '/': out += c; return 2;
    case 'b': out += '\b'; return 2;
    case 'f': out += '\f'; return 2;
    case 'n': out += '\n'; return 2;
    case 'r': out += '\r'; return 2;
    case 't': out += '\t'; return 2;
    case 'u': {
      const std::optional<std::uint32_t> code = hex4(text.substr(2));
      if (!code) break;
      const bool high = *code >= 0xd800 && *code < 0xdc00;
      if (high && text.substr(6).starts_with("\\u")) {
        const std::optional<std::uint32_t> low = hex4(text.substr(8));
        if (low && *low >= 0xdc00 && *low < 0xe000) {
          append_utf8(out, 0x10000 + ((*code - 0xd800) << 10) + (*low - 0xdc00));
          return 12;
        }
      }
      const bool lone = *code >= 0xd800 && *code < 0xe000;
      mends.wrong_utf8 += lone ? 1 : 0;
      append_utf8(out, lone ? 0xfffd : *code);
      return 6;
    }
    default: break;
  }
  ++mends.wrong_escapes;
  out += '\\';
  return 1;
}

}  // namespace

std::optional<std::int64_t> nanoseconds(const Text& microseconds) {
  if (microseconds.kind != Text::Kind::Number && microseconds.kind != Text::Kind::String) return std::nullopt;
  std::string_view text = microseconds.view();
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  // Digits, and where the point stands behind them: value = digits x 10^(exponent - fraction).
  std::uint64_t digits = 0;
  int taken = 0, fraction = 0, dropped = 0;
  bool point = false, any = false, round_up = false;
  std::size_t i = 0;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    if (c < '0' || c > '9') break;
    any = true;
    if (taken < kMostDigits) {
      digits = digits * 10 + static_cast<std::uint64_t>(c - '0');
      taken += digits > 0 ? 1 : 0;
      fraction += point ? 1 : 0;
    } else {
      if (dropped == 0) round_up = c >= '5';
      ++dropped;
      if (!point) --fraction;
    }
  }
  if (!any) return std::nullopt;
  int exponent = 0;
  if (i < text.size()) {
    if (text[i] != 'e' && text[i] != 'E') return std::nullopt;
    std::string_view power = text.substr(i + 1);
    if (power.starts_with('+')) power.remove_prefix(1);
    const auto [end, error] = std::from_chars(power.data(), power.data() + power.size(), exponent);
    if (error != std::errc() || end != power.data() + power.size() || exponent > 40 || exponent < -60) return std::nullopt;
  }
  digits += round_up ? 1 : 0;
  for (int shift = exponent - fraction + 3; shift != 0 && digits != 0; shift += shift > 0 ? -1 : 1) {
    if (shift > 0) {
      if (digits > UINT64_MAX / 10) return std::nullopt;
      digits *= 10;
    } else {
      digits = shift == -1 ? (digits + 5) / 10 : digits / 10;
    }
  }
  if (digits > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
  const auto value = static_cast<std::int64_t>(digits);
  return negative ? -value : value;
}

std::optional<std::int64_t> integer(const Text& text) {
  if (text.kind != Text::Kind::Number && text.kind != Text::Kind::String) return std::nullopt;
  std::int64_t value = 0;
  const std::string_view digits = text.view();
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return error == std::errc() && end == digits.data() + digits.size() ? std::optional(value) : std::nullopt;
}

std::optional<double> number(const Text& text) {
  if (text.kind != Text::Kind::Number && text.kind != Text::Kind::String) return std::nullopt;
  double value = 0;
  const std::string_view digits = text.view();
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return error == std::errc() && end == digits.data() + digits.size() ? std::optional(value) : std::nullopt;
}

std::string characters(const Text& text, TextMends& mends) {
  if (text.kind != Text::Kind::String || text.plain) return std::string(text.view());
  std::string out;
  out.reserve(text.size);
  std::string_view rest = text.view();
  while (!rest.empty()) {
    const auto c = static_cast<unsigned char>(rest.front());
    std::size_t length = 1;
    if (c == '\\') {
      length = unescape(rest, out, mends);
    } else if (c >= 0x80 && utf8_length(rest) == 0) {
      ++mends.wrong_utf8;
      append_utf8(out, 0xfffd);
    } else {
      length = utf8_length(rest);
      mends.control_characters += c < 0x20 ? 1 : 0;
      out.append(rest.substr(0, length));
    }
    rest.remove_prefix(length);
  }
  // SQLite's text ends at a zero byte for many of its readers.
  for (std::size_t at = out.find('\0'); at != std::string::npos; at = out.find('\0', at)) {
    out.replace(at, 1, "\xef\xbf\xbd");
    ++mends.control_characters;
  }
  return out;
}

}  // namespace seam::collector
