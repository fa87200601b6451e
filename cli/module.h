#pragma once
/// What most commands begin with: open a module, prepare it, plan it or read a plan for it.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/npy.h"
#include "codegen/program_check.h"
#include "codegen/verdict.h"
#include "graph/graph.h"
#include "graph/torch.h"
#include "planner/planner.h"

namespace CLI {
class App;
}

namespace seam::cli {

/// What a graph of PyTorch's compiler may leave open (graph/torch.h).
struct ModuleFlags {
  std::vector<std::string> sizes;  ///< "s17=64"
  std::string graph;
  std::int64_t step = -1;          ///< of a trace: which profiled step; -1: the last
};
/// --size, --graph, --step.
void add_module_flags(CLI::App& app, ModuleFlags& flags);
/// Whether it is a run file or a trace.
[[nodiscard]] Result<bool> is_recorded(const std::string& file);
[[nodiscard]] Result<graph::TorchOptions> torch_options(const ModuleFlags& flags);
/// Any module, by content; of a trace or run, the graph of the operators that it recorded, with a line on standard error that says how much of it is
/// known. Errors carry the file's name.
[[nodiscard]] Result<graph::Graph> open_module(const std::filesystem::path& file, const ModuleFlags& flags = {});

inline constexpr const char* kSimulatedLayouts = "simulated";

struct PlanFlags {
  ModuleFlags module;
  std::string device = "h100";
  std::string policy = "stitch";
  std::string plan_file;          ///< empty: make one
  std::int64_t shared_cap = 0;
  std::int64_t footprint_cap = 0;
  bool unroll = false;
  bool no_merges = false;
  bool no_epilogues = false;
  std::string layouts = "as-written";
  std::string costs_file;         ///< empty: the usual one
  bool quiet = false;             ///< no progress line
  std::function<bool(const std::string& flag)> given;  ///< whether a flag was typed; set by add_plan_flags
};
/// --size, --graph, --step, --device, --policy, --shared-cap, --footprint-cap, --unroll, --no-merges, --no-epilogues.
void add_plan_flags(CLI::App& app, PlanFlags& flags);
/// BadInput for --layouts simulated, which takes a module: plan_options_for() (layouts.h).
[[nodiscard]] Result<planner::PlanOptions> plan_options(const PlanFlags& flags);

struct Planned {
  graph::Graph graph;  ///< what planner::prepared() returned
  planner::Plan plan;  ///< verified against it
  planner::PlanOptions options;
};
[[nodiscard]] Result<Planned> planned(const graph::Graph& module, const PlanFlags& flags);

/// in<k>.npy of a folder, one per leaf of the entry's parameters, in their dtypes; tensors of PyTorch by their own dims, however they lie.
[[nodiscard]] Result<std::vector<Array>> read_inputs(const std::filesystem::path& folder, const graph::Graph& graph);
/// out<k>.npy of a folder, one per leaf of the root, as stored; what a view does not show of a value is taken from `computed` (same order).
[[nodiscard]] Result<std::vector<Array>> read_outputs(const std::filesystem::path& folder, const graph::Graph& graph, const std::vector<Array>& computed);
/// Spread by output from the expected.tsv that such folders may carry; empty if there is none.
[[nodiscard]] std::vector<double> read_spreads(const std::filesystem::path& folder);
/// Why outputs cannot be compared: the simulator reported something, or the run was stopped by --instructions; nullopt if they can.
[[nodiscard]] std::optional<codegen::ProgramCheck> not_comparable(const std::vector<std::string>& reports, bool over_budget, std::uint64_t instructions);
/// The exit code of a verdict.
[[nodiscard]] int exit_of_outcome(codegen::Outcome outcome);

}  // namespace seam::cli
