#pragma once
/// Everything that one `optimize` produced, as values: what the page, the JSON, the text and the output folder are renderings of.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/device.h"
#include "codegen/program.h"
#include "codegen/program_check.h"
#include "codegen/prove.h"
#include "graph/graph.h"
#include "planner/layouts.h"
#include "planner/planner.h"
#include "report/compiler_result.h"
#include "report/side_by_side.h"

namespace seam::report {

/// Wall time of each stage. Never part of a file that must be equal for equal inputs, report.json aside.
struct Seconds {
  double read = 0, plan = 0, emit = 0, compile = 0, assemble = 0, prove = 0, run = 0, count = 0;
};

/// What a run of the whole planned program on the simulator said (codegen/run.h), outputs aside.
struct ProgramRun {
  codegen::ProgramCheck check;
  bool ran = false;                 ///< to its end
  std::uint64_t kernels = 0, library_calls = 0, copies = 0;
  std::uint64_t bytes_read = 0, bytes_written = 0;
  std::uint64_t instructions = 0;
  std::int64_t peak_bytes = 0, allocated_bytes = 0;
};

struct Notice {
  std::string code;
  std::string message;
};

struct Optimized {
  std::string input;                ///< the module's file, as the user named it, without folders
  std::string command;              ///< what reproduces this
  std::string tool;                 ///< "seam 0.1.0"
  planner::PlanOptions options;
  std::string module_sha256;        ///< of the .graph text of what was planned
  /// On the heap: program points into both, wherever this value moves.
  std::unique_ptr<const graph::Graph> graph;
  std::unique_ptr<const planner::Plan> plan;
  std::vector<planner::LayoutReason> layouts;  ///< why values lie as they do; empty if the plan chose no layouts
  std::vector<planner::Plan> baselines;     ///< other policies on the same graph, for comparison
  std::vector<CompilerResult> compilers;    ///< what real compilers made of the same program …
  std::vector<SideBySide> beside;           ///< … and their kernels beside ours, where they are at hand
  codegen::Program program;                 ///< kernels that could not be lowered or compiled have no PTX
  codegen::ProveOptions proving;
  std::vector<codegen::Verdict> verdicts;   ///< one per kernel, in plan order
  std::vector<double> prove_seconds;        ///< by kernel; empty if nothing was proven
  ProgramRun run;
  std::string compiler;                     ///< empty: there was none
  std::string assembler;                    ///< empty: there was none, or nothing for it to do
  int ptx_target = 0;                       ///< what the PTX really targets, 10 * major + minor; later than the device's if the compiler no longer knows that
  std::vector<Notice> warnings;
  bool cancelled = false;                   ///< stopped by the user; what is missing is "not run" in the verdicts
  Seconds seconds;

  [[nodiscard]] const planner::Plan* baseline(std::string_view policy) const;
};

/// One kernel with all that is known of it.
struct KernelView {
  const graph::Graph& graph;
  const planner::ComputationPlan& where;
  const graph::Computation& computation;
  const planner::FusionGroup& group;
  const codegen::Built& built;
  const codegen::Verdict& verdict;
};
/// In plan order.
void for_each_kernel(const Optimized& optimized, const std::function<void(const KernelView&)>& visit);

/// Kernels by outcome.
struct VerdictCounts {
  std::size_t passed = 0, failed = 0, inconclusive = 0;
  [[nodiscard]] std::size_t total() const { return passed + failed + inconclusive; }
};
[[nodiscard]] VerdictCounts count(const std::vector<codegen::Verdict>& verdicts);

}  // namespace seam::report
