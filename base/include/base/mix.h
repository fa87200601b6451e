#pragma once
/// SplitMix64's finaliser (Steele, Lea, Flood 2014): scatters a counter's bits, so that element i of a random tensor does not depend on how many came before.
#include <cstdint>

namespace seam {

[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

}  // namespace seam
