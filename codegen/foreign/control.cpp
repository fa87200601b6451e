/// Loops and branches of a foreign program. A loop whose length is known runs without its condition, as XLA's runtime does.
#include <fmt/core.h>

#include "foreign/runner.h"
#include "graph/evaluate.h"
#include "graph/transform.h"

namespace seam::codegen {
namespace {

/// A loop that has run this often without ending is taken for one that never does.
constexpr std::int64_t kMostTrips = 1'000'000;

}  // namespace

Result<std::int64_t> ForeignRunner::scalar(const DeviceValue& value) {
  if (value.buffer == nullptr) return fail(Error::Code::Unsupported, "a tuple decides a loop or branch");
  SEAM_TRY(const graph::Value host_value, graph::to_value(host(value), value.shape));
  if (!host_value.integers.empty()) return host_value.integers[0];
  if (!host_value.numbers.empty()) return static_cast<std::int64_t>(host_value.numbers[0]);
  return fail(Error::Code::BadInput, "an empty value decides a loop or branch");
}

Result<void> ForeignRunner::loop(Frame& frame, Id<graph::Op> id) {
  const graph::Op& op = frame.computation.ops[id];
  const Id<graph::Op> from = op.operands[0];
  // What nobody reads after the loop belongs to it from here on: its body may update it in place.
  DeviceValue state = last_uses(frame.id)[from] == id.index() ? std::move(frame.values[from]) : frame.values[from];
  const std::optional<std::int64_t> trips = graph::trip_count(graph_, frame.computation, op);
  for (std::int64_t trip = 0;; ++trip) {
    if (trips) {
      if (trip == *trips) break;
    } else {
      SEAM_TRY(const DeviceValue verdict, invoke(op.attributes.calls[0], {state}, trip));
      if (stopped()) return {};
      SEAM_TRY(const std::int64_t again, scalar(verdict));
      if (again == 0) break;
      if (trip == kMostTrips) return fail(Error::Code::BadInput, fmt::format("loop {} did not end within {} trips", op.name, kMostTrips), op.at);
    }
    std::vector<DeviceValue> parameters;
    parameters.push_back(std::move(state));
    SEAM_TRY(state, invoke(op.attributes.calls[1], std::move(parameters), trip));
    if (stopped()) return {};
  }
  state.shape = op.shape;
  bind(frame, id, std::move(state));
  return {};
}

Result<void> ForeignRunner::branch(Frame& frame, Id<graph::Op> id) {
  const graph::Op& op = frame.computation.ops[id];
  const DeviceValue& selector = frame.values[op.operands[0]];
  SEAM_TRY(const std::int64_t number, scalar(selector));
  const std::size_t chosen = branch_taken(selector.shape.dtype, number, op.attributes.calls.size());
  std::vector<DeviceValue> parameters;
  parameters.push_back(frame.values[op.operands[chosen + 1]]);
  SEAM_TRY(DeviceValue result, invoke(op.attributes.calls[chosen], std::move(parameters), frame.trip));
  if (stopped()) return {};
  bind(frame, id, std::move(result));
  return {};
}

}  // namespace seam::codegen
