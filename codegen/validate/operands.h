#pragma once
/// A kernel's operands on the simulated device, filled with one input set (codegen/inputs.h).
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "base/npy.h"
#include "codegen/program.h"
#include "sim/sim.h"

namespace seam::codegen {

struct Operands {
  sim::Memory memory;
  std::vector<std::uint64_t> addresses;                  ///< by Source::arguments
  std::map<Id<graph::Op>, std::unique_ptr<Array>> host;  ///< inputs, by storage op
};

/// Inputs are read-only; outputs are poisoned, updated ones hold what they update; workspace is zero.
[[nodiscard]] Operands seeded_operands(const Program& program, const Built& built, int set);
/// Outputs, updated operands and workspace as seeded_operands() left them.
void start_over(const Program& program, const Built& built, Operands& operands);
/// Of these blocks; empty = all.
[[nodiscard]] sim::Launch launch_of(const Built& built, const Operands& operands, std::vector<std::uint64_t> blocks);

}  // namespace seam::codegen
