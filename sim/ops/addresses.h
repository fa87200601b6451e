#pragma once
/// Where the lanes of a memory instruction go. Shared by loads, stores, atomics and copies.
#include <bit>
#include <cstdint>
#include <cstring>

#include "memory/memory.h"
#include "ops/isa.h"
#include "run/access.h"

namespace seam::sim {

/// Row a (32 or 64 bits) plus the offset; the offset alone if there is no row.
SEAM_SIM_INLINE void addresses(Warp& warp, const Instruction& i, Addresses& at) {
  const auto offset = static_cast<std::uint64_t>(i.offset);
  if (i.address_bytes == 8) {
    const std::uint64_t* a = row<std::uint64_t>(warp, i.a);
    for (int l = 0; l < 32; ++l) at[l] = a[l] + offset;
  } else if (i.address_bytes == 4) {
    const std::uint32_t* a = row<std::uint32_t>(warp, i.a);
    for (int l = 0; l < 32; ++l) at[l] = static_cast<std::uint32_t>(a[l] + offset);
  } else {
    for (int l = 0; l < 32; ++l) at[l] = offset;
  }
}

/// The lanes as a run, if they are one.
SEAM_SIM_INLINE Run run_of(const Addresses& at, std::uint32_t lanes, std::size_t bytes) {
  const std::uint32_t first = first_lane(lanes);
  const auto count = lane_count(lanes);
  const std::uint32_t dense = count == 32 ? ~0U : ((1U << count) - 1) << first;
  if (dense != lanes) return {};
  std::uint64_t gap = 0;
  if (count == 32) {
    for (std::uint32_t l = 0; l < 32; ++l) gap |= at[l] ^ (at[0] + l * bytes);
  } else {
    for (std::uint32_t l = 0; l < count; ++l) gap |= at[first + l] ^ (at[first] + l * bytes);
  }
  return gap == 0 ? Run{first, count} : Run{};
}

/// Calls `use(space, lanes, addresses inside the space)` for each space that generic addresses point to.
template <class Use>
void for_each_space(const Addresses& at, std::uint32_t lanes, Use use) {
  struct Window {
    Space space;
    std::uint64_t base;
  };
  static constexpr Window kSpaces[] = {{Space::Global, 0},
                                        {Space::Shared, kSharedWindow},
                                        {Space::Local, kLocalWindow},
                                        {Space::Param, kParameterWindow}};
  constexpr std::uint64_t kAny = kSharedWindow | kLocalWindow | kParameterWindow;
  std::uint32_t left = lanes;
  for (const Window& window : kSpaces) {
    std::uint32_t group = 0;
    Addresses inside;
    for (std::uint32_t l = 0; l < 32; ++l) {
      inside[l] = at[l] & ~window.base;
      if ((at[l] & kAny) == window.base) group |= 1U << l;
    }
    group &= left;
    left &= ~group;
    if (group != 0) use(window.space, group, inside);
  }
  if (left != 0) use(Space::Global, left, at);  // in no window: no buffer will be found there
}

}  // namespace seam::sim
