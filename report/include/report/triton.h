#pragma once
/// What Inductor made of graphs: launches, bytes and modelled time of each, by the counters and the time model that our own kernels and XLA's have.
/// Text and Markdown by the tables, JSON is "seam.graphs/1".
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codegen/triton.h"
#include "report/launch_cost.h"
#include "report/table.h"

namespace seam::report {

/// One launch of a kernel and how often the graph repeats it.
struct TritonLaunchRow {
  LaunchCost cost;
  sim::Dim3 grid, block;
  std::uint64_t blocks_run = 0, blocks = 0;
  std::vector<std::string> reports;  ///< of the simulator
  std::string refusal;               ///< why it did not run; empty if it did
};

/// A library call, as often as it is made with these shapes. Evidence unknown: its description has no shapes.
struct TritonCallRow {
  LaunchCost cost;
  bool product = false;  ///< a matrix product: the time model knows its flops; of others only bytes
};

struct TritonReport {
  std::string name;
  std::int64_t kernels = 0;               ///< distinct
  std::vector<TritonLaunchRow> launches;  ///< in order of first launch
  std::vector<TritonCallRow> calls;       ///< the same
  CostTotals totals;
  std::vector<std::string> notes;         ///< what a reader must know, one sentence each
  [[nodiscard]] bool kernels_known() const;  ///< every kernel ran: their sums are whole
  [[nodiscard]] bool calls_known() const;    ///< every call has shapes
  [[nodiscard]] bool clean() const;          ///< the simulator had nothing to report
};

/// `profiles` as profile_triton() gives them for `graph`.
[[nodiscard]] TritonReport triton_report(const codegen::TritonGraph& graph, const std::vector<codegen::TritonProfile>& profiles, const Device& device);

/// One row per graph.
[[nodiscard]] Table triton_table(std::span<const TritonReport> reports, const Device& device);
/// One row per distinct launch, then one per distinct library call.
[[nodiscard]] Table triton_launches_table(const TritonReport& report);
/// Inductor's graph and our plan of the same graph, one row each pair; `ours` in the same order as `reports`. Ratios are ours over theirs, with their
/// geometric means below. Kernels and copies against Triton launches; bytes of kernels, and with what library calls move.
[[nodiscard]] Table triton_beside_table(std::span<const TritonReport> reports, std::span<const ProgramCost> ours, const Device& device);
/// `ours`: empty, or one per report.
[[nodiscard]] std::string triton_json(std::span<const TritonReport> reports, const Device& device, std::span<const ProgramCost> ours = {});

}  // namespace seam::report
