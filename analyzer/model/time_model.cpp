#include "analyzer/time_model.h"

#include <algorithm>
#include <cmath>

namespace seam::analyzer {

namespace {

// Launch gaps in us: eager PyTorch/JAX hosts manage 2 to 10 (4 is common); replayed graphs 0.55 to 1.3.
constexpr Band kEagerGap{2.0, 4.0, 10.0};
constexpr Band kGraphGap{0.55, 0.9, 1.3};
// Start and drain of a kernel that does nothing.
constexpr Band kEmptyKernel{0.7, 1.2, 2.0};
// Share of the DRAM peak that streaming kernels reach.
constexpr Band kDramShare{0.92, 0.80, 0.60};
constexpr double kDramLatencyUs = 0.6;
// Bytes that one thread keeps in flight (a few outstanding loads).
constexpr double kBytesInFlight = 32;
constexpr double kPerSmPeakFactor = 3.0;   ///< one SM alone may draw about three times its even share
constexpr double kCacheFactor = 3.0;       ///< caches deliver about three times the DRAM rate
constexpr double kInstructionOverhead = 2.0;  ///< address arithmetic per useful instruction
constexpr double kSpecialInstructions = 12;   ///< instructions of a divide, exp or tanh, averaged
constexpr double kBarrierUs = 0.03;
constexpr double kAtomicsPerUs = 2000;

struct Pieces {
  double threads = 0;        ///< resident at once
  double sms = 1;            ///< SMs that have work
  double bytes = 0, cached = 0, instructions = 0, atomics = 0;
  double waves = 1;
  double chain_us = 0;       ///< latency that no parallelism hides
};

Pieces pieces_of(const Device& device, const KernelWork& work) {
  Pieces p;
  const int per_sm =
      std::max(1, blocks_per_sm(device, work.threads, work.registers, work.shared_bytes));
  const double capacity = static_cast<double>(per_sm) * device.sms;
  const auto blocks = static_cast<double>(std::max<std::int64_t>(1, work.blocks));
  p.waves = std::max(1.0, blocks / capacity);
  p.threads = std::min(blocks, capacity) * work.threads;
  p.sms = std::min(blocks, static_cast<double>(device.sms));
  p.bytes = work.dram_bytes;
  p.cached = work.reread_bytes;
  p.instructions = work.flops * kInstructionOverhead + work.special * kSpecialInstructions;
  p.atomics = work.atomics;
  p.chain_us = kDramLatencyUs + work.barriers * (kBarrierUs + 0.2 * kDramLatencyUs) * std::min(p.waves, 4.0);
  return p;
}

double time_us(const Device& device, const Pieces& p, double empty, double share, double slack) {
  const double peak = device.dram_bytes_per_s * 1e-6;  // bytes per us
  const double per_sm = peak / std::max(1, device.sms);
  const double in_flight = p.threads * kBytesInFlight / kDramLatencyUs;
  const double rate = std::min({peak * share, in_flight, p.sms * per_sm * kPerSmPeakFactor});
  const double cached_rate = std::min({peak * kCacheFactor, in_flight * kCacheFactor,
                                       p.sms * per_sm * kPerSmPeakFactor * kCacheFactor});
  // An SM issues one instruction per lane and cycle once enough warps are there to hide latency.
  const double lanes = std::min(p.threads / 4.0, p.sms * device.fp32_lanes_per_sm);
  const double arithmetic = p.instructions * slack / (lanes * device.clock_ghz * 1e3);
  const double memory = p.bytes / rate + p.cached / cached_rate;
  // The last wave is rarely full.
  const double tail = p.waves > 1 ? std::ceil(p.waves) / p.waves : 1.0;
  return empty + p.chain_us + std::max(memory, arithmetic) * std::min(tail, 1.3) +
         p.atomics / kAtomicsPerUs / 1e3;
}

Band band(const Device& device, const Pieces& p) {
  return {time_us(device, p, kEmptyKernel.low, kDramShare.low, 0.7),
          time_us(device, p, kEmptyKernel.mid, kDramShare.mid, 1.0),
          time_us(device, p, kEmptyKernel.high, kDramShare.high, 2.0)};
}

}  // namespace

Band launch_gap_us(Launching how) { return how == Launching::Eager ? kEagerGap : kGraphGap; }

Band kernel_time_us(const Device& device, const KernelWork& work) {
  return band(device, pieces_of(device, work));
}

Band packed_time_us(const Device& device, const KernelWork* parts, std::size_t count) {
  Pieces all;
  all.threads = all.sms = 0;
  Band slowest;
  for (std::size_t i = 0; i < count; ++i) {
    const Pieces p = pieces_of(device, parts[i]);
    const Band alone = band(device, p);
    slowest = {std::max(slowest.low, alone.low), std::max(slowest.mid, alone.mid),
               std::max(slowest.high, alone.high)};
    all.threads += p.threads;
    all.sms += p.sms;
    all.bytes += p.bytes;
    all.cached += p.cached;
    all.instructions += p.instructions;
    all.atomics += p.atomics;
    all.waves = std::max(all.waves, p.waves);
    all.chain_us = std::max(all.chain_us, p.chain_us);
  }
  if (count == 0) return {};
  all.threads = std::min(all.threads, static_cast<double>(device.threads_per_sm) * device.sms);
  all.sms = std::min(all.sms, static_cast<double>(device.sms));
  const Band together = band(device, all);
  return {std::max(slowest.low, together.low), std::max(slowest.mid, together.mid),
          std::max(slowest.high, together.high)};
}

}  // namespace seam::analyzer
