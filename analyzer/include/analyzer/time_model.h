#pragma once
/// The one model of how long a launch takes, for analyzer, planner and simulator, whoever wrote the kernel. Every figure it gives is `modelled`
/// and a band: low and high are what the uncertain parts (launch gap, share of the DRAM peak, instruction overhead)
/// allow, mid is what decisions are taken by. It ranks alternatives; it does not promise speed.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/device.h"
#include "graph/graph.h"

namespace seam::analyzer {

/// Microseconds.
struct Band {
  double low = 0, mid = 0, high = 0;
  friend bool operator==(const Band&, const Band&) = default;
  Band& operator+=(const Band& other) {
    low += other.low;
    mid += other.mid;
    high += other.high;
    return *this;
  }
  [[nodiscard]] Band times(double factor) const { return {low * factor, mid * factor, high * factor}; }
};

/// What one kernel, or one part of a packed kernel, does: as a planner estimates it, or as the simulator counted it.
struct KernelWork {
  std::int64_t blocks = 1;
  int threads = 256;
  std::int64_t shared_bytes = 0;   ///< per block, with scratch
  int registers = 40;              ///< per thread
  double dram_bytes = 0;           ///< distinct bytes read and written
  double reread_bytes = 0;         ///< asked of the L2 beyond that: read again by later loops or by other blocks
  double instructions = 0;         ///< of threads; lanes that idle in a warp that runs count as well
  double wavefronts = 0;           ///< passes through L1 and shared memory, of all blocks
  double barriers = 0;             ///< block-wide barriers that one block waits at
  double atomic_sectors = 0;       ///< 32-byte sectors that atomics touch, per warp access
  bool counted = false;            ///< instructions are those that ran, not an estimate: a narrower band
};
/// Of `flops` plain operations and `special` transcendentals and divisions, address arithmetic included.
[[nodiscard]] double estimated_instructions(double flops, double special);

enum class Launching : std::uint8_t { Eager, GraphReplay };
/// Idle time between two launches of a stream that never runs dry: the host's pace when eager, the front end's in a CUDA graph.
[[nodiscard]] Band launch_gap_us(Launching how);
/// What most of a kernel's time goes into.
enum class Limiter : std::uint8_t { Latency, Memory, Issue, Passes, Atomics };
[[nodiscard]] std::string_view name(Limiter limiter);
[[nodiscard]] Limiter limiter_of(const Device& device, const KernelWork& work);
/// Execution alone, from first block to last byte.
[[nodiscard]] Band kernel_time_us(const Device& device, const KernelWork& work);
/// Parts of one kernel run side by side: their demands add up, the slowest chain bounds from below.
[[nodiscard]] Band packed_time_us(const Device& device, const KernelWork* parts, std::size_t count);
/// A memcpy or memset on the device that reads and writes `bytes` in all.
[[nodiscard]] Band copy_time_us(const Device& device, double bytes);

/// A call of cuBLAS or cuDNN, or of anything else that is nobody's generated kernel.
struct LibraryWork {
  double flops = 0;        ///< of products; 0: only bytes are known
  double bytes_read = 0, bytes_written = 0;  ///< operands and results, once
  double results = 0;      ///< elements of the result: tiles of them run side by side
  DType factors = DType::F32;
};
[[nodiscard]] LibraryWork library_work(const graph::Computation& computation, const graph::Op& op);
/// Products run on tensor cores where the device has them for the factors' type.
[[nodiscard]] Band library_time_us(const Device& device, const LibraryWork& work);

/// The model in words, with its constants for `device`: one line per term.
[[nodiscard]] std::vector<std::string> time_formula(const Device& device);

}  // namespace seam::analyzer
