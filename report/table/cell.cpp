#include <fmt/core.h>

#include <cmath>

#include "base/units.h"
#include "report/table.h"

namespace seam::report {
namespace {

std::string shown(double value, Unit unit) {
  switch (unit) {
    case Unit::Bytes: return human_bytes(value);
    case Unit::Seconds: return human_seconds(value);
    case Unit::Microseconds: return human_microseconds(value);
    // Near 0 and near 100 the second digit is what tells a share from none and from all.
    case Unit::Percent: return fmt::format("{:.{}f} %", value, value < 1 || value > 99 ? 2 : 1);
    case Unit::Ratio: return fmt::format("{:.2f}", value);
    case Unit::Millions: {
      const auto tenths = std::llround(value / 1e5);
      return fmt::format("{}.{}", human_count(tenths / 10), tenths % 10);
    }
    case Unit::Text:
    case Unit::Count: break;
  }
  return exact(value);
}

}  // namespace

std::string shown(const Cell& cell, Unit unit) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* number = std::get_if<double>(&cell)) return shown(*number, unit);
  if (const auto* count = std::get_if<std::int64_t>(&cell)) {
    return unit == Unit::Count || unit == Unit::Text ? human_count(*count) : shown(static_cast<double>(*count), unit);
  }
  return std::holds_alternative<Blank>(cell) ? "" : "unknown";
}

}  // namespace seam::report
