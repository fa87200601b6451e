#pragma once
/// What kernels cost, without a GPU: each one runs on the simulator on seeded inputs, whole or as a sample of its blocks, once; what was counted is kept
/// in the table of costs (db/costs.h) by the kernel's text up to names, so that the next run only looks it up.
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "analyzer/time_model.h"
#include "base/device.h"
#include "codegen/codegen.h"
#include "codegen/profile.h"
#include "db/costs.h"
#include "planner/layouts.h"
#include "planner/pipeline.h"

namespace seam::codegen {

/// Rows of the table that other versions of Seam wrote are not read: raise it when kernels, counters or the time model change.
inline constexpr int kCostVersion = 3;

/// What a profile says to the time model; `registers` per thread.
[[nodiscard]] analyzer::KernelWork work_of(const LaunchProfile& profile, int registers = 40);

/// Time without the launch gap: as a GPU recorded it, or as the time model has it from the counts. `times`: of a launch with so many times the blocks.
[[nodiscard]] double kernel_us(const db::Cost& cost, const Device& device, double times = 1);

class Meter {
 public:
  /// `costs` must outlive it. `most_instructions`: of threads, per kernel; beyond it a sample of the blocks runs.
  Meter(Device device, std::shared_ptr<const Compiler> compiler, db::CostTable& costs, std::uint64_t most_instructions = 30'000'000);

  struct Measured {
    std::vector<db::Cost> kernels;  ///< in plan order
    std::size_t looked_up = 0;      ///< that were in the table already
  };
  /// Kernels of one plan, or of many: all that are new are compiled and run together. A kernel that cannot be emitted, compiled or run is an error that names it.
  [[nodiscard]] Result<std::vector<Measured>> measure(std::span<const planner::Planning* const> plans, const Progress& progress = {}) const;
  [[nodiscard]] const Device& device() const { return device_; }

 private:
  Device device_;
  std::shared_ptr<const Compiler> compiler_;
  db::CostTable& costs_;
  std::uint64_t most_instructions_;
};

/// One execution of the plan in a CUDA graph, microseconds: its kernels as measured; copies, library calls and gaps as the time model has them.
[[nodiscard]] double time_us(const planner::Planning& planning, const Meter::Measured& measured, const Device& device);

/// The same by the planner's estimates alone.
[[nodiscard]] double estimated_us(const planner::Planning& planning, const Device& device);

/// Costs of orders from kernels that were measured: a copy along the walk, and one across it. First it is asked what the choice for `graph` (from
/// planner::before_layouts) wants to know, then all of that is measured at once.
[[nodiscard]] Result<std::unique_ptr<planner::LayoutCosts>> measured_layout_costs(const graph::Graph& graph, const planner::PlanOptions& options, const Meter& meter,
                                                                                 const Progress& progress = {});

/// Orders chosen on measured kernels: the network's choice, then single sets of values put back to row-major while a whole plan gets faster by it.
struct SettledLayouts {
  planner::Planning chosen;      ///< never slower than row_major by time_us()
  double chosen_us = 0, row_major_us = 0;  ///< whole plans
  planner::LayoutChoice network; ///< by measured costs
  int tried = 0;                 ///< plans that were measured
  std::size_t kernels_run = 0, kernels_looked_up = 0;
};
[[nodiscard]] Result<SettledLayouts> settle_layouts(const graph::Graph& module, const planner::PlanOptions& options, const Meter& meter, const Progress& progress = {});

}  // namespace seam::codegen
