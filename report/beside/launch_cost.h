#pragma once
#include "report/launch_cost.h"

namespace seam::report {

/// Figures of one kernel launch; where a sample of its blocks ran, they are taken times the blocks.
void take_profile(LaunchCost& launch, const codegen::LaunchProfile& profile, const Device& device);
[[nodiscard]] LaunchCost copy_cost(std::string name, double read, double written, const Device& device);
[[nodiscard]] LaunchCost library_cost(std::string name, const analyzer::LibraryWork& work, const Device& device);
[[nodiscard]] LaunchCost library_cost(std::string name, const graph::Computation& computation, const graph::Op& op, const Device& device);
/// What kernels left out or sampled mean for the sums.
void add_notes(ProgramCost& program);

}  // namespace seam::report
