#pragma once
/// A plan turned into kernels that can run: one Built per fusion group, compiled once. What validate, run and export start from.
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/device.h"
#include "codegen/codegen.h"
#include "codegen/resources.h"
#include "codegen/source.h"
#include "planner/plan.h"
#include "sim/sim.h"

namespace seam::codegen {

struct Built {
  std::size_t computation = 0;  ///< index into Plan::computations
  std::size_t group = 0;        ///< index into ComputationPlan::groups
  std::string ir;               ///< kernel IR as text
  Source source;
  std::string ptx;
  std::optional<Resources> resources;  ///< of its machine code, if there was an assembler
  std::shared_ptr<const sim::Module> module;
};

struct Program {
  const graph::Graph* graph = nullptr;      ///< not owned: what prepared() returned
  const planner::Plan* plan = nullptr;      ///< not owned
  std::vector<std::vector<Built>> kernels;  ///< [computation index][group index]
  std::string compiler;                     ///< name and version
  double lower_seconds = 0, compile_seconds = 0;
};

/// Called as work completes, from any thread: done of total.
using Progress = std::function<void(std::size_t done, std::size_t total)>;

/// Lowers, emits, compiles and decodes every group. The first failure, with the group's name on the way out.
/// `threads` 0 = all cores. With an assembler, kernels also get their resources.
[[nodiscard]] Result<Program> build(const graph::Graph& graph, const planner::Plan& plan, const Device& device, const Compiler& compiler,
                                    const Progress& progress = {}, std::size_t threads = 0, const Assembler* assembler = nullptr);

/// How the steps of build() go through their kernels; their results depend on none of it.
struct Jobs {
  std::size_t threads = 0;  ///< 0 = all cores
  Progress progress = {};
  std::function<bool()> cancelled = {};  ///< what is not begun then fails with Error::Code::Cancelled
};

/// The steps of build(), for callers that go on where one kernel fails or where there is no compiler: one group lowered and emitted …
[[nodiscard]] Result<Built> lower_group(const graph::Graph& graph, const planner::Plan& plan, std::size_t computation, std::size_t group);
/// … then all compiled and decoded, what is equal up to names once and several in one run of the compiler. What each gets is what it gets alone …
[[nodiscard]] std::vector<Result<void>> compile(std::span<Built* const> kernels, const Device& device, const Compiler& compiler, const Jobs& jobs = {});
[[nodiscard]] Result<void> compile(Built& built, const Device& device, const Compiler& compiler);
/// … and assembled, for what it takes of the machine. BadInput: it is no code for that machine; other errors: nothing is known of it.
[[nodiscard]] std::vector<Result<void>> assemble(std::span<Built* const> kernels, const Device& device, const Compiler& compiler, const Assembler& assembler, const Jobs& jobs = {});

/// The parameter block of a launch: the buffers' addresses in the order of Source::arguments.
[[nodiscard]] std::vector<std::byte> parameter_block(const std::vector<std::uint64_t>& addresses);

}  // namespace seam::codegen
