#pragma once
/// SHA-256 (FIPS 180-4): names the exact bytes a certificate speaks of.
#include <string>
#include <string_view>

namespace seam {
/// 64 lower-case hex digits.
[[nodiscard]] std::string sha256(std::string_view bytes);
}  // namespace seam
