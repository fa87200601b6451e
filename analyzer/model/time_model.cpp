#include "analyzer/time_model.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "analyzer/op_cost.h"

namespace seam::analyzer {

namespace {

// Every constant here is an assumption from what is published of such devices; none was measured by Seam.
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
// Instructions that run, over those that were estimated, or over those of the PTX that ran.
constexpr Band kEstimated{0.7, 1.0, 2.0};
constexpr Band kCounted{0.8, 1.0, 1.25};
constexpr double kBarrierUs = 0.03;
// Sectors of atomics per us: spread over the L2's slices, some of both, few of them.
constexpr Band kAtomicSectorsPerUs{100'000, 40'000, 4'000};
// Share of the peak that a library's product reaches while all SMs have tiles.
constexpr Band kProductShare{0.85, 0.65, 0.40};
constexpr double kTile = 64 * 64;        ///< results that one block of a product holds …
constexpr double kSplitContraction = 512;  ///< … and what it contracts before more blocks share one tile

constexpr double kBytesPerBlock = 256 * kBytesInFlight;  ///< of a copy, or of what a library streams

struct Pieces {
  double threads = 0;        ///< resident at once
  double sms = 1;            ///< SMs that have work
  double bytes = 0, cached = 0, instructions = 0, wavefronts = 0, atomic_sectors = 0;
  double waves = 1;
  double chain_us = 0;       ///< latency that no parallelism hides
  bool counted = false;
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
  p.instructions = work.instructions;
  p.wavefronts = work.wavefronts;
  p.atomic_sectors = work.atomic_sectors;
  p.counted = work.counted;
  p.chain_us = kDramLatencyUs + work.barriers * (kBarrierUs + 0.2 * kDramLatencyUs) * std::min(p.waves, 4.0);
  return p;
}

/// The terms that the formula adds up or takes the largest of, microseconds.
struct Terms {
  double start = 0, memory = 0, issue = 0, passes = 0, atomics = 0;
};

Terms terms_of(const Device& device, const Pieces& p, double Band::* level) {
  const double peak = device.dram_bytes_per_s * 1e-6;  // bytes per us
  const double per_sm = peak / std::max(1, device.sms);
  const double in_flight = p.threads * kBytesInFlight / kDramLatencyUs;
  const double rate = std::min({peak * kDramShare.*level, in_flight, p.sms * per_sm * kPerSmPeakFactor});
  const double cached_rate = std::min({peak * kCacheFactor, in_flight * kCacheFactor,
                                       p.sms * per_sm * kPerSmPeakFactor * kCacheFactor});
  // An SM issues one instruction per lane and cycle once enough warps are there to hide latency.
  const double cycles_per_us = device.clock_ghz * 1e3;
  const double lanes = std::min(p.threads / 4.0, p.sms * device.fp32_lanes_per_sm);
  const double issue = p.instructions * (p.counted ? kCounted : kEstimated).*level / (lanes * cycles_per_us);
  const double passes = p.wavefronts / (p.sms * cycles_per_us);
  const double memory = p.bytes / rate + p.cached / cached_rate;
  // The last wave is rarely full.
  const double tail = p.waves > 1 ? std::ceil(p.waves) / p.waves : 1.0;
  const double last = std::min(tail, 1.3);
  return {kEmptyKernel.*level + p.chain_us, memory * last, issue * last, passes * last, p.atomic_sectors / kAtomicSectorsPerUs.*level};
}

double time_us(const Device& device, const Pieces& p, double Band::* level) {
  const Terms t = terms_of(device, p, level);
  return t.start + std::max({t.memory, t.issue, t.passes}) + t.atomics;
}

Band band(const Device& device, const Pieces& p) {
  return {time_us(device, p, &Band::low), time_us(device, p, &Band::mid), time_us(device, p, &Band::high)};
}

/// Products per us on the units that take these factors.
double product_rate(const Device& device, DType factors) {
  const double lanes = 2.0 * device.sms * device.fp32_lanes_per_sm * device.clock_ghz * 1e3;
  switch (factors) {
    case DType::F16: return device.tensor_flops_16 * 1e-6;
    case DType::BF16: return device.compute_major >= 8 ? device.tensor_flops_16 * 1e-6 : lanes;
    case DType::F32: return device.tensor_flops_tf32 > 0 ? device.tensor_flops_tf32 * 1e-6 : lanes;
    case DType::F64: return lanes / 2;
    default: return lanes;
  }
}

}  // namespace

double estimated_instructions(double flops, double special) { return flops * kInstructionOverhead + special * kSpecialInstructions; }

std::string_view name(Limiter limiter) {
  switch (limiter) {
    case Limiter::Memory: return "memory";
    case Limiter::Issue: return "issue";
    case Limiter::Passes: return "passes";
    case Limiter::Atomics: return "atomics";
    case Limiter::Latency: break;
  }
  return "latency";
}

Limiter limiter_of(const Device& device, const KernelWork& work) {
  const Terms t = terms_of(device, pieces_of(device, work), &Band::mid);
  const double most = std::max({t.start, t.memory, t.issue, t.passes, t.atomics});
  if (most == t.start) return Limiter::Latency;
  if (most == t.memory) return Limiter::Memory;
  if (most == t.issue) return Limiter::Issue;
  return most == t.passes ? Limiter::Passes : Limiter::Atomics;
}

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
    all.wavefronts += p.wavefronts;
    all.atomic_sectors += p.atomic_sectors;
    all.counted = p.counted;
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

Band copy_time_us(const Device& device, double bytes) {
  KernelWork work;
  work.blocks = static_cast<std::int64_t>(std::ceil(bytes / kBytesPerBlock));
  work.dram_bytes = bytes;
  return kernel_time_us(device, work);
}

LibraryWork library_work(const graph::Computation& computation, const graph::Op& op) {
  const OpCost cost = cost_of(computation, op);
  LibraryWork work;
  work.bytes_read = static_cast<double>(cost.bytes_in);
  work.bytes_written = static_cast<double>(cost.bytes_out);
  if (class_of(op) != Class::Contraction || op.operands.size() < 2) return work;
  work.flops = cost.flops;
  work.factors = computation.ops[op.operands[0]].shape.dtype;
  const graph::Shape& result = op.shape.is_tuple && !op.shape.elements.empty() ? op.shape.elements[0] : op.shape;
  work.results = result.is_tuple ? 0 : static_cast<double>(result.elements_count());
  return work;
}

Band library_time_us(const Device& device, const LibraryWork& work) {
  const double bytes = work.bytes_read + work.bytes_written;
  const double contracted = work.results > 0 ? work.flops / (2 * work.results) : 0;
  const double blocks = std::max(1.0, std::ceil(work.results / kTile) * std::max(1.0, contracted / kSplitContraction));
  const double busy = std::min(1.0, blocks / device.sms);
  KernelWork streamed;
  streamed.blocks = work.flops > 0 ? static_cast<std::int64_t>(std::max(blocks, static_cast<double>(device.sms))) : static_cast<std::int64_t>(std::ceil(bytes / kBytesPerBlock));
  streamed.dram_bytes = bytes;
  Band time = kernel_time_us(device, streamed);
  for (double Band::* level : {&Band::low, &Band::mid, &Band::high}) {
    const double product = work.flops / (product_rate(device, work.factors) * kProductShare.*level * busy);
    time.*level = std::max(time.*level, kEmptyKernel.*level + kDramLatencyUs + product);
  }
  return time;
}

std::vector<std::string> time_formula(const Device& device) {
  const auto three = [](const Band& band, std::string_view unit) { return fmt::format("{:g} / {:g} / {:g}{}{}", band.low, band.mid, band.high, unit.empty() ? "" : " ", unit); };
  return {
      "Constants are assumptions from what is published of such devices; none was measured by Seam.",
      "launch = gap + kernel; program = the sum over its launches, one after another. Three figures are low / mid / high.",
      fmt::format("gap = {} when the host launches, {} in a CUDA graph.", three(kEagerGap, "us"), three(kGraphGap, "us")),
      fmt::format("kernel = empty ({}) + latency ({:g} us, and {:g} us per barrier of a block) + max(memory, issue, passes) x last wave + atomics.", three(kEmptyKernel, "us"), kDramLatencyUs,
                  kBarrierUs + 0.2 * kDramLatencyUs),
      fmt::format("memory = distinct bytes / min({} of {:.0f} GB/s, {:g} bytes per resident thread and {:g} us, {:g} even shares per busy SM) + bytes asked of the L2 beyond these / {:g} times that rate.",
                  three(kDramShare, ""), device.dram_bytes_per_s * 1e-9, kBytesInFlight, kDramLatencyUs, kPerSmPeakFactor, kCacheFactor),
      fmt::format("issue = instructions x ({} where they were counted, {} where they are estimated) / min({} lanes of each busy SM, a quarter of the resident threads) / {:g} GHz.", three(kCounted, ""),
                  three(kEstimated, ""), device.fp32_lanes_per_sm, device.clock_ghz),
      "passes = wavefronts of L1 and shared memory / busy SMs / clock. Resident threads and waves: CUDA's occupancy rules with registers and shared memory.",
      fmt::format("atomics = 32-byte sectors they touch / {} per us. A copy is a kernel that streams.", three(kAtomicSectorsPerUs, "")),
      fmt::format("library product = max(a kernel that streams its bytes, empty + latency + flops / ({} of {:.0f} TFLOP/s for 16-bit, {:.0f} for f32 factors) / share of SMs with a tile of 64 x 64 x {:g}).",
                  three(kProductShare, ""), product_rate(device, DType::F16) * 1e-6, product_rate(device, DType::F32) * 1e-6, kSplitContraction),
  };
}

}  // namespace seam::analyzer
