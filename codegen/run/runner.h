#pragma once
/// One invocation of one computation's plan: an environment of values and the steps that fill it.
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "codegen/run.h"
#include "run/buffers.h"

namespace seam::codegen {

/// Why a run stops before its end; not an error of the caller's.
enum class Stop : std::uint8_t { No, Report, Budget };

class Runner {
 public:
  Runner(const Program& program, const RunOptions& options);

  [[nodiscard]] Result<RunResult> run(std::span<const Array> inputs);

 private:
  using Env = std::map<Id<graph::Op>, DeviceValue>;
  struct Frame {
    const graph::Computation& computation;
    const planner::ComputationPlan& plan;
    std::size_t plan_index;
    Env env;
    std::map<Id<graph::Op>, int> reads_left;  ///< by storage op: how many steps still read it; the root counts as one
    Env prefilled;                            ///< by in-place op: the buffer a Copy step made for it
  };

  /// Gives each element of a tuple parameter its own entry, so that a loop body can overwrite what only it owns.
  static void bind_parameter(Frame& frame, Id<graph::Op> parameter, DeviceValue value);
  [[nodiscard]] Result<DeviceValue> invoke(Id<graph::Computation> computation, std::vector<DeviceValue> parameters);
  [[nodiscard]] Result<void> step(Frame& frame, const planner::Step& step);
  [[nodiscard]] Result<void> kernel(Frame& frame, const planner::Step& step);
  [[nodiscard]] Result<void> library(Frame& frame, Id<graph::Op> op);
  [[nodiscard]] Result<void> copy(Frame& frame, Id<graph::Op> op);
  [[nodiscard]] Result<void> loop(Frame& frame, Id<graph::Op> op);
  [[nodiscard]] Result<void> branch(Frame& frame, Id<graph::Op> op);

  /// The value of an op: from the environment, through free ops, or folded constants made real.
  [[nodiscard]] Result<DeviceValue> value(Frame& frame, Id<graph::Op> op);
  [[nodiscard]] Result<Array> folded_value(const graph::Computation& computation, Id<graph::Op> op);
  /// A scalar that decides control flow, read back to the host.
  [[nodiscard]] Result<std::int64_t> scalar(const DeviceValue& value);
  [[nodiscard]] Result<bool> keeps_going(Id<graph::Computation> condition, const DeviceValue& state);

  void count_reads(Frame& frame) const;
  [[nodiscard]] std::vector<Id<graph::Op>> reads_of(const Frame& frame, const planner::Step& step) const;
  /// Storages that the computation yields.
  [[nodiscard]] static std::set<Id<graph::Op>> returned_by(const graph::Computation& computation);
  void release(Frame& frame, const planner::Step& step);

  const Program& program_;
  const RunOptions& options_;
  const graph::Graph& graph_;
  sim::Memory memory_;
  std::shared_ptr<BufferPool> pool_;
  std::map<Id<graph::Computation>, std::size_t> plan_of_;
  std::vector<DeviceValue> lent_;  ///< inputs that the caller did not donate: a second owner, so that they are never overwritten
  std::map<std::pair<std::uint32_t, Id<graph::Op>>, DeviceValue> constants_;  ///< by computation and op
  RunResult result_;
  Stop stop_ = Stop::No;
};

}  // namespace seam::codegen
