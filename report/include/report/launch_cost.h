#pragma once
/// What the launches of a program move and how long they take, by the same counters and the same time model whoever compiled it.
#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/time_model.h"
#include "base/evidence.h"
#include "codegen/foreign.h"
#include "codegen/profile.h"
#include "planner/plan.h"

namespace seam::report {

enum class LaunchKind : std::uint8_t { Kernel, Copy, Library };

/// One launch. Bytes are those of DRAM: of kernels the distinct 32-byte sectors that one launch touches (a cache without limit inside it), of copies
/// and library calls their operands and results, once.
struct LaunchCost {
  std::string name;  ///< theirs: the instruction; ours: the group, or the op of a copy or library call
  std::string kernel;  ///< entry point; empty for others
  LaunchKind kind = LaunchKind::Kernel;
  std::int64_t times = 1;  ///< in a run of the program, loops times their trips
  bool times_known = true;  ///< false: data decides; `times` is 1
  double bytes_read = 0, bytes_written = 0;
  double requested = 0;     ///< bytes of all sectors that warps ask for, DRAM and caches together
  double instructions = 0;  ///< of threads
  double barriers = 0;      ///< of all blocks
  analyzer::Band time_us;   ///< execution, without the gap before it; modelled
  analyzer::Limiter limiter = analyzer::Limiter::Memory;  ///< of kernels: what most of that goes into
  /// Of bytes and instructions: simulated; modelled where blocks were sampled, for copies and for library calls; unknown if the kernel did not run.
  Evidence evidence = Evidence::Simulated;
  std::string why_unknown;  ///< what kept a kernel from running to its end
  [[nodiscard]] double bytes() const { return bytes_read + bytes_written; }
};

/// Sums over a run: each launch as often as it happens.
struct CostTotals {
  std::int64_t kernels = 0, copies = 0, library_calls = 0;
  double kernel_bytes_read = 0, kernel_bytes_written = 0, copy_bytes = 0, library_bytes = 0;
  double requested = 0, instructions = 0, barriers = 0;  ///< of kernels
  analyzer::Band execution_us;
  Evidence evidence = Evidence::Simulated;  ///< of what kernels do: the weakest of theirs
  [[nodiscard]] std::int64_t launches() const { return kernels + copies + library_calls; }
  [[nodiscard]] double kernel_bytes() const { return kernel_bytes_read + kernel_bytes_written; }
  [[nodiscard]] double bytes() const { return kernel_bytes() + copy_bytes + library_bytes; }
  /// Launch by launch, with the gap before each.
  [[nodiscard]] analyzer::Band time_us(analyzer::Launching how) const;
};

struct ProgramCost {
  std::string name;  ///< as in tables: "stitch", "h100.library"
  std::vector<LaunchCost> launches;
  std::vector<std::string> notes;  ///< what a reader must know, one sentence each
  [[nodiscard]] CostTotals totals() const;
};

/// `profiles` as profile_kernels() gives them for the same program.
[[nodiscard]] ProgramCost cost_of_foreign(const codegen::ForeignProgram& program, const std::vector<codegen::ForeignProfile>& profiles, const Device& device, std::string name);
[[nodiscard]] ProgramCost cost_of_plan(const codegen::Program& program, const std::vector<codegen::LaunchProfile>& profiles, const Device& device);

}  // namespace seam::report
