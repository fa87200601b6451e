#include "foreign/runner.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "foreign/launch.h"
#include "foreign/memory_order.h"
#include "foreign/parts.h"
#include "graph/evaluate.h"

namespace seam::codegen {
namespace {

using graph::Opcode;

void flatten(const DeviceValue& value, std::vector<const DeviceValue*>& out) {
  if (!value.shape.is_tuple) return out.push_back(&value);
  for (const DeviceValue& element : value.elements) flatten(element, out);
}

/// What a copy moves: all of the result, or what it updates of it.
std::int64_t copied_bytes(const graph::Graph& graph, const graph::Op& op) {
  if (op.opcode != Opcode::Fusion) return op.shape.byte_size();
  const graph::Computation& inside = graph.computations[op.attributes.calls[0]];
  const graph::Op& root = inside.ops[inside.root];
  return (root.opcode == Opcode::DynamicUpdateSlice ? inside.ops[root.operands[1]].shape : op.shape).byte_size();
}

/// Scratch of library calls has no elements in what the evaluator returns.
std::int64_t value_bytes(const graph::Value& value) {
  if (!value.shape.is_tuple) return value.shape.byte_size();
  std::int64_t bytes = 0;
  for (const graph::Value& element : value.elements) bytes += value_bytes(element);
  return bytes;
}

}  // namespace

ForeignRunner::ForeignRunner(const ForeignProgram& program, const ForeignOptions& options)
    : program_(program), options_(options), graph_(program.graph), pool_(std::make_shared<BufferPool>(memory_)), reference_(program) {}

Array ForeignRunner::host(const DeviceValue& value) { return from_memory_order(memory_.bytes(value.buffer->address()), value.shape); }

DeviceValue ForeignRunner::device(const Array& row_major, const graph::Shape& shape, std::string_view name) {
  const std::vector<std::byte> bytes = in_memory_order(row_major, shape);
  DeviceValue value{shape, pool_->take(padded(static_cast<std::int64_t>(bytes.size())), name), {}};
  if (!bytes.empty()) std::memcpy(memory_.bytes(value.buffer->address()).data(), bytes.data(), bytes.size());
  memory_.set_initialized(value.buffer->address(), true);
  return value;
}

Result<ForeignRun> ForeignRunner::run(std::span<const Array> inputs) {
  const graph::Computation& entry = graph_.entry_computation();
  std::size_t next = 0;
  const auto bound = [&](const auto& self, const graph::Shape& shape, const std::string& name) -> Result<DeviceValue> {
    if (shape.is_tuple) {
      DeviceValue tuple{shape, nullptr, {}};
      for (const graph::Shape& element : shape.elements) {
        SEAM_TRY(DeviceValue value, self(self, element, name));
        tuple.elements.push_back(std::move(value));
      }
      return tuple;
    }
    if (next >= inputs.size()) return fail(Error::Code::BadInput, fmt::format("input {} ({}) is missing", next, name));
    const Array& array = inputs[next];
    if (array.dims != shape.dims || array.dtype != shape.dtype) {
      return fail(Error::Code::BadInput, fmt::format("input {} does not fit parameter {}: {} is wanted", next, name, graph::print(shape)));
    }
    ++next;
    return device(array, shape, name);
  };
  std::vector<DeviceValue> parameters;
  for (const Id<graph::Op> parameter : entry.parameters) {
    const graph::Op& op = entry.ops[parameter];
    SEAM_TRY(DeviceValue value, bound(bound, op.shape, op.name));
    if (!std::ranges::any_of(graph_.donated, [&](const auto& pair) { return pair.second == op.attributes.index; })) lent_.push_back(value);
    parameters.push_back(std::move(value));
  }
  if (next != inputs.size()) return fail(Error::Code::BadInput, fmt::format("{} inputs given, the module takes {}", inputs.size(), next));
  SEAM_TRY(const DeviceValue root, invoke(graph_.entry, std::move(parameters), 0));
  if (!stopped()) {
    std::vector<const DeviceValue*> results;
    flatten(root, results);
    for (const DeviceValue* leaf : results) result_.outputs.push_back(host(*leaf));
  }
  result_.peak_bytes = pool_->peak();
  return std::move(result_);
}

const IdVector<graph::Op, std::size_t>& ForeignRunner::last_uses(Id<graph::Computation> id) {
  const auto [slot, fresh] = last_uses_.try_emplace(id.value);
  if (fresh) {
    const graph::Computation& computation = graph_.computations[id];
    slot->second = IdVector<graph::Op, std::size_t>(computation.ops.size(), 0);
    for (std::size_t i = 0; i < computation.ops.size(); ++i) {
      for (const Id<graph::Op> operand : computation.ops[Id<graph::Op>(i)].operands) slot->second[operand] = i;
    }
    slot->second[computation.root] = computation.ops.size();  // the caller reads it
  }
  return slot->second;
}

void ForeignRunner::bind(Frame& frame, Id<graph::Op> id, DeviceValue value) const {
  if (taken_apart(frame.computation, id, value, [&](Id<graph::Op> reader, const DeviceValue& element) { frame.values[reader] = element; })) return;
  frame.values[id] = std::move(value);
}

Result<DeviceValue> ForeignRunner::invoke(Id<graph::Computation> id, std::vector<DeviceValue> parameters, std::int64_t trip) {
  const graph::Computation& computation = graph_.computations[id];
  Frame frame{id, computation, trip, IdVector<graph::Op, DeviceValue>(computation.ops.size())};
  for (std::size_t p = 0; p < parameters.size(); ++p) bind(frame, computation.parameters[p], std::move(parameters[p]));
  parameters.clear();
  const IdVector<graph::Op, std::size_t>& last = last_uses(id);
  for (std::size_t i = 0; i < computation.ops.size(); ++i) {
    const graph::Op& op = computation.ops[Id<graph::Op>(i)];
    SEAM_DO(one(frame, Id<graph::Op>(i)));
    if (stopped()) return DeviceValue{};
    for (const Id<graph::Op> operand : op.operands) {
      if (last[operand] == i) frame.values[operand] = {};
    }
    if (options_.progress && !launches_nothing(op.opcode) && !options_.progress(result_.kernels)) return fail(Error::Code::Cancelled, "stopped");
  }
  return std::move(frame.values[computation.root]);
}

Result<void> ForeignRunner::one(Frame& frame, Id<graph::Op> id) {
  const graph::Op& op = frame.computation.ops[id];
  const auto operand = [&](std::size_t k) -> const DeviceValue& { return frame.values[op.operands[k]]; };
  switch (op.opcode) {
    case Opcode::Parameter: return {};
    case Opcode::AfterAll: frame.values[id] = DeviceValue{op.shape, nullptr, {}}; return {};
    case Opcode::Constant: {
      SEAM_TRY(frame.values[id], constant(frame.id, id));
      return {};
    }
    case Opcode::Tuple: {
      DeviceValue tuple{op.shape, nullptr, {}};
      for (std::size_t k = 0; k < op.operands.size(); ++k) tuple.elements.push_back(operand(k));
      frame.values[id] = std::move(tuple);
      return {};
    }
    case Opcode::GetTupleElement:
      // Usually put there by bind() when the tuple came.
      if (frame.values[id].buffer == nullptr && frame.values[id].elements.empty()) {
        frame.values[id] = operand(0).elements.at(static_cast<std::size_t>(op.attributes.index));
      }
      return {};
    case Opcode::Bitcast:
    case Opcode::OptBarrier:
    case Opcode::AddDependency:
    case Opcode::Domain: {
      DeviceValue same = operand(0);
      same.shape = op.shape;
      frame.values[id] = std::move(same);
      return {};
    }
    case Opcode::Call: {
      std::vector<DeviceValue> parameters;
      for (std::size_t k = 0; k < op.operands.size(); ++k) parameters.push_back(operand(k));
      SEAM_TRY(DeviceValue value, invoke(op.attributes.calls[0], std::move(parameters), frame.trip));
      bind(frame, id, std::move(value));
      return {};
    }
    case Opcode::While: return loop(frame, id);
    case Opcode::Conditional: return branch(frame, id);
    default: break;
  }
  const auto launch = program_.launches.find(op.name);
  SEAM_CHECK(launch != program_.launches.end(), fmt::format("instruction {} has no launch", op.name));
  return launch->second.kind == ForeignKind::Kernel ? kernel(frame, id, launch->second) : evaluated(frame, id, launch->second);
}

std::shared_ptr<DeviceBuffer> ForeignRunner::given_up(const Frame& frame, Id<graph::Op> id, std::size_t k) {
  const graph::Op& op = frame.computation.ops[id];
  const Id<graph::Op> from = op.operands[k];
  const DeviceValue& value = frame.values[from];
  if (last_uses(frame.id)[from] == id.index() && value.buffer.use_count() == 1) return value.buffer;
  ++result_.rescued;
  return copied(*pool_, value, op.name).buffer;
}

Result<void> ForeignRunner::kernel(Frame& frame, Id<graph::Op> id, const ForeignLaunch& launch) {
  const graph::Op& op = frame.computation.ops[id];
  const bool check_now = options_.check_kernels && checked_.insert(op.name).second;
  std::vector<std::uint64_t> addresses;
  std::vector<Array> before;
  for (const Id<graph::Op> operand : op.operands) {
    const DeviceValue& value = frame.values[operand];
    if (value.buffer == nullptr)
      return fail(Error::Code::Unsupported, fmt::format("kernel {} reads {}, which is a tuple", launch.kernel, frame.computation.ops[operand].name),
                  op.at);
    addresses.push_back(value.buffer->address());
    if (check_now) before.push_back(host(value));
  }
  const std::vector<graph::Shape> shapes = leaves(op.shape);
  const Sharing& shared = launch.shared;
  DeviceValue result{op.shape, nullptr, {}};
  std::vector<DeviceValue> parts;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    auto buffer = shared[i] ? given_up(frame, id, *shared[i]) : pool_->take(padded(shapes[i].byte_size()), op.name);
    // The kernel may read and write it through either pointer.
    if (shared[i]) addresses[*shared[i]] = buffer->address();
    addresses.push_back(buffer->address());
    parts.push_back({shapes[i], std::move(buffer), {}});
  }
  SEAM_TRY(const sim::Outcome outcome, launch_foreign(program_, launch, addresses, memory_, options_.checks));
  ++result_.kernels;
  result_.instructions += outcome.counters.instructions;
  result_.bytes_read += outcome.counters.distinct_bytes_read;
  result_.bytes_written += outcome.counters.distinct_bytes_written;
  result_.steps.push_back({&launch, frame.id, frame.trip, static_cast<std::int64_t>(outcome.counters.distinct_bytes_read),
                           static_cast<std::int64_t>(outcome.counters.distinct_bytes_written), outcome.counters});
  for (const sim::Report& report : outcome.reports) result_.reports.push_back(rendered(launch, report));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string fault = result_fault(memory_, parts[i].buffer->address(), parts[i].shape.byte_size());
    if (!fault.empty()) result_.reports.push_back(fmt::format("kernel {} ({}): result {}: {}", launch.kernel, op.name, i, fault));
  }
  if (check_now && result_.reports.empty()) {
    ForeignCheck check{.instruction = op.name, .kernel = launch.kernel, .simulated = Outcome::Passed, .reason = {}, .counters = outcome.counters};
    std::vector<Array> after;
    for (const DeviceValue& part : parts) after.push_back(host(part));
    reference_.compare(frame.computation, op, before, after, check);
    result_.checks.push_back(std::move(check));
  }
  result_.over_budget = options_.instruction_budget > 0 && result_.instructions > options_.instruction_budget;
  if (op.shape.is_tuple) {
    result.elements = std::move(parts);
    parts.clear();
    bind(frame, id, std::move(result));
  } else {
    frame.values[id] = std::move(parts[0]);
  }
  return {};
}

Result<void> ForeignRunner::evaluated(Frame& frame, Id<graph::Op> id, const ForeignLaunch& launch) {
  const graph::Op& op = frame.computation.ops[id];
  std::vector<graph::Value> operands;
  ForeignStep step{&launch, frame.id, frame.trip, 0, 0, {}};
  for (const Id<graph::Op> operand : op.operands) {
    const DeviceValue& value = frame.values[operand];
    if (value.buffer == nullptr) return fail(Error::Code::Unsupported, fmt::format("{} reads a tuple: this cannot be run", op.name), op.at);
    SEAM_TRY(graph::Value on_host, graph::to_value(host(value), value.shape));
    step.bytes_read += value.shape.byte_size();
    operands.push_back(std::move(on_host));
  }
  std::vector<const graph::Value*> pointers;
  for (const graph::Value& operand : operands) pointers.push_back(&operand);
  SEAM_TRY(const graph::Value value,
           during(fmt::format("running {}", op.name), graph::evaluate_op(graph_, frame.computation, op, pointers, graph::Rounding::Rounded)));
  const bool copy = launch.kind == ForeignKind::Copy;
  ++(copy ? result_.copies : result_.library_calls);
  step.bytes_written = copy ? copied_bytes(graph_, op) : value_bytes(value);
  if (copy) step.bytes_read = step.bytes_written;
  result_.steps.push_back(std::move(step));
  if (!op.shape.is_tuple) {
    frame.values[id] = device(graph::to_array(value), op.shape, op.name);
    return {};
  }
  DeviceValue tuple{op.shape, nullptr, {}};
  for (std::size_t i = 0; i < value.elements.size(); ++i) {
    // Scratch comes back empty; nothing reads it.
    const bool scratch = value.elements[i].shape.dims != op.shape.elements[i].dims;
    tuple.elements.push_back(device(graph::to_array(value.elements[i]), scratch ? value.elements[i].shape : op.shape.elements[i], op.name));
  }
  bind(frame, id, std::move(tuple));
  return {};
}

Result<DeviceValue> ForeignRunner::constant(Id<graph::Computation> computation, Id<graph::Op> id) {
  const auto key = std::make_pair(computation.value, id.value);
  if (const auto found = constants_.find(key); found != constants_.end()) return found->second;
  const graph::Op& op = graph_.computations[computation].ops[id];
  if (op.shape.is_tuple) return fail(Error::Code::Unsupported, fmt::format("constant {} is a tuple", op.name), op.at);
  if (!op.attributes.literal.known) {
    return fail(Error::Code::Unsupported,
                fmt::format("the value of constant {} is not in the text ({{...}}): give the module before optimization (--before FILE), or dump with --xla_dump_large_constants", op.name), op.at);
  }
  return constants_.emplace(key, device(op.attributes.literal.value, op.shape, op.name)).first->second;
}

Result<ForeignRun> run(const ForeignProgram& program, std::span<const Array> inputs, const ForeignOptions& options) {
  return ForeignRunner(program, options).run(inputs);
}

}  // namespace seam::codegen
