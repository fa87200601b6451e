#pragma once
/// Proof of one kernel, tiers 1 to 3: its IR verifies; the PTX that would ship runs on the simulator with every check and no report;
/// its values agree with the reference evaluator within the tolerance table, for several seeds and distributions.
#include <cstdint>

#include "codegen/program.h"
#include "codegen/verdict.h"

namespace seam::codegen {

struct ProveOptions {
  /// Thread instructions per kernel and input set. A launch that needs more is sampled: whole chunks, first and last of every part
  /// among them; Verdict says how many blocks ran.
  std::uint64_t instruction_budget = 60'000'000;
  /// Elements of all ops together that the reference evaluates per output, input set and rounding; beyond it outputs are compared on a sample of the
  /// written elements. An updated buffer's changed elements are always among them.
  std::int64_t reference_budget = 16'000'000;
  int input_sets = 3;  ///< normal, positive, special; more repeat them with other seeds
};

/// Errors only for faults of the environment; whatever is wrong with the kernel is in the verdict.
[[nodiscard]] Result<Verdict> prove(const Program& program, const Built& built, const ProveOptions& options = {});
/// All kernels of a program, several at once, in plan order.
[[nodiscard]] Result<std::vector<Verdict>> prove_all(const Program& program, const ProveOptions& options = {}, const Progress& progress = {},
                                                     std::size_t threads = 0);

}  // namespace seam::codegen
