#pragma once
/// What `seam simulate` says about a launch: verdict, reports, counters, profile, buffers; as text or JSON.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/device.h"
#include "cli/command.h"
#include "sim/sim.h"

namespace seam::cli {

/// A buffer after the launch.
struct Changed {
  std::size_t argument = 0;
  std::string name, file;
  std::uint64_t bytes_read = 0, bytes_written = 0;
  std::int64_t unwritten = 0;
  bool output = false;
};

/// How a launch fills a device. Registers are known to the assembler only: without them this is the most that can be.
struct Occupancy {
  std::string device;
  int blocks_per_sm = 0;  ///< 0: it cannot launch there
  double occupancy = 0;   ///< resident threads of those an SM can hold
  std::uint64_t blocks = 0;
  double waves = 0;
};
[[nodiscard]] Occupancy occupancy(const Device& device, const sim::KernelInfo& kernel, const sim::Launch& launch);

struct Simulated {
  const std::string& file;
  const sim::KernelInfo& kernel;
  const sim::Launch& launch;
  const sim::Checks& checks;
  const sim::Outcome& outcome;
  const std::vector<Changed>& buffers;
  std::optional<Occupancy> occupancy;
};
void print_json(const Simulated& all);
void print_text(const Simulated& all, const Common& common);

}  // namespace seam::cli
