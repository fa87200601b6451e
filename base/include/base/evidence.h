#pragma once
/// Where a figure comes from. Part of every number Seam shows (DESIGN section 3).
#include <cstdint>
#include <string_view>

namespace seam {
enum class Evidence : std::uint8_t { Counter, Recorded, Simulated, Modelled, Unknown };
[[nodiscard]] constexpr std::string_view name(Evidence e) {
  switch (e) {
    case Evidence::Counter: return "counter";
    case Evidence::Recorded: return "recorded";
    case Evidence::Simulated: return "simulated";
    case Evidence::Modelled: return "modelled";
    case Evidence::Unknown: break;
  }
  return "unknown";
}
}  // namespace seam
