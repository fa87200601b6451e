#pragma once
/// Figures for human eyes: the same text on every machine, no locale.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace seam {

/// "1,234,567".
[[nodiscard]] std::string human_count(std::int64_t count);
/// "1 kernel", "1,200 kernels".
[[nodiscard]] std::string counted(std::int64_t count, std::string_view noun);
/// Three significant digits, decimal units: "999 B", "1.23 kB", "14.0 GB".
[[nodiscard]] std::string human_bytes(double bytes);
/// "38 ms", "1.20 s", "2 min 05 s".
[[nodiscard]] std::string human_seconds(double seconds);
/// "1.25 ms", "9.30 us".
[[nodiscard]] std::string human_microseconds(double microseconds);
/// part / whole as "12.3 %"; "unknown" if whole is 0.
[[nodiscard]] std::string human_percent(double part, double whole);
/// The shortest text that reads back as the same double; integers without a point.
[[nodiscard]] std::string exact(double value);

}  // namespace seam
