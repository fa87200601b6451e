#include "import/rocm_rows.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/json_out.h"
#include "base/units.h"
#include "base/utf8.h"
#include "import/run_end.h"

namespace seam::collector {
namespace {

/// Copies that no queue is told of run on engines of their own.
constexpr std::int64_t kCopyEngines = -1;

/// Work items in blocks of a work group; a grid that is no multiple of it has a smaller last block.
std::optional<db::Grid> blocks_of(const std::optional<db::Grid>& work_items, const std::optional<db::Grid>& workgroup) {
  if (!work_items || !workgroup) return std::nullopt;
  const auto part = [](std::int64_t items, std::int64_t group) { return group > 0 && items > 0 ? (items - 1) / group + 1 : 0; };
  return db::Grid{part(work_items->x, workgroup->x), part(work_items->y, workgroup->y), part(work_items->z, workgroup->z)};
}

}  // namespace

RocmRows::Span RocmRows::span_of(const Number& start, const Number& end) {
  if (!start || (*start == 0 && end.value_or(0) == 0)) {
    lose("no-time", 1, "rows whose time is missing, not a number, or 0 at both ends");
    return {};
  }
  Span span{start, end};
  if (end && *end < *start) {
    lose("negative-duration", 1, "rows that end before they start: their end is unknown");
    span.end_ns.reset();
  }
  first_ns_ = std::min(first_ns_.value_or(*start), *start);
  const std::int64_t last = span.end_ns.value_or(*start);
  last_ns_ = std::max(last_ns_.value_or(last), last);
  return span;
}

db::ProcessId RocmRows::process_of(const Number& process) {
  if (!process) return {};
  const auto [at, fresh] = processes_.try_emplace(*process);
  if (fresh) at->second = writer_.add_process({.number = process, .label = std::to_string(*process), .name = {}});
  return at->second;
}

db::ThreadId RocmRows::thread_of(const Number& process, const Number& thread) {
  if (!thread) return {};
  const auto [at, fresh] = threads_.try_emplace({process.value_or(-1), *thread});
  if (fresh) at->second = writer_.add_thread({.process = process_of(process), .number = thread, .label = std::to_string(*thread), .name = {}});
  return at->second;
}

db::StreamId RocmRows::stream_of(const Number& agent, const Number& queue) {
  if (!agent) return {};
  used_devices_.insert(*agent);
  const std::int64_t number = queue.value_or(kCopyEngines);
  const auto [at, fresh] = streams_.try_emplace({*agent, number});
  if (fresh) at->second = writer_.add_stream({.device = *agent, .number = number, .name = queue ? db::StringId() : writer_.intern("copies"), .context = {}});
  return at->second;
}

db::StringId RocmRows::name_of(const std::string& name) { return writer_.intern(name.empty() ? "(no name)" : name); }
db::StringId RocmRows::extra_of(const nlohmann::json& extra) { return extra.empty() ? db::StringId() : writer_.intern(dumped(extra, -1)); }

db::LaunchId RocmRows::add(const RocKernel& kernel) {
  ++counts_["kernel"];
  db::Launch launch;
  launch.sequence = sequence_++;
  launch.name = name_of(kernel.name);
  db::KernelId& function = kernels_[{launch.name.value, kernel.registers.value_or(-1)}];
  if (!function.valid()) {
    function = writer_.add_kernel({.name = launch.name, .registers = kernel.registers ? std::optional(static_cast<int>(*kernel.registers)) : std::nullopt, .cuda_sha256 = {}, .ptx_sha256 = {}, .ir_sha256 = {}, .verdict = {}});
  }
  launch.kernel = function;
  launch.stream = stream_of(kernel.agent, kernel.queue);
  const Span span = span_of(kernel.start_ns, kernel.end_ns);
  launch.start_ns = span.start_ns;
  launch.end_ns = span.end_ns;
  launch.grid = blocks_of(kernel.work_items, kernel.workgroup);
  launch.block = kernel.workgroup;
  launch.dynamic_shared = kernel.shared;
  launch.correlation = kernel.correlation == 0 ? std::nullopt : kernel.correlation;
  launch.evidence = Evidence::Recorded;
  launch.process = process_of(kernel.process);
  launch.extra = extra_of(kernel.extra);
  const db::LaunchId id = writer_.add(launch);
  if (kernel.dispatch) dispatches_.try_emplace({kernel.process.value_or(-1), *kernel.dispatch, kernel.name}, id);
  return id;
}

void RocmRows::add(const RocCopy& copy) {
  ++counts_[copy.kind == db::CopyKind::Memset ? "memset" : "memcpy"];
  const Span span = span_of(copy.start_ns, copy.end_ns);
  writer_.add(db::Copy{.sequence = sequence_++, .kind = copy.kind, .name = name_of(copy.name), .stream = stream_of(copy.agent, copy.queue), .start_ns = span.start_ns, .end_ns = span.end_ns,
                       .bytes = copy.bytes, .correlation = copy.correlation == 0 ? std::nullopt : copy.correlation, .graph = {}, .graph_node = {}, .computation = {}, .trip = {},
                       .bytes_evidence = copy.bytes ? Evidence::Recorded : Evidence::Unknown, .evidence = Evidence::Recorded, .process = process_of(copy.process), .external = {}, .source = {},
                       .destination = {}, .extra = extra_of(copy.extra)});
}

void RocmRows::add(const RocCall& call) {
  ++counts_["runtime"];
  const Span span = span_of(call.start_ns, call.end_ns);
  if (call.process) calling_.insert(*call.process);
  nlohmann::json extra = call.extra;
  if (!call.domain.empty()) extra["domain"] = call.domain;
  writer_.add(db::ApiCall{.thread = thread_of(call.process, call.thread), .name = name_of(call.name), .start_ns = span.start_ns, .end_ns = span.end_ns, .correlation = call.correlation, .result = {},
                          .kind = call.driver ? db::ApiKind::Driver : db::ApiKind::Runtime, .external = {}, .extra = extra_of(extra)});
}

void RocmRows::add(const RocRange& range) {
  ++counts_[range.op ? "op" : "annotation"];
  const Span span = span_of(range.start_ns, range.end_ns);
  db::Range row;
  row.thread = thread_of(range.process, range.thread);
  row.domain = writer_.intern(range.domain);
  row.name = name_of(range.name);
  row.start_ns = span.start_ns;
  row.end_ns = span.end_ns;
  row.kind = range.op ? db::RangeKind::Op : db::RangeKind::Annotation;
  row.sequence = range.sequence;
  row.signature = range.signature;
  row.extra = extra_of(range.extra);
  writer_.add(row);
}

void RocmRows::add_counter(const RocKernel& of, std::string_view counter, std::optional<double> value) {
  auto at = dispatches_.end();
  if (of.dispatch) {
    at = dispatches_.find({of.process.value_or(-1), *of.dispatch, of.name});
    if (at == dispatches_.end()) at = dispatches_.find({-1, *of.dispatch, of.name});  // a trace that does not say the process
  }
  const db::LaunchId launch = at != dispatches_.end() ? at->second : add(of);
  if (!counted_.insert({launch.value, std::string(counter)}).second) return lose("repeated-counter", 1, "values of counters that the same dispatch has already: the first one is kept");
  ++counts_["launch_counter"];
  writer_.add(db::LaunchCounter{.launch = launch, .counter = writer_.intern(counter.empty() ? "(no name)" : counter), .unit = {}, .value = value, .text = {}});
}

void RocmRows::describe_device(std::int64_t agent, db::RecordedDevice device) {
  device.ordinal = agent;
  devices_.try_emplace(agent, std::move(device));
}

void RocmRows::lose(std::string_view reason, std::int64_t count, std::string_view detail) {
  const auto [at, fresh] = losses_.try_emplace(std::string(reason), 0, to_utf8(detail));
  at->second.first += count;
}
void RocmRows::warn(std::string_view code, const std::string& message) { warnings_.push_back({std::string(code), to_utf8(message)}); }
void RocmRows::set_property(const std::string& name, const std::string& value) {
  if (properties_.insert(name).second) writer_.set_property(to_utf8(name), to_utf8(value));
}

void RocmRows::finish(Imported& into) {
  for (const std::int64_t agent : used_devices_) describe_device(agent, {});
  for (auto& [ordinal, device] : devices_) {
    device.name = device_name(device.product);
    writer_.add_device(device);
  }
  writer_.set_clock({.unix_ns = {}, .resolution_ns = first_ns_ ? Number(1) : std::nullopt});
  order_by_time(writer_);
  writer_.build_indexes();
  if (calling_.size() < 2) {
    writer_.change("UPDATE launch SET process = NULL; UPDATE copy SET process = NULL");
  } else if (writer_.ask("SELECT EXISTS (SELECT 1 FROM launch WHERE process IS NULL) OR EXISTS (SELECT 1 FROM copy WHERE process IS NULL)") == 1) {
    // Several processes call the API: work of one that is not named must not be given to whichever has its number.
    const db::ProcessId nobody = writer_.add_process({.number = {}, .label = "not recorded", .name = {}});
    writer_.change(fmt::format("UPDATE launch SET process = {0} WHERE process IS NULL; UPDATE copy SET process = {0} WHERE process IS NULL", nobody.value));
  }
  if (const std::optional<std::string> overrun = sweep(writer_, into.busy_ns)) warn("overrun", *overrun);
  if (const auto at = losses_.find("no-time"); at != losses_.end()) warn("no-time", fmt::format("{} without a recorded time: kept, in no sum and in no span", counted(at->second.first, "row")));
  into.start_ns = first_ns_;
  into.end_ns = last_ns_;
  counts_["links"] = linked_work(writer_);
  counts_["threads"] = std::ssize(threads_);
  into.rows = in_order(counts_);
  say_faults(writer_, losses_, warnings_, into);
}

}  // namespace seam::collector
