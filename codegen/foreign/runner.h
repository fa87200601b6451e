#pragma once
/// One run of a foreign program: computations in the order of the schedule, values in buffers with counted owners.
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "codegen/foreign.h"
#include "foreign/kernel_check.h"
#include "run/buffers.h"

namespace seam::codegen {

class ForeignRunner {
 public:
  ForeignRunner(const ForeignProgram& program, const ForeignOptions& options);

  [[nodiscard]] Result<ForeignRun> run(std::span<const Array> inputs);

 private:
  struct Frame {
    Id<graph::Computation> id;
    const graph::Computation& computation;
    std::int64_t trip = 0;
    IdVector<graph::Op, DeviceValue> values;
  };

  [[nodiscard]] Result<DeviceValue> invoke(Id<graph::Computation> computation, std::vector<DeviceValue> parameters, std::int64_t trip);
  [[nodiscard]] Result<void> one(Frame& frame, Id<graph::Op> op);
  [[nodiscard]] Result<void> kernel(Frame& frame, Id<graph::Op> op, const ForeignLaunch& launch);
  /// Computed by the evaluator: library calls and copies.
  [[nodiscard]] Result<void> evaluated(Frame& frame, Id<graph::Op> op, const ForeignLaunch& launch);
  [[nodiscard]] Result<void> loop(Frame& frame, Id<graph::Op> op);
  [[nodiscard]] Result<void> branch(Frame& frame, Id<graph::Op> op);
  [[nodiscard]] Result<DeviceValue> constant(Id<graph::Computation> computation, Id<graph::Op> op);

  /// The buffer of operand `k` for a result to lie in: its own where nobody else holds it any more, else a copy.
  [[nodiscard]] std::shared_ptr<DeviceBuffer> given_up(const Frame& frame, Id<graph::Op> op, std::size_t k);
  /// A tuple's elements go to the get-tuple-elements that read them, so that each element has no owner but its readers.
  void bind(Frame& frame, Id<graph::Op> op, DeviceValue value) const;
  [[nodiscard]] Array host(const DeviceValue& value);
  [[nodiscard]] DeviceValue device(const Array& row_major, const graph::Shape& shape, std::string_view name);
  [[nodiscard]] Result<std::int64_t> scalar(const DeviceValue& value);
  [[nodiscard]] bool stopped() const { return !result_.reports.empty() || result_.over_budget; }
  const IdVector<graph::Op, std::size_t>& last_uses(Id<graph::Computation> id);

  const ForeignProgram& program_;
  const ForeignOptions& options_;
  const graph::Graph& graph_;
  sim::Memory memory_;
  std::shared_ptr<BufferPool> pool_;
  FusionReference reference_;
  std::vector<DeviceValue> lent_;  ///< inputs that were not donated: a second owner, so that they are never overwritten
  std::map<std::pair<std::uint32_t, std::uint32_t>, DeviceValue> constants_;  ///< by computation and op
  std::map<std::uint32_t, IdVector<graph::Op, std::size_t>> last_uses_;
  std::set<std::string> checked_;
  ForeignRun result_;
};

}  // namespace seam::codegen
