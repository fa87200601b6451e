#pragma once
/// The whole path in one call: module text → plan → kernels → proof. Prints nothing, writes nothing; the command line, the desktop and tests
/// start here.
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "graph/torch.h"
#include "report/optimized.h"

namespace seam::report {

struct OptimizeRequest {
  std::string text;                 ///< HLO or .graph
  std::optional<graph::Graph> module;  ///< instead of a text, where it was read already
  std::string file;                 ///< for positions in errors
  graph::TorchOptions torch;        ///< what a graph of PyTorch leaves open
  std::string command, tool;        ///< for the report
  planner::PlanOptions options;
  codegen::ProveOptions proving;
  bool prove = true;
  std::size_t threads = 0;          ///< 0 = all cores
  std::vector<std::string> compare = {"none", "xla2018"};
  /// Optimized modules of the same program, to be counted beside the plan.
  std::vector<CompilerModule> compilers;
  /// Where the compiler comes from; a machine without one still gets plan and CUDA text.
  std::function<Result<std::shared_ptr<const codegen::Compiler>>()> find_compiler = codegen::Compiler::find;
  /// And the assembler; without one, registers and spills are unknown. Empty: they are not asked for.
  std::function<Result<std::shared_ptr<const codegen::Assembler>>()> find_assembler = codegen::Assembler::find;
  /// The whole program is run where its values and its work are no more than this.
  std::int64_t program_bytes = 64'000'000;
  double program_flops = 4e8;
  std::uint64_t program_instructions = 400'000'000;
};

struct Observer {
  /// A stage begins; what it returns is called as its work completes, from any thread. May be empty.
  std::function<codegen::Progress(std::string_view stage)> stage;
  /// True = stop soon: the result is what was done until then.
  std::function<bool()> cancelled;
};

/// Errors: the module cannot be read or planned, or what is to be compared is no optimized module. A kernel that cannot be lowered, compiled or proven is in the verdicts.
[[nodiscard]] Result<Optimized> optimize(const OptimizeRequest& request, const Observer& observer = {});

}  // namespace seam::report
