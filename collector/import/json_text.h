#pragma once
/// What the pieces of a JSON text mean: numbers without rounding, strings as UTF-8.
#include <cstdint>
#include <optional>
#include <string>

#include "import/json_events.h"

namespace seam::collector {

/// A decimal number of microseconds, or one in quotes, as nanoseconds, exactly: epoch microseconds with a fraction have more digits than a double
/// holds. A finer fraction is rounded to the nearest nanosecond, halves away from zero. Nothing for anything else, or out of range.
[[nodiscard]] std::optional<std::int64_t> nanoseconds(const Text& microseconds);
/// An integer, or one in quotes; nothing for anything else, or beyond 64 bits.
[[nodiscard]] std::optional<std::int64_t> integer(const Text& text);
[[nodiscard]] std::optional<double> number(const Text& text);

/// What had to be mended in strings.
struct TextMends {
  std::uint64_t control_characters = 0, wrong_escapes = 0, wrong_utf8 = 0;
};
/// The characters of a string (without its quotes), or the text of another value. Control characters are kept, escapes that JSON does not know are kept
/// as they stand, bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string characters(const Text& text, TextMends& mends);

}  // namespace seam::collector
