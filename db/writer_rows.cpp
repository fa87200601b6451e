// Rows in: one function per table, columns in the order of schema.sql.
#include <fmt/core.h>

#include "base/utf8.h"
#include "writer_state.h"

namespace seam::db {
namespace {

constexpr std::string_view text_of(CopyKind kind) {
  constexpr std::array<std::string_view, 7> kNames = {"dtod", "htod", "dtoh", "htoh", "ptop", "memset", "unknown"};
  return kNames[static_cast<std::size_t>(kind)];
}
constexpr std::string_view text_of(RangeKind kind) {
  constexpr std::array<std::string_view, 7> kNames = {"op", "annotation", "gpu_annotation", "python", "overhead", "profiler", "other"};
  return kNames[static_cast<std::size_t>(kind)];
}
constexpr std::string_view text_of(SyncKind kind) {
  constexpr std::array<std::string_view, 5> kNames = {"stream", "context", "event", "stream_wait_event", "unknown"};
  return kNames[static_cast<std::size_t>(kind)];
}
constexpr std::string_view text_of(FlowPlace place) {
  constexpr std::array<std::string_view, 3> kNames = {"start", "step", "end"};
  return kNames[static_cast<std::size_t>(place)];
}
constexpr std::string_view text_of(NodeKind kind) {
  constexpr std::array<std::string_view, 6> kNames = {"host", "root", "device", "communication", "memory", "metadata"};
  return kNames[static_cast<std::size_t>(kind)];
}
constexpr std::string_view text_of(EdgeKind kind) { return kind == EdgeKind::Control ? "control" : "data"; }
constexpr std::string_view text_of(TensorSide side) { return side == TensorSide::Input ? "input" : "output"; }
constexpr std::string_view text_of(ApiKind kind) { return kind == ApiKind::Runtime ? "runtime" : "driver"; }

template <class Tag>
Id<Tag> id_of(std::int64_t row) {
  return Id<Tag>(static_cast<std::size_t>(row));
}

}  // namespace

StringId Writer::intern(std::string_view text) {
  if (text.empty()) return {};
  if (const auto known = state_->strings.find(text); known != state_->strings.end()) return known->second;
  if (!is_utf8(text)) return intern(to_utf8(text));  // as it will be stored, so that no text is there twice
  const StringId id = id_of<String>(state_->next(Table::String));
  state_->strings.emplace(text, id);
  state_->insert(Table::String, static_cast<std::int64_t>(id.value), text);
  return id;
}

std::string Writer::text(StringId id) const {
  for (const auto& [text, known] : state_->strings)
    if (known == id) return text;
  return {};
}

void Writer::set_property(std::string_view name, std::string_view value) { state_->insert(Table::Property, name, value); }

void Writer::add_device(const Device& device, bool is_virtual) {
  state_->insert(Table::Device, state_->next(Table::Device), device.name, device.product, std::int64_t{device.compute_major},
                 std::int64_t{device.compute_minor}, std::int64_t{device.sms}, device.shared_per_block, device.dram_bytes_per_s,
                 device.l2_bytes, device.clock_ghz * 1e9, std::int64_t{is_virtual ? 1 : 0});
}

void Writer::add_device(const RecordedDevice& device) {
  (void)state_->next(Table::Device);
  state_->insert(Table::Device, device.ordinal, std::string_view(device.name), nullable(device.product), device.compute_major, device.compute_minor, device.sms,
                 device.shared_per_block, device.dram_bytes_per_s, device.l2_bytes, device.clock_hz, std::int64_t{0});
}

void Writer::set_clock(const Clock& clock) { state_->insert(Table::Clock, state_->next(Table::Clock), std::string_view("run"), clock.unix_ns, clock.resolution_ns); }

ProcessId Writer::add_process(const Process& process) {
  const std::int64_t row = state_->next(Table::Process);
  state_->insert(Table::Process, row, process.number, std::string_view(process.label), nullable(process.name));
  return id_of<Process>(row);
}

ThreadId Writer::add_thread(const Thread& thread) {
  const std::int64_t row = state_->next(Table::Thread);
  state_->insert(Table::Thread, row, nullable(thread.process), thread.number, nullable(thread.name), nullable(thread.label));
  return id_of<Thread>(row);
}

StreamId Writer::add_stream(const Stream& stream) {
  const std::int64_t row = state_->next(Table::Stream);
  state_->insert(Table::Stream, row, stream.device, stream.number, nullable(stream.name), stream.context);
  return id_of<Stream>(row);
}

void Writer::set_name(ProcessId process, StringId name) { change(fmt::format("UPDATE process SET name = {} WHERE id = {}", name.value, process.value)); }
void Writer::set_name(ThreadId thread, StringId name) { change(fmt::format("UPDATE thread SET name = {} WHERE id = {}", name.value, thread.value)); }
void Writer::set_name(StreamId stream, StringId name) { change(fmt::format("UPDATE stream SET name = {} WHERE id = {}", name.value, stream.value)); }

KernelId Writer::add_kernel(const Kernel& kernel) {
  const std::int64_t row = state_->next(Table::Kernel);
  const std::optional<std::int64_t> registers = kernel.registers;
  state_->insert(Table::Kernel, row, nullable(kernel.name), registers, nullable(kernel.cuda_sha256), nullable(kernel.ptx_sha256), nullable(kernel.ir_sha256),
                 nullable(kernel.verdict));
  return id_of<Kernel>(row);
}

void Writer::add_kernel_op(KernelId kernel, int place, const KernelOp& op) {
  state_->insert(Table::KernelOp, static_cast<std::int64_t>(kernel.value), std::int64_t{place}, nullable(op.op), nullable(op.opcode), nullable(op.origin));
}

LaunchId Writer::add(const Launch& launch) {
  const auto part = [](const std::optional<Grid>& grid, std::int64_t Grid::* of) { return grid ? std::optional(*grid.*of) : std::nullopt; };
  const std::int64_t row = state_->next(Table::Launch);
  state_->insert(Table::Launch, row, launch.sequence, launch.kind == LaunchKind::Kernel ? std::string_view("kernel") : std::string_view("library"),
                 nullable(launch.name), nullable(launch.kernel), nullable(launch.stream), launch.start_ns, launch.end_ns,
                 part(launch.grid, &Grid::x), part(launch.grid, &Grid::y), part(launch.grid, &Grid::z), part(launch.block, &Grid::x),
                 part(launch.block, &Grid::y), part(launch.block, &Grid::z), launch.static_shared, launch.dynamic_shared, launch.correlation,
                 launch.graph, launch.graph_node, nullable(launch.computation), launch.trip, launch.level, launch.bytes_read,
                 launch.bytes_written, launch.flops, static_cast<std::int64_t>(launch.bytes_evidence), static_cast<std::int64_t>(launch.evidence),
                 nullable(launch.process), launch.external, nullable(launch.extra));
  return id_of<Launch>(row);
}

CopyId Writer::add(const Copy& copy) {
  const std::int64_t row = state_->next(Table::Copy);
  state_->insert(Table::Copy, row, copy.sequence, text_of(copy.kind), nullable(copy.name), nullable(copy.stream), copy.start_ns,
                 copy.end_ns, copy.bytes, copy.correlation, copy.graph, copy.graph_node, nullable(copy.computation), copy.trip,
                 static_cast<std::int64_t>(copy.bytes_evidence), static_cast<std::int64_t>(copy.evidence), nullable(copy.process), copy.external,
                 nullable(copy.source), nullable(copy.destination), nullable(copy.extra));
  return id_of<Copy>(row);
}

void Writer::add(const ApiCall& call) {
  state_->insert(Table::ApiCall, state_->next(Table::ApiCall), nullable(call.thread), nullable(call.name), call.start_ns, call.end_ns, call.correlation, call.result,
                 text_of(call.kind), call.external, nullable(call.extra));
}

RangeId Writer::add(const Range& range) {
  const std::int64_t row = state_->next(Table::Range);
  state_->insert(Table::Range, row, nullable(range.parent), nullable(range.thread), nullable(range.domain), nullable(range.name), range.start_ns, range.end_ns,
                 text_of(range.kind), nullable(range.stream), range.external, range.number, range.parent_number, range.sequence, range.forward_thread,
                 nullable(range.signature), nullable(range.extra));
  return id_of<Range>(row);
}

SignatureId Writer::add_signature(std::span<const SignatureInput> inputs) {
  const std::int64_t row = state_->next(Table::Signature);
  state_->insert(Table::Signature, row, static_cast<std::int64_t>(inputs.size()));
  std::int64_t place = 0;
  for (const SignatureInput& input : inputs)
    state_->insert(Table::SignatureInput, row, place++, nullable(input.type), nullable(input.dims), nullable(input.strides), nullable(input.value));
  return id_of<Signature>(row);
}

void Writer::add(const Sync& sync) {
  state_->insert(Table::Sync, state_->next(Table::Sync), text_of(sync.kind), nullable(sync.stream), sync.start_ns, sync.end_ns, sync.correlation, sync.wait_stream,
                 sync.wait_correlation, sync.wait_event, nullable(sync.process), sync.external, nullable(sync.extra));
}

void Writer::add(const Collective& collective) {
  state_->insert(Table::Collective, state_->next(Table::Collective), nullable(collective.launch), nullable(collective.range), nullable(collective.name),
                 nullable(collective.dtype), collective.elements_in, collective.elements_out, nullable(collective.group_name), collective.group_size,
                 nullable(collective.ranks), collective.sequence, nullable(collective.node));
}

void Writer::add(const Allocation& allocation) {
  state_->insert(Table::Allocation, state_->next(Table::Allocation), allocation.time_ns, nullable(allocation.thread), allocation.device, allocation.address,
                 allocation.bytes, allocation.allocated, allocation.reserved, nullable(allocation.extra));
}

void Writer::add(const Instant& instant) {
  state_->insert(Table::Instant, state_->next(Table::Instant), nullable(instant.thread), nullable(instant.category), nullable(instant.name), instant.time_ns,
                 nullable(instant.extra));
}

void Writer::add(const Counter& counter) {
  state_->insert(Table::Counter, state_->next(Table::Counter), nullable(counter.process), nullable(counter.name), nullable(counter.series), counter.time_ns, counter.value);
}

void Writer::add(const Flow& flow) {
  state_->insert(Table::Flow, state_->next(Table::Flow), nullable(flow.category), flow.number, text_of(flow.place), nullable(flow.thread), flow.time_ns);
}

void Writer::add(const LaunchCounter& counter) {
  state_->insert(Table::LaunchCounter, nullable(counter.launch), nullable(counter.counter), nullable(counter.unit), counter.value, nullable(counter.text));
}

NodeId Writer::add(const Node& node) {
  const std::int64_t row = state_->next(Table::Node);
  state_->insert(Table::Node, row, node.number, text_of(node.kind), nullable(node.name), nullable(node.thread), nullable(node.range), nullable(node.launch), nullable(node.copy),
                 node.parent, node.record, node.forward_parent, node.scope, node.duration_ns, nullable(node.op_schema), nullable(node.backend), nullable(node.kernel_file),
                 nullable(node.inputs), nullable(node.outputs), nullable(node.extra));
  return id_of<Node>(row);
}

void Writer::add_node_edge(NodeId node, EdgeKind kind, std::int64_t place, std::int64_t source) {
  state_->insert(Table::NodeEdge, nullable(node), place, text_of(kind), source);
}

void Writer::add(const NodeTensor& tensor) {
  state_->insert(Table::NodeTensor, nullable(tensor.node), text_of(tensor.side), tensor.place, tensor.item, tensor.tensor, tensor.storage, tensor.offset, tensor.elements,
                 tensor.item_bytes, nullable(tensor.device));
}

void Writer::add_warning(std::string_view code, std::string_view message) { state_->insert(Table::Warning, state_->next(Table::Warning), code, message); }

}  // namespace seam::db
