#pragma once
/// The one model of how long a kernel takes, for analyzer, planner and simulator. Every figure it gives is `modelled`
/// and a band: low and high are what the uncertain parts (launch gap, share of the DRAM peak, instruction overhead)
/// allow, mid is what decisions are taken by. It ranks alternatives; it does not promise speed.
#include <cstdint>

#include "base/device.h"

namespace seam::analyzer {

struct Band {
  double low = 0, mid = 0, high = 0;
  friend bool operator==(const Band&, const Band&) = default;
};

/// What one kernel, or one part of a packed kernel, does.
struct KernelWork {
  std::int64_t blocks = 1;
  int threads = 256;
  std::int64_t shared_bytes = 0;   ///< per block, with scratch
  int registers = 40;              ///< per thread
  double dram_bytes = 0;           ///< distinct bytes read and written
  double reread_bytes = 0;         ///< read again by later loops: served by caches
  double flops = 0;                ///< plain arithmetic and index work, instructions x elements
  double special = 0;              ///< transcendental and divide operations
  double barriers = 0;             ///< block-wide barriers that one block waits at
  double atomics = 0;              ///< global atomic operations
};

enum class Launching : std::uint8_t { Eager, GraphReplay };
/// Idle time between two launches of a stream that never runs dry: the host's pace when eager, the front end's in a CUDA graph.
[[nodiscard]] Band launch_gap_us(Launching how);
/// Execution alone, from first block to last byte.
[[nodiscard]] Band kernel_time_us(const Device& device, const KernelWork& work);
/// Parts of one kernel run side by side: their demands add up, the slowest chain bounds from below.
[[nodiscard]] Band packed_time_us(const Device& device, const KernelWork* parts, std::size_t count);

}  // namespace seam::analyzer
