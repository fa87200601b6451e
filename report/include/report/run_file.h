#pragma once
/// The planned program as a run (run.seam of optimize): one row per launch, library call and copy, in order, loops expanded. Bytes are simulated where
/// the simulator ran the whole grid, modelled otherwise. Times are modelled: one launch after another, each after the gap of an eager launch.
#include <filesystem>

#include "report/optimized.h"

namespace seam::report {

/// Beyond this many rows loops are no longer expanded, and the file says how many rows that leaves out.
inline constexpr std::int64_t kMostRows = 200'000;

/// A planned program and what is known of it. Points into what the caller holds.
struct PlannedRun {
  const graph::Graph& graph;
  const planner::Plan& plan;
  const codegen::Program& program;               ///< of the plan
  const std::vector<codegen::Verdict>& verdicts; ///< in plan order; empty: kernels were not looked at
  const Device& device;
  bool ran = false;                              ///< whole, on the simulator
  std::string command, tool, compiler, module_sha256;
  std::vector<Notice> warnings;
};
[[nodiscard]] Result<void> write_run_file(const PlannedRun& run, const std::filesystem::path& file, std::int64_t most_rows = kMostRows);
[[nodiscard]] Result<void> write_run_file(const Optimized& optimized, const std::filesystem::path& file, std::int64_t most_rows = kMostRows);

}  // namespace seam::report
