/// How many sectors and wavefronts an access needs.
#include <algorithm>
#include <array>
#include <vector>

#include "run/access.h"

namespace seam::sim {

namespace {

/// Distinct 2^shift-byte pieces. A lane's bytes are aligned to their size, so they lie in one.
std::uint32_t pieces(const Addresses& at, std::uint32_t lanes, int shift) {
  std::array<std::uint64_t, 32> touched;
  std::size_t count = 0;
  bool sorted = true;
  for (std::uint32_t l = 0; l < 32; ++l) {
    if ((lanes >> l & 1U) == 0) continue;
    const std::uint64_t piece = at[l] >> shift;
    if (count > 0) {
      if (touched[count - 1] == piece) continue;
      sorted &= touched[count - 1] < piece;
    }
    touched[count++] = piece;
  }
  if (sorted) return static_cast<std::uint32_t>(count);
  const auto end = touched.begin() + static_cast<std::ptrdiff_t>(count);
  std::sort(touched.begin(), end);
  return static_cast<std::uint32_t>(std::unique(touched.begin(), end) - touched.begin());
}

}  // namespace

std::uint32_t sectors(const Addresses& at, std::uint32_t lanes, std::size_t) { return pieces(at, lanes, 5); }
std::uint32_t lines(const Addresses& at, std::uint32_t lanes) { return pieces(at, lanes, 7); }

namespace {

/// Sectors of 32 KiB.
constexpr std::size_t kCacheSectors = 1024;

bool missed(std::vector<std::uint64_t>& cache, std::uint64_t sector) {
  // Rows a power of two apart should not all meet in one place.
  std::uint64_t& tag = cache[(sector ^ sector >> 10) % kCacheSectors];
  if (tag == sector) return false;
  tag = sector;
  return true;
}

}  // namespace

void empty_cache(Execution& execution) {
  if (execution.checks.profile && execution.checks.counters) execution.first_level.assign(kCacheSectors, 0);
}

void look_up(Execution& execution, const Addresses& at, std::uint32_t lanes, bool passing) {
  if (execution.first_level.empty()) return;
  if (passing) {
    execution.counters.l2_sectors_read += pieces(at, lanes, 5);
    return;
  }
  for (std::uint32_t l = 0; l < 32; ++l)
    if ((lanes >> l & 1U) != 0) execution.counters.l2_sectors_read += missed(execution.first_level, at[l] >> 5) ? 1U : 0U;
}

void look_up(Execution& execution, std::uint64_t from, std::size_t bytes) {
  if (execution.first_level.empty()) return;
  for (std::uint64_t sector = from >> 5; sector <= (from + bytes - 1) >> 5; ++sector) execution.counters.l2_sectors_read += missed(execution.first_level, sector) ? 1U : 0U;
}

std::uint32_t least_wavefronts(std::uint32_t lanes, std::size_t bytes) {
  const std::uint32_t together = lanes_a_pass(bytes);
  std::uint32_t out = 0;
  for (std::uint32_t from = 0; from < 32; from += together) {
    const std::uint32_t group = together == 32 ? ~0U : ((1U << together) - 1) << from;
    out += (lanes & group) != 0 ? 1 : 0;
  }
  return out;
}

void count_shared(Execution& execution, const Addresses& at, std::uint32_t lanes, std::size_t bytes) {
  if (!execution.checks.counters) return;
  const std::uint32_t needed = wavefronts(at, lanes, bytes);
  ++execution.counters.shared_requests;
  execution.counters.shared_wavefronts += needed;
  execution.counters.shared_conflicts += needed - least_wavefronts(lanes, bytes);
}

std::uint32_t wavefronts(const Addresses& at, std::uint32_t lanes, std::size_t bytes) {
  const std::uint32_t together = lanes_a_pass(bytes);
  std::uint32_t total = 0;
  for (std::uint32_t from = 0; from < 32; from += together) {
    std::array<std::uint64_t, 32> words;
    std::size_t count = 0;
    bool rising = true;
    for (std::uint32_t l = from; l < from + together; ++l) {
      if ((lanes >> l & 1U) == 0) continue;
      const std::size_t parts = (bytes + 3) / 4;
      for (std::size_t k = 0; k < parts; ++k) {
        const std::uint64_t word = (at[l] >> 2) + k;
        if (count > 0 && words[count - 1] == word) continue;
        rising &= count == 0 || words[count - 1] < word;
        words[count++] = word;
      }
    }
    if (count == 0) continue;
    if (rising && words[count - 1] - words[0] < 32) {
      ++total;
      continue;
    }
    const auto end = words.begin() + static_cast<std::ptrdiff_t>(count);
    if (!rising) std::sort(words.begin(), end);
    std::array<std::uint8_t, 32> banks{};
    std::uint32_t most = 0;
    for (std::size_t k = 0; k < count; ++k) {
      if (k > 0 && words[k] == words[k - 1]) continue;
      most = std::max<std::uint32_t>(most, ++banks[words[k] & 31]);
    }
    total += most;
  }
  return total;
}

}  // namespace seam::sim
