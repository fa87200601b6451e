#pragma once
/// What an optimized XLA:GPU module launches, read off its text: kernels, library calls, copies, and the bytes each moves if caches
/// keep nothing between launches. Rules: XLA's thunk emitter as noted in docs (a fusion is a kernel, a fusion that only copies is a
/// memcpy, a loop runs its body as often as it says).
#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace seam::analyzer {

struct LaunchCounts {
  std::int64_t kernels = 0, library_calls = 0, copies = 0;
  std::int64_t kernel_bytes = 0, library_bytes = 0, copy_bytes = 0;
  std::int64_t loops_of_unknown_length = 0;  ///< counted once
  [[nodiscard]] std::int64_t bytes() const { return kernel_bytes + library_bytes + copy_bytes; }
  friend bool operator==(const LaunchCounts&, const LaunchCounts&) = default;
};
/// Modules before optimization may be given too: every array op then counts as one kernel, reshapes and broadcasts as none.
[[nodiscard]] LaunchCounts count_launches(const graph::Graph& graph);
/// What one instruction of an optimized module reads and writes if it is launched, operands and results once: what LaunchCounts adds up.
[[nodiscard]] std::int64_t bytes_of_launch(const graph::Graph& graph, const graph::Computation& computation, const graph::Op& op);

}  // namespace seam::analyzer
