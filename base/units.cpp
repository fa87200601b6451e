#include "base/units.h"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <cmath>

namespace seam {
namespace {

/// Three significant digits of a number in [0, 1000).
std::string three_digits(double value) {
  if (value >= 99.95) return fmt::format("{:.0f}", value);
  if (value >= 9.995) return fmt::format("{:.1f}", value);
  return fmt::format("{:.2f}", value);
}

}  // namespace

std::string human_count(std::int64_t count) {
  std::string digits = fmt::format("{}", count);
  const std::size_t first = count < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

std::string counted(std::int64_t count, std::string_view noun) {
  if (count == 1) return fmt::format("1 {}", noun);
  return noun.ends_with('y') ? fmt::format("{} {}ies", human_count(count), noun.substr(0, noun.size() - 1)) : fmt::format("{} {}s", human_count(count), noun);
}

std::string human_bytes(double bytes) {
  constexpr std::array kUnits = {"B", "kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  double value = std::abs(bytes);
  while (unit + 1 < kUnits.size() && value >= (unit == 0 ? 1000 : 999.5)) {
    value /= 1000;
    ++unit;
  }
  const char* sign = bytes < 0 ? "-" : "";
  return unit == 0 ? fmt::format("{}{:.0f} B", sign, value) : fmt::format("{}{} {}", sign, three_digits(value), kUnits[unit]);
}

std::string human_seconds(double seconds) {
  if (seconds < 0.9995) return seconds < 0.00995 ? fmt::format("{:.1f} ms", seconds * 1e3) : fmt::format("{:.0f} ms", seconds * 1e3);
  if (seconds < 99.95) return fmt::format("{} s", three_digits(seconds));
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  return fmt::format("{} min {:02} s", whole / 60, whole % 60);
}

std::string human_microseconds(double microseconds) {
  if (microseconds < 999.5) return fmt::format("{} us", three_digits(microseconds));
  if (microseconds < 999.5e3) return fmt::format("{} ms", three_digits(microseconds / 1e3));
  return fmt::format("{:.2f} s", microseconds / 1e6);
}

std::string human_percent(double part, double whole) {
  return whole == 0 ? "unknown" : fmt::format("{:.1f} %", 100 * part / whole);
}

std::string exact(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

}  // namespace seam
