#pragma once
/// What Seam knows of a GPU without having one: limits for legality, peaks for the time model.
/// One row per device in device.cpp, each with its source.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace seam {

struct Device {
  std::string_view name;           ///< as typed: "h100"
  std::string_view product;        ///< "NVIDIA H100 80GB HBM3"
  int compute_major = 0;
  int compute_minor = 0;
  int sms = 0;
  int threads_per_sm = 0;
  int blocks_per_sm = 0;
  int registers_per_sm = 65536;
  std::int64_t shared_per_sm = 0;           ///< bytes
  std::int64_t shared_per_block = 49152;    ///< bytes without opting in
  std::int64_t shared_per_block_optin = 0;  ///< bytes
  double dram_bytes_per_s = 0;
  std::int64_t l2_bytes = 0;
  double clock_ghz = 0;
  int fp32_lanes_per_sm = 0;
  double tensor_flops_16 = 0;    ///< tensor cores, dense, f16 and bf16 factors summed in f32, per second
  double tensor_flops_tf32 = 0;  ///< the same for f32 factors rounded to tf32; 0: there is no such thing
};

[[nodiscard]] std::span<const Device> devices();
/// NotFound lists the names that exist.
[[nodiscard]] Result<Device> device_named(std::string_view name);

/// Blocks resident on one SM for a kernel: CUDA occupancy rules (registers allocated per warp in units of 256, shared
/// memory plus 1 KiB reserved per block from compute capability 8.0 on). 0 if it cannot launch.
[[nodiscard]] int blocks_per_sm(const Device& device, int threads, int registers_per_thread, std::int64_t shared_bytes);

}  // namespace seam
