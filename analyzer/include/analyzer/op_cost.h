#pragma once
/// What one op does, logically: arithmetic, and the words it reads and writes if nothing is fused. Facts of the graph, not of any
/// kernel; every figure is `modelled`.
#include <cstdint>
#include <string_view>
#include <vector>

#include "graph/graph.h"

namespace seam::analyzer {

/// How reports group ops (DESIGN section 12). Statistical normalization is an origin group with a reduce that is not a
/// contraction, its element-wise ops included: see shares.h.
enum class Class : std::uint8_t { Contraction, Normalization, Elementwise, Layout, Communication, Copy, Other };
[[nodiscard]] std::string_view name(Class c);

struct OpCost {
  double flops = 0;                    ///< ops.def's convention; contractions 2 x output x contracted
  std::int64_t words_in = 0, words_out = 0;
  std::int64_t bytes_in = 0, bytes_out = 0;
  /// Flops per byte moved; 0 if nothing moves.
  [[nodiscard]] double intensity() const;
};

/// Scratch memory of NVIDIA's libraries that a custom call lists as its last result: no result, and nobody reads it.
[[nodiscard]] std::int64_t scratch_bytes(const graph::Op& op);
/// Slices and gathers read what they take, updates write what they hold; views, tuples and constants cost nothing. A while or fusion
/// costs nothing itself: its computation does.
[[nodiscard]] OpCost cost_of(const graph::Computation& computation, const graph::Op& op);
/// The op's class by itself; reduces count as element-wise here (their origin group decides more).
[[nodiscard]] Class class_of(const graph::Op& op);
/// Element that reads nothing and writes nothing: parameters, constants, tuples, views, folded broadcasts.
[[nodiscard]] bool moves_nothing(const graph::Computation& computation, const graph::Op& op);

/// How often each computation that runs on the device runs in all: trips of loops multiplied, called fusions and reducers not
/// among them. Branches count as if each were taken. -1 = never, 0 = depends on data.
[[nodiscard]] std::vector<std::int64_t> runs_of(const graph::Graph& graph);

}  // namespace seam::analyzer
