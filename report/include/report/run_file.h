#pragma once
/// run.seam of an optimize: the planned program as a run: one row per launch, library call and copy, in order, loops expanded. Bytes are
/// simulated where the simulator ran the whole grid, modelled otherwise; nothing has a time.
#include <filesystem>

#include "report/optimized.h"

namespace seam::report {

/// Beyond this many rows loops are no longer expanded, and the file says how many rows that leaves out.
inline constexpr std::int64_t kMostRows = 200'000;

[[nodiscard]] Result<void> write_run_file(const Optimized& optimized, const std::filesystem::path& file, std::int64_t most_rows = kMostRows);

}  // namespace seam::report
