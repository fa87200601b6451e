#pragma once
/// Outputs of a whole program against expected ones.
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/npy.h"
#include "codegen/verdict.h"
#include "graph/graph.h"

namespace seam::codegen {

struct OutputCheck {
  std::size_t index = 0;
  double max_abs = 0, max_rel = 0;  ///< largest difference; relative to the expected value
  double tolerance = 0;             ///< largest difference that was allowed anywhere in it
  double spread = 0;                ///< how far two builds of the expecting compiler differ, where known
  std::uint64_t wrong = 0, compared = 0;
  bool used_spread = false;         ///< passed only because the expected values themselves spread that far
  std::uint64_t ill_conditioned = 0;  ///< elements that passed only because rounding alone moves the reference that far
  std::string first_wrong;
};
/// For a reader: what is wrong, or what it needed to pass beyond the table; empty if nothing.
[[nodiscard]] std::string remark(const OutputCheck& output);

struct ProgramCheck {
  Outcome outcome = Outcome::NotRun;
  std::string reason;  ///< why inconclusive or failed
  std::vector<OutputCheck> outputs;
};

/// How whoever computed the outputs differs from what the table takes for granted (f32 products exact to f32, sums of narrow types in f32).
struct Arithmetic {
  bool tf32 = false;         ///< factors of f32 products are rounded to tf32, which has as many bits as f16
  bool narrow_sums = false;  ///< sums of f16 and bf16 are kept in their own type
  friend bool operator==(const Arithmetic&, const Arithmetic&) = default;
};

/// Longest reduction or contraction of the module: what the tolerance of its outputs depends on.
[[nodiscard]] std::int64_t longest_reduction(const graph::Graph& graph);

/// What the evaluator makes of a module, each op rounded to its own type: arrays in for the leaves of the entry's parameters, in order, and out for
/// the leaves of its root. BadInput if the arrays do not fit; Cancelled once `go_on`, asked after each op, says no.
[[nodiscard]] Result<std::vector<Array>> reference_outputs(const graph::Graph& module, std::span<const Array> inputs, const std::function<bool()>& go_on = {});
/// Per output and element: how far `reference`, the module's outputs for `inputs`, moves when every op's result moves by its own rounding. No kernel
/// can be nearer than that where outputs cancel. Infinite where rounding alone makes it NaN or infinite, or no longer so. Eight more evaluations,
/// and 56 more where that happens; the same errors.
using Slack = std::vector<std::vector<double>>;
[[nodiscard]] Result<Slack> conditioning(const graph::Graph& module, std::span<const Array> inputs, std::span<const Array> reference, const std::function<bool()>& go_on = {});

/// Outputs of `graph`. Each element may differ by the tolerance table (graph/tolerance.h) at the precision its output really has: an f32 loss of an
/// f16 model is as exact as f16. `spreads` (per output, may be empty) widen that where the expected values come from a compiler whose own builds
/// spread more; OutputCheck says when it was needed.
[[nodiscard]] ProgramCheck check_outputs(const graph::Graph& graph, const std::vector<Array>& actual, const std::vector<Array>& expected,
                                         const std::vector<double>& spreads, const Arithmetic& arithmetic = {}, const Slack& slack = {});
/// The same; where elements differ they are judged again by the conditioning of `module` at `inputs`, if that can be evaluated. Inconclusive at best
/// if `module` does not hold all that ran (graph/cuts.h).
[[nodiscard]] ProgramCheck check_outputs_at(const graph::Graph& module, std::span<const Array> inputs, const graph::Graph& graph, const std::vector<Array>& actual,
                                            const std::vector<Array>& expected, const std::vector<double>& spreads, const Arithmetic& arithmetic = {},
                                            const std::function<bool()>& go_on = {});

}  // namespace seam::codegen
