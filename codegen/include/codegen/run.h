#pragma once
/// Runs a whole planned program without a GPU: emitted kernels on the simulator, library calls by the reference evaluator, loops and
/// branches followed, buffers assigned and reused. So order, aliasing and in-place updates are proven, not only each kernel.
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/npy.h"
#include "codegen/program.h"

namespace seam::codegen {

struct RunOptions {
  sim::Checks checks;
  /// Stop with Error::Cancelled when it returns false; called after each step with the number of launches so far.
  std::function<bool(std::uint64_t launches)> progress;
  /// Thread instructions the simulated kernels may use in all; 0 = no limit. Beyond it the run ends with `over_budget`.
  std::uint64_t instruction_budget = 0;
};

struct RunResult {
  std::vector<Array> outputs;           ///< the root's leaves, in tuple order; empty if over_budget or stopped by a report
  std::vector<std::string> reports;     ///< what the simulator said, with kernel names; empty = clean
  std::uint64_t kernels = 0, library_calls = 0, copies = 0;  ///< dynamic counts
  std::uint64_t bytes_read = 0, bytes_written = 0;           ///< distinct bytes per kernel launch, summed
  std::int64_t peak_bytes = 0;          ///< device memory in use at most
  std::int64_t allocated_bytes = 0;     ///< without reuse it would have been this
  std::uint64_t instructions = 0;       ///< thread instructions
  bool over_budget = false;
};

/// `inputs` by entry parameter number, leaves of tuple parameters in order. Errors: an input's shape does not fit; an op that neither
/// codegen nor the evaluator can do; a while that does not end.
[[nodiscard]] Result<RunResult> run(const Program& program, std::span<const Array> inputs, const RunOptions& options = {});

}  // namespace seam::codegen
