#pragma once
/// What `optimize` and `demo` share: flags, the run, its report, the exit code.
#include <cstdint>
#include <string>
#include <vector>

#include "cli/command.h"
#include "compare.h"
#include "module.h"

namespace seam::cli {

struct OptimizeFlags {
  std::string input, output;
  PlanFlags plan;
  CompareFlags compare;
  bool no_prove = false, registers = false, allow_inconclusive = false;
  std::size_t threads = 0;
  int input_sets = 3;
  std::uint64_t instructions = 60'000'000;
};
/// All but the input and -o.
void add_optimize_flags(CLI::App& app, OptimizeFlags& flags);
/// `command`: what a reader types to get the same.
[[nodiscard]] Result<int> run_optimize(const OptimizeFlags& flags, const std::string& command, const Common& common);

}  // namespace seam::cli
