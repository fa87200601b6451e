/// How the runner finds a value: in the environment, through ops that cost nothing, or as a constant made real.
#include <fmt/core.h>

#include "base/check.h"
#include "graph/evaluate.h"
#include "planner/planner.h"
#include "run/runner.h"

namespace seam::codegen {

using graph::Opcode;

Result<Array> Runner::folded_value(const graph::Computation& computation, Id<graph::Op> id) {
  const graph::Op& op = computation.ops[id];
  if (op.opcode == Opcode::Constant) {
    if (!op.attributes.literal.known) {
      return fail(Error::Code::Unsupported, fmt::format("the value of constant {} is not in the text ({{...}})", op.name), op.at);
    }
    return op.attributes.literal.value;
  }
  std::vector<graph::Value> operands;
  for (const Id<graph::Op> operand : op.operands) {
    SEAM_TRY(const Array array, folded_value(computation, operand));
    SEAM_TRY(graph::Value value, graph::to_value(array, computation.ops[operand].shape));
    operands.push_back(std::move(value));
  }
  std::vector<const graph::Value*> pointers;
  for (const graph::Value& value : operands) pointers.push_back(&value);
  SEAM_TRY(const graph::Value value, graph::evaluate_op(graph_, computation, op, pointers, graph::Rounding::Rounded));
  return graph::to_array(value);
}

Result<DeviceValue> Runner::value(Frame& frame, Id<graph::Op> id) {
  if (const auto found = frame.env.find(id); found != frame.env.end()) return found->second;
  const graph::Op& op = frame.computation.ops[id];
  switch (op.opcode) {
    case Opcode::Tuple: {
      DeviceValue tuple{op.shape, nullptr, {}};
      for (const Id<graph::Op> operand : op.operands) {
        SEAM_TRY(DeviceValue element, value(frame, operand));
        tuple.elements.push_back(std::move(element));
      }
      return tuple;
    }
    case Opcode::GetTupleElement: {
      SEAM_TRY(DeviceValue tuple, value(frame, op.operands[0]));
      SEAM_CHECK(static_cast<std::size_t>(op.attributes.index) < tuple.elements.size(), "tuple element out of range");
      return std::move(tuple.elements[static_cast<std::size_t>(op.attributes.index)]);
    }
    case Opcode::OptBarrier:
    case Opcode::Domain:
    case Opcode::AddDependency:
      return value(frame, op.operands[0]);
    case Opcode::Reshape:
    case Opcode::Bitcast:
      if (!planner::folded(frame.computation, id)) {
        SEAM_TRY(DeviceValue same, value(frame, op.operands[0]));
        same.shape = op.shape;
        return same;
      }
      break;
    case Opcode::AfterAll:
      return DeviceValue{op.shape, nullptr, {}};
    default:
      break;
  }
  if (op.opcode == Opcode::Constant || planner::folded(frame.computation, id)) {
    const auto key = std::make_pair(frame.plan.computation.value, id);
    auto found = constants_.find(key);
    if (found == constants_.end()) {
      SEAM_TRY(const Array array, folded_value(frame.computation, id));
      found = constants_.emplace(key, to_device(*pool_, array, op.shape, op.name)).first;
    }
    return found->second;
  }
  return fail(Error::Code::BadInput, fmt::format("the plan reads {} before any step computes it", op.name), op.at);
}

Result<void> Runner::library(Frame& frame, Id<graph::Op> id) {
  const graph::Op& op = frame.computation.ops[id];
  std::vector<graph::Value> operands;
  for (const Id<graph::Op> operand : op.operands) {
    SEAM_TRY(const DeviceValue on_device, value(frame, operand));
    if (on_device.buffer == nullptr) {
      return fail(Error::Code::Unsupported, fmt::format("{}: library calls on tuples or tokens cannot be run", op.name), op.at);
    }
    SEAM_TRY(graph::Value on_host, graph::to_value(to_host(*pool_, on_device), on_device.shape));
    operands.push_back(std::move(on_host));
  }
  std::vector<const graph::Value*> pointers;
  for (const graph::Value& operand : operands) pointers.push_back(&operand);
  SEAM_TRY(const graph::Value result, during(fmt::format("running library call {}", op.name),
                                             graph::evaluate_op(graph_, frame.computation, op, pointers, graph::Rounding::Rounded)));
  ++result_.library_calls;
  if (!op.shape.is_tuple) {
    frame.env[id] = to_device(*pool_, graph::to_array(result), op.shape, op.name);
    return {};
  }
  DeviceValue tuple{op.shape, nullptr, {}};
  for (const graph::Value& element : result.elements) {
    tuple.elements.push_back(to_device(*pool_, graph::to_array(element), element.shape, op.name));
  }
  bind_parameter(frame, id, std::move(tuple));
  return {};
}

Result<void> Runner::copy(Frame& frame, Id<graph::Op> id) {
  const graph::Op& op = frame.computation.ops[id];
  ++result_.copies;
  if (op.opcode == Opcode::DynamicUpdateSlice || op.opcode == Opcode::Scatter) {
    SEAM_TRY(const DeviceValue operand, value(frame, op.operands[0]));
    frame.prefilled[id] = copied(*pool_, operand, op.name);
    return {};
  }
  if (planner::folded(frame.computation, id)) {
    SEAM_TRY(const Array array, folded_value(frame.computation, id));
    frame.env[id] = to_device(*pool_, array, op.shape, op.name);
    return {};
  }
  SEAM_TRY(const DeviceValue operand, value(frame, op.opcode == Opcode::Copy ? op.operands[0] : id));
  DeviceValue made = copied(*pool_, operand, op.name);
  made.shape = op.shape;
  frame.env[id] = std::move(made);
  return {};
}

}  // namespace seam::codegen
