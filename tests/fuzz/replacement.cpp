#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/replacement.h"

/// Replacement sets of any bytes: read or refused; what reads prints to text that reads back equal.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto set = seam::parse_replacement(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz.json");
  if (!set) return 0;
  const auto again = seam::parse_replacement(seam::print_replacement(*set), "printed.json");
  if (!again || !(*again == *set)) __builtin_trap();
  return 0;
}
