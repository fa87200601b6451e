#pragma once
/// Our plan of a graph that PyTorch's compiler printed, counted as what Inductor made of it is.
#include <filesystem>
#include <string>

#include "base/device.h"
#include "progress.h"
#include "report/launch_cost.h"

namespace seam::cli {

/// `pattern` with the graph's name (its description's without .json) for {}.
[[nodiscard]] std::filesystem::path beside_of(std::string pattern, const std::filesystem::path& description);
/// Reads, plans by our policy, compiles and runs every kernel once.
[[nodiscard]] Result<report::ProgramCost> cost_of_our_plan(const std::filesystem::path& graph, const Device& device, std::uint64_t most_instructions, Progress& bar);

}  // namespace seam::cli
