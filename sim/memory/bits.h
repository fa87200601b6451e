#pragma once
/// One bit per byte of memory: which bytes were written, which were read.
#include <bit>
#include <cstddef>
#include <cstdint>

namespace seam::sim {

/// `from` and `count` in bytes of the memory described.
inline void set_bits(std::uint32_t* words, std::size_t from, std::size_t count) {
  while (count > 0) {
    const std::size_t shift = from & 31;
    const std::size_t here = count < 32 - shift ? count : 32 - shift;
    const std::uint32_t ones = here == 32 ? ~0U : ((1U << here) - 1) << shift;
    words[from >> 5] |= ones;
    from += here;
    count -= here;
  }
}

[[nodiscard]] inline bool all_set(const std::uint32_t* words, std::size_t from,
                                  std::size_t count) {
  while (count > 0) {
    const std::size_t shift = from & 31;
    const std::size_t here = count < 32 - shift ? count : 32 - shift;
    const std::uint32_t ones = here == 32 ? ~0U : ((1U << here) - 1) << shift;
    if ((words[from >> 5] & ones) != ones) return false;
    from += here;
    count -= here;
  }
  return true;
}

inline void clear_bits(std::uint32_t* words, std::size_t from, std::size_t count) {
  for (std::size_t i = from; i < from + count; ++i) words[i >> 5] &= ~(1U << (i & 31));
}

[[nodiscard]] inline bool any_set(const std::uint32_t* words, std::size_t from, std::size_t count) {
  while (count > 0) {
    const std::size_t shift = from & 31;
    const std::size_t here = count < 32 - shift ? count : 32 - shift;
    const std::uint32_t ones = here == 32 ? ~0U : ((1U << here) - 1) << shift;
    if ((words[from >> 5] & ones) != 0) return true;
    from += here;
    count -= here;
  }
  return false;
}

[[nodiscard]] inline bool get_bit(const std::uint32_t* words, std::size_t at) {
  return (words[at >> 5] >> (at & 31) & 1) != 0;
}

[[nodiscard]] inline std::uint64_t ones(const std::uint32_t* words, std::size_t count) {
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < count; ++i) {
    total += static_cast<std::uint64_t>(std::popcount(words[i]));
  }
  return total;
}

}  // namespace seam::sim
