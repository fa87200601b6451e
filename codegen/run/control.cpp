/// Loops and branches of a program run. Bodies run by their own plans; a condition is computed on the host, as XLA's
/// host-driven loops do, from the few scalars it reads.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "graph/evaluate.h"
#include "graph/transform.h"
#include "planner/planner.h"
#include "run/runner.h"

namespace seam::codegen {
namespace {

using graph::Opcode;

/// A loop that has run this often without ending is taken for one that never does.
constexpr std::int64_t kMostTrips = 1'000'000;

}  // namespace

Result<std::int64_t> Runner::scalar(const DeviceValue& value) {
  SEAM_TRY(const graph::Value host, graph::to_value(to_host(*pool_, value), value.shape));
  if (!host.integers.empty()) return host.integers[0];
  if (!host.numbers.empty()) return static_cast<std::int64_t>(host.numbers[0]);
  return fail(Error::Code::BadInput, "a branch or loop is decided by an empty value");
}

Result<bool> Runner::keeps_going(Id<graph::Computation> id, const DeviceValue& state) {
  const graph::Computation& condition = graph_.computations[id];
  std::map<Id<graph::Op>, graph::Value> known;
  // Only what the root needs is read back: a loop's state may hold large tensors.
  const auto compute = [&](const auto& self, Id<graph::Op> op_id) -> Result<const graph::Value*> {
    if (const auto found = known.find(op_id); found != known.end()) return &found->second;
    const graph::Op& op = condition.ops[op_id];
    const auto leaf = [&](const DeviceValue& value) -> Result<const graph::Value*> {
      SEAM_TRY(graph::Value host, graph::to_value(to_host(*pool_, value), value.shape));
      return &known.emplace(op_id, std::move(host)).first->second;
    };
    if (op.opcode == Opcode::Parameter && state.buffer != nullptr) return leaf(state);
    if (op.opcode == Opcode::GetTupleElement && condition.ops[op.operands[0]].opcode == Opcode::Parameter) {
      const DeviceValue& element = state.elements[static_cast<std::size_t>(op.attributes.index)];
      if (element.buffer != nullptr) return leaf(element);
    }
    std::vector<const graph::Value*> operands;
    for (const Id<graph::Op> operand : op.operands) {
      SEAM_TRY(const graph::Value* value, self(self, operand));
      operands.push_back(value);
    }
    SEAM_TRY(graph::Value result, graph::evaluate_op(graph_, condition, op, operands, graph::Rounding::Rounded));
    return &known.emplace(op_id, std::move(result)).first->second;
  };
  SEAM_TRY(const graph::Value* root, compute(compute, condition.root));
  return !root->numbers.empty() && root->numbers[0] != 0;
}

Result<void> Runner::loop(Frame& frame, Id<graph::Op> id) {
  const graph::Op& op = frame.computation.ops[id];
  SEAM_TRY(DeviceValue state, value(frame, op.operands[0]));
  // What nobody reads after the loop, nor the caller gets, belongs to the loop from here on: its body may update it in place.
  const std::set<Id<graph::Op>> returned = returned_by(frame.computation);
  for (const Id<graph::Op> storage : reads_of(frame, planner::Step{.kind = planner::StepKind::While, .op = id})) {
    if (frame.reads_left[storage] <= 1 && !returned.contains(storage)) frame.env.erase(storage);
  }
  const std::optional<std::int64_t> trips = graph::trip_count(graph_, frame.computation, op);
  const Id<graph::Computation> condition = op.attributes.calls[0];
  const Id<graph::Computation> body = op.attributes.calls[1];
  for (std::int64_t trip = 0;; ++trip) {
    if (trips) {
      if (trip == *trips) break;
    } else {
      SEAM_TRY(const bool again, keeps_going(condition, state));
      if (!again) break;
      if (trip == kMostTrips) return fail(Error::Code::BadInput, fmt::format("loop {} did not end within {} trips", op.name, kMostTrips), op.at);
    }
    std::vector<DeviceValue> parameters;
    parameters.push_back(std::move(state));
    SEAM_TRY(state, invoke(body, std::move(parameters)));
    if (stop_ != Stop::No) return {};
  }
  state.shape = op.shape;
  bind_parameter(frame, id, std::move(state));
  return {};
}

Result<void> Runner::branch(Frame& frame, Id<graph::Op> id) {
  const graph::Op& op = frame.computation.ops[id];
  SEAM_TRY(const DeviceValue selector, value(frame, op.operands[0]));
  SEAM_TRY(const std::int64_t number, scalar(selector));
  const std::size_t chosen = branch_taken(selector.shape.dtype, number, op.attributes.calls.size());
  SEAM_TRY(DeviceValue argument, value(frame, op.operands[chosen + 1]));
  std::vector<DeviceValue> parameters;
  parameters.push_back(std::move(argument));
  SEAM_TRY(DeviceValue result, invoke(op.attributes.calls[chosen], std::move(parameters)));
  if (stop_ != Stop::No) return {};
  bind_parameter(frame, id, std::move(result));
  return {};
}

}  // namespace seam::codegen
