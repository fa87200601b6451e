#include "base/device.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace seam {
namespace {

// Limits: CUDA C++ Programming Guide, table "Technical Specifications per Compute Capability". SM counts, clocks (boost) and memory
// bandwidth: NVIDIA's product data sheets of each card; V100, A100 and H100 agree with XLA's target_config specs. Tensor cores: the same data
// sheets, without sparsity, and the Ada white paper for sums in f32 on the RTX 4090.
constexpr std::array kDevices = {
    //     name     product                       cc     SMs  thr   blk regs   smem/SM blk   opt-in  bytes/s    L2        GHz   lanes f16      tf32
    Device{"v100", "Tesla V100-SXM2-16GB", 7, 0, 80, 2048, 32, 65536, 98304, 49152, 98304, 8.98048e11, 6291456, 1.53, 64, 125e12, 0},
    Device{"a100", "NVIDIA A100-SXM4-40GB", 8, 0, 108, 2048, 32, 65536, 167936, 49152, 166912, 1.5552e12, 41943040, 1.41, 64, 312e12, 156e12},
    Device{"h100", "NVIDIA H100 80GB HBM3", 9, 0, 132, 2048, 32, 65536, 233472, 49152, 232448, 3.35232e12, 52428800, 1.98, 128, 989.4e12, 494.7e12},
    Device{"h200", "NVIDIA H200", 9, 0, 132, 2048, 32, 65536, 233472, 49152, 232448, 4.8e12, 52428800, 1.98, 128, 989.4e12, 494.7e12},
    Device{"b200", "NVIDIA B200", 10, 0, 148, 2048, 32, 65536, 233472, 49152, 232448, 8.0e12, 132644864, 1.965, 128, 2250e12, 1125e12},
    Device{"l4", "NVIDIA L4", 8, 9, 58, 1536, 24, 65536, 102400, 49152, 101376, 3.0e11, 50331648, 2.04, 128, 121e12, 60e12},
    Device{"t4", "Tesla T4", 7, 5, 40, 1024, 16, 65536, 65536, 49152, 65536, 3.2e11, 4194304, 1.59, 64, 65e12, 0},
    Device{"rtx4090", "NVIDIA GeForce RTX 4090", 8, 9, 128, 1536, 24, 65536, 102400, 49152, 101376, 1.008e12, 75497472, 2.52, 128, 165.2e12, 82.6e12},
};

}  // namespace

std::span<const Device> devices() { return kDevices; }

Result<Device> device_named(std::string_view name) {
  const auto* found = std::ranges::find(kDevices, name, &Device::name);
  if (found != kDevices.end()) return *found;
  std::string known;
  for (const Device& device : kDevices) known += fmt::format("{}{}", known.empty() ? "" : ", ", device.name);
  return fail(Error::Code::NotFound, fmt::format("no device '{}'; known are {}", name, known));
}

int blocks_per_sm(const Device& device, int threads, int registers_per_thread, std::int64_t shared_bytes) {
  if (threads <= 0 || threads > 1024 || registers_per_thread > 255) return 0;
  if (shared_bytes > device.shared_per_block_optin) return 0;
  const int warps = (threads + 31) / 32;
  int blocks = std::min(device.blocks_per_sm, device.threads_per_sm / (warps * 32));
  if (registers_per_thread > 0) {
    const int per_warp = (registers_per_thread * 32 + 255) / 256 * 256;
    blocks = std::min(blocks, device.registers_per_sm / per_warp / warps);
  }
  const std::int64_t reserved = device.compute_major >= 8 ? 1024 : 0;
  const std::int64_t granule = device.compute_major >= 8 ? 128 : 256;
  const std::int64_t shared = (shared_bytes + reserved + granule - 1) / granule * granule;
  if (shared > 0) blocks = std::min(blocks, static_cast<int>(device.shared_per_sm / shared));
  return blocks;
}

}  // namespace seam
