#include "import/node_rows.h"

#include <fmt/core.h>

#include "base/json_out.h"
#include "base/units.h"
#include "base/utf8.h"
#include "import/copy_names.h"
#include "import/node_values.h"
#include "import/run_end.h"

namespace seam::collector {
namespace {

/// RecordScope of PyTorch: what the program marked itself.
constexpr std::int64_t kUserScope = 7;

}  // namespace

void NodeRows::add(const TraceNode& node) {
  ++counts_["node"];
  db::Node row;
  row.number = node.number;
  row.kind = node.kind;
  row.name = writer_.intern(node.name.empty() ? "(no name)" : node.name);
  row.parent = node.parent;
  row.record = node.record;
  row.forward_parent = node.forward_parent;
  row.scope = node.scope;
  row.duration_ns = node.duration_ns;
  row.op_schema = writer_.intern(node.op_schema);
  row.backend = writer_.intern(node.backend);
  row.kernel_file = writer_.intern(node.kernel_file);
  row.inputs = signature_of(node.inputs);
  row.outputs = signature_of(node.outputs);
  if (!node.extra.empty()) row.extra = writer_.intern(dumped(node.extra, -1));
  if (!joined_) {
    if (node.device) {
      add_device_work(node, row);
    } else {
      row.thread = thread_of(node);
      if (node.kind != db::NodeKind::Root && node.kind != db::NodeKind::Metadata) row.range = add_range(node, row.thread, row.inputs);
    }
    widen(node);
  }
  const db::NodeId id = writer_.add(row);
  for (const auto& [kind, sources] : {std::pair(db::EdgeKind::Control, &node.control), std::pair(db::EdgeKind::Data, &node.data)}) {
    std::int64_t place = 0;
    for (const std::int64_t source : *sources) writer_.add_node_edge(id, kind, place++, source);
  }
  add_tensors(id, db::TensorSide::Input, node.inputs);
  add_tensors(id, db::TensorSide::Output, node.outputs);
  if (node.collective) {
    ++counts_["collective"];
    const NodeCollective& said = *node.collective;
    writer_.add(db::Collective{.launch = row.launch, .range = row.range, .name = writer_.intern(said.name), .dtype = writer_.intern(said.dtype), .elements_in = said.elements_in,
                               .elements_out = said.elements_out, .group_name = writer_.intern(said.group), .group_size = said.group_size, .ranks = {}, .sequence = {}, .node = id});
  }
}

db::RangeId NodeRows::add_range(const TraceNode& node, db::ThreadId thread, db::SignatureId signature) {
  const bool marked = node.scope == kUserScope;
  ++counts_[marked ? "annotation" : "op"];
  db::Range range;
  range.thread = thread;
  range.name = writer_.intern(node.name.empty() ? "(no name)" : node.name);
  range.domain = writer_.intern(marked ? "user_annotation" : "cpu_op");
  range.kind = marked ? db::RangeKind::Annotation : db::RangeKind::Op;
  range.start_ns = node.start_ns;
  if (node.start_ns && node.duration_ns) range.end_ns = *node.start_ns + *node.duration_ns;
  range.number = node.record;
  range.sequence = node.sequence;
  range.forward_thread = node.forward_thread;
  range.signature = signature;
  return writer_.add(range);
}

void NodeRows::add_device_work(const TraceNode& node, db::Node& row) {
  const std::optional<std::int64_t> end = node.start_ns && node.duration_ns ? std::optional(*node.start_ns + *node.duration_ns) : std::nullopt;
  const bool fill = node.name.starts_with("Memset");
  if (fill || node.name.starts_with("Memcpy")) {
    ++counts_[fill ? "memset" : "memcpy"];
    const auto [from, to] = memories(node.name);
    row.copy = writer_.add(db::Copy{.sequence = sequence_++, .kind = fill ? db::CopyKind::Memset : copy_kind(node.name), .name = row.name, .stream = stream_of(node), .start_ns = node.start_ns, .end_ns = end,
                                    .bytes = node.bytes, .correlation = node.correlation, .graph = {}, .graph_node = {}, .computation = {}, .trip = {},
                                    .bytes_evidence = node.bytes ? Evidence::Recorded : Evidence::Unknown, .evidence = Evidence::Recorded, .process = {}, .external = node.external,
                                    .source = writer_.intern(from), .destination = writer_.intern(to), .extra = {}});
    return;
  }
  ++counts_["kernel"];
  db::KernelId& kernel = kernels_[{row.name.value, node.registers.value_or(-1)}];
  if (!kernel.valid()) {
    kernel = writer_.add_kernel({.name = row.name, .registers = node.registers ? std::optional(static_cast<int>(*node.registers)) : std::nullopt, .cuda_sha256 = {}, .ptx_sha256 = {}, .ir_sha256 = {}, .verdict = {}});
  }
  db::Launch launch;
  launch.sequence = sequence_++;
  launch.name = row.name;
  launch.kernel = kernel;
  launch.stream = stream_of(node);
  launch.start_ns = node.start_ns;
  launch.end_ns = end;
  launch.grid = node.grid;
  launch.block = node.block;
  launch.dynamic_shared = node.shared;
  launch.correlation = node.correlation;
  launch.external = node.external;
  launch.evidence = Evidence::Recorded;
  row.launch = writer_.add(launch);
}

db::StreamId NodeRows::stream_of(const TraceNode& node) {
  if (!node.stream) return {};
  const std::int64_t device = node.gpu.value_or(0);
  const auto [at, fresh] = streams_.try_emplace({device, node.context.value_or(-1), *node.stream});
  if (fresh) {
    at->second = writer_.add_stream({.device = device, .number = *node.stream, .name = {}, .context = node.context});
    devices_[device].ordinal = device;
  }
  return at->second;
}

db::ProcessId NodeRows::process() {
  if (!process_) process_ = writer_.add_process({.number = process_number_, .label = process_number_ ? std::to_string(*process_number_) : std::string("unknown"), .name = {}});
  return *process_;
}

/// Threads have small numbers here, not the system's: 1 is the main one. The process itself stands on none.
db::ThreadId NodeRows::thread_of(const TraceNode& node) {
  if (!node.thread || *node.thread == 0) return {};
  const auto [at, fresh] = threads_.try_emplace(*node.thread);
  if (fresh) at->second = writer_.add_thread({.process = process(), .number = {}, .label = std::to_string(*node.thread), .name = {}});
  return at->second;
}

db::SignatureId NodeRows::signature_of(const NodeValues& values) {
  if (!values.values.is_array() || values.values.empty()) return {};
  const std::vector<ValueText> texts = texts_of(values);
  std::string key;
  for (const ValueText& text : texts) key += fmt::format("{}\n{}\n{}\n{}\n", text.type, text.dims, text.strides, text.value);
  const auto [at, fresh] = signatures_.try_emplace(std::move(key));
  if (!fresh) return at->second;
  std::vector<db::SignatureInput> inputs;
  for (const ValueText& text : texts) inputs.push_back({.type = writer_.intern(text.type), .dims = text.dims, .strides = text.strides, .value = writer_.intern(text.value)});
  at->second = writer_.add_signature(inputs);
  return at->second;
}

void NodeRows::add_tensors(db::NodeId node, db::TensorSide side, const NodeValues& values) {
  std::int64_t strange = 0;
  for (const TensorAt& at : tensors_of(values, strange)) {
    ++counts_["node_tensor"];
    writer_.add(db::NodeTensor{.node = node, .side = side, .place = at.place, .item = at.item, .tensor = at.tensor, .storage = at.storage, .offset = at.offset, .elements = at.elements,
                               .item_bytes = at.item_bytes, .device = writer_.intern(at.device)});
  }
  if (strange > 0) lose("tensor-not-understood", strange, "tensors that are not written as [tensor, storage, offset, elements, bytes, device]: without an identity");
}

void NodeRows::widen(const TraceNode& node) {
  if (!node.start_ns) return;
  first_ns_ = std::min(first_ns_.value_or(*node.start_ns), *node.start_ns);
  const std::int64_t end = *node.start_ns + node.duration_ns.value_or(0);
  last_ns_ = std::max(last_ns_.value_or(end), end);
}

void NodeRows::set_property(const std::string& name, const std::string& value) {
  if (properties_.insert(name).second) writer_.set_property(name, value);
}

void NodeRows::lose(std::string_view reason, std::int64_t count, std::string_view detail) {
  const auto [at, fresh] = losses_.try_emplace(std::string(reason), 0, to_utf8(detail));
  at->second.first += count;
}

void NodeRows::finish(Imported& into) {
  if (!joined_) {
    for (auto& [ordinal, device] : devices_) {
      device.name = device_name({});
      writer_.add_device(device);
    }
    writer_.set_clock({.unix_ns = first_ns_.value_or(0) > std::int64_t{1'000'000'000'000'000'000} ? std::optional<std::int64_t>(0) : std::nullopt, .resolution_ns = first_ns_ ? std::optional<std::int64_t>(1000) : std::nullopt});
    if (first_ns_) order_by_time(writer_);  // nodes stand in the order in which ops end
    writer_.build_indexes();
    writer_.change("UPDATE range SET parent = (SELECT p.range FROM node n JOIN node p ON p.number = n.parent WHERE n.range = range.id AND p.id <> n.id)");
    if (const std::optional<std::string> overrun = sweep(writer_, into.busy_ns)) warn("overrun", *overrun);
    into.start_ns = first_ns_;
    into.end_ns = last_ns_;
    if (!first_ns_) warn("no-times", "an execution trace tells what ran on which tensors, and not when: there are no times in this run");
    counts_["threads"] = std::ssize(threads_);
    into.rows = in_order(counts_);
  } else {
    for (auto& [kind, count] : into.rows)
      if (kind == "node" || kind == "node_tensor") count = counts_[kind];
  }
  say_faults(writer_, losses_, warnings_, into);
}

}  // namespace seam::collector
