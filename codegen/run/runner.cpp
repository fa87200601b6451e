#include "run/runner.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "graph/evaluate.h"
#include "planner/planner.h"

namespace seam::codegen {
namespace {

using graph::Opcode;

void flatten(const DeviceValue& value, std::vector<const DeviceValue*>& leaves) {
  if (!value.shape.is_tuple) return leaves.push_back(&value);
  for (const DeviceValue& element : value.elements) flatten(element, leaves);
}

/// A parameter's value from consecutive input arrays.
Result<DeviceValue> bound(BufferPool& pool, const graph::Shape& shape, std::span<const Array> inputs, std::size_t& next, std::string_view name) {
  if (shape.is_tuple) {
    DeviceValue tuple{shape, nullptr, {}};
    for (const graph::Shape& element : shape.elements) {
      SEAM_TRY(DeviceValue value, bound(pool, element, inputs, next, name));
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
  return to_device(pool, array, shape, name);
}

graph::Shape byte_shape(std::int64_t bytes) {
  graph::Shape shape;
  shape.dtype = DType::U8;
  shape.dims = {bytes};
  return shape;
}

}  // namespace

Runner::Runner(const Program& program, const RunOptions& options)
    : program_(program), options_(options), graph_(*program.graph), pool_(std::make_shared<BufferPool>(memory_)) {
  for (std::size_t c = 0; c < program.plan->computations.size(); ++c) plan_of_[program.plan->computations[c].computation] = c;
}

Result<RunResult> Runner::run(std::span<const Array> inputs) {
  const graph::Computation& entry = graph_.entry_computation();
  std::vector<DeviceValue> parameters;
  std::size_t next = 0;
  for (const Id<graph::Op> parameter : entry.parameters) {
    const graph::Op& op = entry.ops[parameter];
    SEAM_TRY(DeviceValue value, bound(*pool_, op.shape, inputs, next, op.name));
    const bool donated = std::ranges::any_of(graph_.donated, [&](const auto& pair) { return pair.second == op.attributes.index; });
    if (!donated) lent_.push_back(value);
    parameters.push_back(std::move(value));
  }
  if (next != inputs.size()) return fail(Error::Code::BadInput, fmt::format("{} inputs given, the module takes {}", inputs.size(), next));
  SEAM_TRY(const DeviceValue root, invoke(graph_.entry, std::move(parameters)));
  if (stop_ == Stop::No) {
    std::vector<const DeviceValue*> leaves;
    flatten(root, leaves);
    for (const DeviceValue* leaf : leaves) result_.outputs.push_back(to_host(*pool_, *leaf));
  }
  result_.over_budget = stop_ == Stop::Budget;
  result_.peak_bytes = pool_->peak();
  result_.allocated_bytes = pool_->requested();
  return std::move(result_);
}

Result<DeviceValue> Runner::invoke(Id<graph::Computation> computation, std::vector<DeviceValue> parameters) {
  const auto found = plan_of_.find(computation);
  if (found == plan_of_.end()) {
    return fail(Error::Code::BadInput, fmt::format("the plan says nothing about computation {}", graph_.computations[computation].name));
  }
  const graph::Computation& body = graph_.computations[computation];
  Frame frame{body, program_.plan->computations[found->second], found->second, {}, {}, {}};
  for (std::size_t p = 0; p < parameters.size(); ++p) bind_parameter(frame, body.parameters[p], std::move(parameters[p]));
  parameters.clear();
  count_reads(frame);
  for (const planner::Step& s : frame.plan.steps) {
    SEAM_TRY([[maybe_unused]] const bool ok, step(frame, s).map([] { return true; }));
    if (stop_ != Stop::No) return DeviceValue{};
    release(frame, s);
  }
  return value(frame, body.root);
}

void Runner::bind_parameter(Frame& frame, Id<graph::Op> parameter, DeviceValue value) {
  if (taken_apart(frame.computation, parameter, value, [&](Id<graph::Op> reader, const DeviceValue& element) { frame.env[reader] = element; })) return;
  frame.env[parameter] = std::move(value);
}

Result<void> Runner::step(Frame& frame, const planner::Step& s) {
  Result<void> done;
  switch (s.kind) {
    case planner::StepKind::Kernel: done = kernel(frame, s); break;
    case planner::StepKind::Library: done = library(frame, s.op); break;
    case planner::StepKind::Copy: done = copy(frame, s.op); break;
    case planner::StepKind::While: done = loop(frame, s.op); break;
    case planner::StepKind::Conditional: done = branch(frame, s.op); break;
  }
  if (done && options_.progress && !options_.progress(result_.kernels)) return fail(Error::Code::Cancelled, "stopped");
  return done;
}

Result<void> Runner::kernel(Frame& frame, const planner::Step& s) {
  const Built& built = program_.kernels[frame.plan_index][s.group];
  std::vector<std::uint64_t> addresses;
  std::vector<DeviceValue> held;  // keeps every operand alive during the launch
  std::vector<std::pair<Id<graph::Op>, DeviceValue>> outputs;
  for (const Argument& argument : built.source.arguments) {
    if (argument.workspace_bytes > 0) {
      DeviceValue scratch = to_device(*pool_, make_array(DType::U8, {argument.workspace_bytes}),
                                      byte_shape(argument.workspace_bytes), argument.name);
      addresses.push_back(scratch.buffer->address());
      held.push_back(std::move(scratch));
      continue;
    }
    const graph::Op& op = frame.computation.ops[argument.op];
    if (!argument.output) {
      SEAM_TRY(DeviceValue operand, value(frame, argument.op));
      SEAM_CHECK(operand.buffer != nullptr, fmt::format("kernel {} reads {}, which is a tuple", built.source.name, op.name));
      addresses.push_back(operand.buffer->address());
      held.push_back(std::move(operand));
      continue;
    }
    DeviceValue output{op.shape, nullptr, {}};
    if (argument.updated) {
      if (auto made = frame.prefilled.extract(argument.op)) {
        output.buffer = made.mapped().buffer;
      } else {
        // In place: ours alone and read by nobody else afterwards, or a copy is made (and counted).
        const Id<graph::Op> storage = planner::storage_of(frame.computation, argument.aliases);
        SEAM_TRY(DeviceValue operand, value(frame, argument.aliases));
        const bool last_read = frame.reads_left[storage] <= 1;
        if (last_read) frame.env.erase(storage);
        if (last_read && operand.buffer.use_count() == 1) {
          output.buffer = operand.buffer;
        } else {
          output.buffer = copied(*pool_, operand, op.name).buffer;
          ++result_.copies;
        }
      }
    } else {
      output.buffer = pool_->take(op.shape.byte_size(), op.name);
    }
    addresses.push_back(output.buffer->address());
    outputs.emplace_back(argument.op, std::move(output));
  }
  sim::Launch launch{built.source.name, {static_cast<std::uint32_t>(built.source.grid)}, {static_cast<std::uint32_t>(built.source.block)},
                     built.source.shared_bytes, false, parameter_block(addresses), {}};
  sim::Checks checks = options_.checks;
  checks.excuse_races = false;  // nothing that we write needs one
  SEAM_TRY(const sim::Outcome outcome, sim::launch(*built.module, memory_, launch, checks));
  ++result_.kernels;
  result_.instructions += outcome.counters.instructions;
  result_.bytes_read += outcome.counters.distinct_bytes_read;
  result_.bytes_written += outcome.counters.distinct_bytes_written;
  for (const sim::Report& r : outcome.reports) {
    result_.reports.push_back(fmt::format("kernel {}: {}: {} ({}:{})", built.source.name, r.kind, r.message, r.file, r.line));
  }
  for (auto& [op, output] : outputs) {
    if (const std::int64_t missing = memory_.unwritten_bytes(output.buffer->address()); missing > 0) {
      result_.reports.push_back(fmt::format("kernel {}: {} bytes of {} were never written", built.source.name, missing, frame.computation.ops[op].name));
    }
    frame.env[op] = std::move(output);
  }
  if (!result_.reports.empty()) stop_ = Stop::Report;
  if (options_.instruction_budget > 0 && result_.instructions > options_.instruction_budget) stop_ = Stop::Budget;
  return {};
}

void Runner::count_reads(Frame& frame) const {
  for (const planner::Step& s : frame.plan.steps) {
    for (const Id<graph::Op> storage : reads_of(frame, s)) ++frame.reads_left[storage];
  }
}

namespace {

/// Storage ops of a value that may be a tuple: what must stay alive while it is read.
void storages(const graph::Computation& computation, Id<graph::Op> id, std::set<Id<graph::Op>>& out) {
  const Id<graph::Op> at = planner::storage_of(computation, id);
  if (computation.ops[at].opcode == Opcode::Tuple) {
    for (const Id<graph::Op> operand : computation.ops[at].operands) storages(computation, operand, out);
  } else if (computation.ops[at].opcode == Opcode::GetTupleElement) {
    // An element of a parameter, loop or call: the whole tuple's owner keeps it; the element has its own entry as well.
    out.insert(at);
    storages(computation, computation.ops[at].operands[0], out);
  } else {
    out.insert(at);
  }
}

}  // namespace

std::vector<Id<graph::Op>> Runner::reads_of(const Frame& frame, const planner::Step& s) const {
  std::set<Id<graph::Op>> out;
  if (s.kind == planner::StepKind::Kernel) {
    for (const Argument& argument : program_.kernels[frame.plan_index][s.group].source.arguments) {
      if (argument.workspace_bytes > 0) continue;
      if (!argument.output) storages(frame.computation, argument.op, out);
      if (argument.updated) storages(frame.computation, argument.aliases, out);
    }
  } else {
    for (const Id<graph::Op> operand : frame.computation.ops[s.op].operands) storages(frame.computation, operand, out);
  }
  return {out.begin(), out.end()};
}

std::set<Id<graph::Op>> Runner::returned_by(const graph::Computation& computation) {
  std::set<Id<graph::Op>> returned;
  storages(computation, computation.root, returned);
  return returned;
}

void Runner::release(Frame& frame, const planner::Step& s) {
  const std::set<Id<graph::Op>> returned = returned_by(frame.computation);
  for (const Id<graph::Op> storage : reads_of(frame, s)) {
    if (--frame.reads_left[storage] <= 0 && !returned.contains(storage)) frame.env.erase(storage);
  }
}

Result<RunResult> run(const Program& program, std::span<const Array> inputs, const RunOptions& options) {
  return Runner(program, options).run(inputs);
}

}  // namespace seam::codegen
