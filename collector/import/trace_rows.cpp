#include "import/trace_rows.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/utf8.h"
#include "import/copy_names.h"

namespace seam::collector {

namespace {

/// [x, y, z], as Kineto writes launch shapes.
std::optional<db::Grid> grid_of(const Text& text) {
  if (text.kind != Text::Kind::Array) return std::nullopt;
  std::array<std::int64_t, 3> values{1, 1, 1};
  std::size_t count = 0;
  std::string_view rest = text.view();
  for (std::size_t i = 0; i < rest.size() && count < 3;) {
    if (rest[i] < '0' || rest[i] > '9') {
      ++i;
      continue;
    }
    std::int64_t value = 0;
    for (; i < rest.size() && rest[i] >= '0' && rest[i] <= '9' && value < (std::int64_t{1} << 40); ++i) value = value * 10 + (rest[i] - '0');
    values[count++] = value;
  }
  return count == 3 ? std::optional(db::Grid{values[0], values[1], values[2]}) : std::nullopt;
}

/// "kind_src:pageable kind_dst:device size:64".
std::string word_behind(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return {};
  const std::size_t from = at + mark.size();
  return std::string(text.substr(from, std::min(text.find(' ', from), text.size()) - from));
}

}  // namespace

void TraceRows::add(const EventBatch& batch) {
  add_headers(batch);
  for (const Event& event : batch.events) add(batch, event);
}

void TraceRows::add(const EventBatch& batch, const Event& event) {
  ++events_;
  const std::string_view phase = event.phase.view();
  switch (phase.size() == 1 ? phase.front() : '\0') {
    case 'X': return add_span(batch, event);
    case 'M': return add_name(batch, event);
    case 's':
    case 't':
    case 'f': return add_flow(event);
    case 'i':
    case 'I': return add_instant(batch, event);
    case 'C': return add_counter(batch, event);
    case 'B': return add_begin(event);
    case 'E': return add_end(event);
    default: break;
  }
  lose("phase-not-read", phase.empty() ? std::string("events without a phase (\"ph\")") : fmt::format("events of phases that are not read, such as \"{}\"", phase));
}

void TraceRows::add_span(const EventBatch& batch, const Event& event) {
  const Category category = category_of(event.category.view());
  Arguments with = arguments(batch, event);
  const bool on_device = category == Category::Kernel || category == Category::Memcpy || category == Category::Memset;
  const Span span = span_of(event, on_device);
  if (category == Category::None && add_tsl(event, with, span)) return;
  switch (category) {
    case Category::Kernel: kineto_ = true; return add_kernel(event, with, span);
    case Category::Memcpy: kineto_ = true; return add_copy(event, with, span, false);
    case Category::Memset: kineto_ = true; return add_copy(event, with, span, true);
    case Category::Sync: return add_sync(event, with, span);
    case Category::Runtime: kineto_ = true; return add_call(event, with, span, false);
    case Category::Driver: kineto_ = true; return add_call(event, with, span, true);
    case Category::Op: kineto_ = true; return add_range(event, with, span, category);
    default: return add_range(event, with, span, category);
  }
}

TraceRows::Span TraceRows::span_of(const Event& event, bool on_device) {
  Span span;
  span.start_ns = nanoseconds(event.time);
  const std::optional<std::int64_t> duration = nanoseconds(event.duration);
  if (!fractions_ && event.time.kind == Text::Kind::Number && event.time.view().find('.') != std::string_view::npos) fractions_ = true;
  if (!span.start_ns) {
    lose("no-time", "events whose time is missing or not a number");
    return {};
  }
  // CUPTI's way to say that no time was recorded.
  if (on_device && *span.start_ns == 0 && duration == 0) {
    lose("no-time", "device work without a recorded time (start and end 0)");
    return {};
  }
  std::int64_t end = 0;
  if (!duration) {
    ++without_duration_;
  } else if (*duration < 0) {
    if (on_device) {
      ++negative_corrupt_;
      lose("negative-duration", "device work whose duration is below zero: its end is unknown");
    } else {
      ++negative_open_;
    }
  } else if (__builtin_add_overflow(*span.start_ns, *duration, &end)) {
    lose("time-out-of-range", "events that end beyond the year 2262");
  } else {
    span.end_ns = end;
  }
  first_ns_ = std::min(first_ns_.value_or(*span.start_ns), *span.start_ns);
  last_ns_ = std::max(last_ns_.value_or(*span.start_ns), span.end_ns.value_or(*span.start_ns));
  return span;
}

void TraceRows::add_kernel(const Event& event, const Arguments& with, const Span& span) {
  ++counts_["kernel"];
  db::Launch launch;
  launch.sequence = sequence_++;
  launch.name = name_of(event);
  auto& kernel = kernels_[{launch.name.value, with.registers.value_or(-1)}];
  if (!kernel.valid()) {
    kernel = writer_.add_kernel({.name = launch.name, .registers = with.registers ? std::optional(static_cast<int>(*with.registers)) : std::nullopt, .cuda_sha256 = {}, .ptx_sha256 = {}, .ir_sha256 = {}, .verdict = {}});
  }
  launch.kernel = kernel;
  launch.stream = stream_of(event, with);
  launch.start_ns = span.start_ns;
  launch.end_ns = span.end_ns;
  launch.grid = grid_of(with.grid);
  launch.block = grid_of(with.block);
  launch.static_shared = with.static_shared;
  launch.dynamic_shared = with.shared;
  launch.correlation = with.correlation;
  // 0: not in a graph.
  launch.graph = with.graph == 0 ? std::nullopt : with.graph;
  launch.graph_node = with.graph_node == 0 ? std::nullopt : with.graph_node;
  launch.evidence = Evidence::Recorded;
  launch.external = with.external;
  launch.extra = with.extra;
  const db::LaunchId id = writer_.add(launch);
  add_collective(with, id, {});
}

void TraceRows::add_copy(const Event& event, const Arguments& with, const Span& span, bool fill) {
  ++counts_[fill ? "memset" : "memcpy"];
  db::Copy copy;
  copy.sequence = sequence_++;
  copy.name = name_of(event);
  copy.kind = fill ? db::CopyKind::Memset : copy_kind(event.name.view());
  const auto [from, to] = with.copy_details.there() ? std::pair(word_behind(with.copy_details.view(), "kind_src:"), word_behind(with.copy_details.view(), "kind_dst:")) : memories(event.name.view());
  copy.source = writer_.intern(from);
  copy.destination = writer_.intern(to);
  copy.stream = stream_of(event, with);
  copy.start_ns = span.start_ns;
  copy.end_ns = span.end_ns;
  copy.bytes = with.bytes;
  copy.correlation = with.correlation;
  copy.graph = with.graph == 0 ? std::nullopt : with.graph;
  copy.graph_node = with.graph_node == 0 ? std::nullopt : with.graph_node;
  copy.bytes_evidence = with.bytes ? Evidence::Recorded : Evidence::Unknown;
  copy.evidence = Evidence::Recorded;
  copy.external = with.external;
  copy.extra = with.extra;
  writer_.add(copy);
}

void TraceRows::add_sync(const Event& event, const Arguments& with, const Span& span) {
  ++counts_["sync"];
  const std::string_view name = with.sync_kind.there() ? with.sync_kind.view() : event.name.view();
  db::Sync sync;
  sync.kind = name == "Stream Sync"         ? db::SyncKind::Stream
              : name == "Context Sync"      ? db::SyncKind::Context
              : name == "Event Sync"        ? db::SyncKind::Event
              : name == "Stream Wait Event" ? db::SyncKind::StreamWaitEvent
                                            : db::SyncKind::Unknown;
  const bool whole_context = !with.stream || *with.stream < 0 || *with.stream >= (std::int64_t{1} << 32) - 1;
  if (!whole_context) sync.stream = stream_of(event, with);
  sync.start_ns = span.start_ns;
  sync.end_ns = span.end_ns;
  sync.correlation = with.correlation;
  sync.wait_stream = with.wait_stream;
  sync.wait_correlation = with.wait_correlation;
  sync.wait_event = with.wait_event;
  sync.external = with.external;
  sync.extra = with.extra;
  writer_.add(sync);
}

void TraceRows::add_call(const Event& event, const Arguments& with, const Span& span, bool driver) {
  ++counts_["runtime"];
  ThreadInfo& thread = thread_of(event);
  thread.has_rows = true;
  if (with.correlation) calling_processes_.insert(thread.process);
  writer_.add(db::ApiCall{.thread = thread.id, .name = name_of(event), .start_ns = span.start_ns, .end_ns = span.end_ns, .correlation = with.correlation, .result = {},
                          .kind = driver ? db::ApiKind::Driver : db::ApiKind::Runtime, .external = with.external, .extra = with.extra});
}

void TraceRows::add_range(const Event& event, const Arguments& with, const Span& span, Category category) {
  db::Range range;
  range.name = name_of(event);
  range.domain = intern(event.category);
  range.start_ns = span.start_ns;
  range.end_ns = span.end_ns;
  range.external = with.external;
  range.number = with.number;
  range.sequence = with.sequence;
  range.forward_thread = with.forward_thread;
  range.extra = with.extra;
  const char* counted = "other";
  switch (category) {
    case Category::Op: counted = "op"; range.kind = db::RangeKind::Op; break;
    case Category::Annotation: counted = "annotation"; range.kind = db::RangeKind::Annotation; break;
    case Category::GpuAnnotation: counted = "gpu_annotation"; range.kind = db::RangeKind::GpuAnnotation; break;
    case Category::Python: counted = "python"; range.kind = db::RangeKind::Python; break;
    case Category::Overhead: counted = "overhead"; range.kind = db::RangeKind::Overhead; break;
    case Category::Profiler: counted = "profiler"; range.kind = db::RangeKind::Profiler; break;
    default: break;
  }
  ++counts_[counted];
  if (category == Category::Python) {
    range.number = with.python;
    range.parent_number = with.python_parent;
  }
  if (category == Category::GpuAnnotation) {
    range.stream = stream_of(event, with);
  } else {
    ThreadInfo& thread = thread_of(event);
    range.thread = thread.id;
    thread.has_rows |= category == Category::Op || category == Category::Annotation || category == Category::Python || category == Category::None || category == Category::Other;
  }
  if (with.dims.there() || with.types.there() || with.values.there()) range.signature = signature_of(with);
  const db::RangeId id = writer_.add(range);
  add_collective(with, {}, id);
}

void TraceRows::add_collective(const Arguments& with, db::LaunchId launch, db::RangeId range) {
  if (!with.collective.there()) return;
  writer_.add(db::Collective{.launch = launch, .range = range, .name = intern(with.collective), .dtype = intern(with.element_type), .elements_in = with.elements_in, .elements_out = with.elements_out,
                             .group_name = intern(with.group_name), .group_size = with.group_size, .ranks = intern(with.ranks), .sequence = with.collective_sequence, .node = {}});
}

void TraceRows::add_instant(const EventBatch& batch, const Event& event) {
  ++counts_["instant"];
  const std::optional<std::int64_t> time = nanoseconds(event.time);
  if (!time) lose("no-time", "events whose time is missing or not a number");
  const Arguments with = arguments(batch, event);
  const db::ThreadId thread = thread_of(event).id;
  if (event.name.view() == "[memory]") {
    ++counts_["allocation"];
    // Device type 0 is the host, 1 a CUDA device, 20 an AMD one (c10/core/DeviceType.h).
    writer_.add(db::Allocation{.time_ns = time, .thread = thread, .device = with.device_type == 0 ? std::nullopt : with.device_id, .address = with.address, .bytes = with.bytes,
                               .allocated = with.allocated, .reserved = with.reserved, .extra = with.extra});
    return;
  }
  writer_.add(db::Instant{.thread = thread, .category = intern(event.category), .name = name_of(event), .time_ns = time, .extra = with.extra});
}

void TraceRows::add_counter(const EventBatch& batch, const Event& event) {
  ++counts_["counter"];
  const std::optional<std::int64_t> time = nanoseconds(event.time);
  if (!time) lose("no-time", "events whose time is missing or not a number");
  const db::StringId name = name_of(event);
  const db::ProcessId process = process_of(event.process);
  const Field* field = batch.begin_of(event);
  for (const Field* end = field + event.arguments; field != end; ++field) {
    if (field->value.kind == Text::Kind::Word) note_word(field->value);
    writer_.add(db::Counter{.process = process, .name = name, .series = intern(field->key), .time_ns = time, .value = number(field->value)});
  }
}

void TraceRows::add_flow(const Event& event) {
  const Category category = category_of(event.category.view());
  if (category == Category::LaunchFlow) {
    ++counts_["launch_flow"];
    return;
  }
  ++counts_["flow"];
  const char phase = event.phase.view().front();
  writer_.add(db::Flow{.category = intern(event.category), .number = whole(event.id), .place = phase == 's' ? db::FlowPlace::Start : phase == 't' ? db::FlowPlace::Step : db::FlowPlace::End,
                       .thread = thread_of(event).id, .time_ns = nanoseconds(event.time)});
}

void TraceRows::add_name(const EventBatch& batch, const Event& event) {
  ++counts_["metadata"];
  const std::string_view what = event.name.view();
  const Field* field = batch.begin_of(event);
  for (const Field* end = field + event.arguments; field != end; ++field) {
    const std::string_view key = field->key.view();
    if (key == "name" && (what == "process_name" || what == "thread_name")) note_tsl_names(event, field->value.view());
    if (what == "process_name" && key == "name") process_names_[std::string(event.process.view())] = intern(field->value);
    if (what == "thread_name" && key == "name") thread_names_[{std::string(event.process.view()), std::string(event.thread.view())}] = intern(field->value);
  }
}

void TraceRows::add_begin(const Event& event) {
  ThreadInfo& thread = thread_of(event);
  thread.has_rows = true;
  open_[key_].push_back({name_of(event), nanoseconds(event.time), intern(event.category)});
}

void TraceRows::add_end(const Event& event) {
  const db::ThreadId thread = thread_of(event).id;
  std::vector<OpenRange>& open = open_[key_];
  const std::optional<std::int64_t> time = nanoseconds(event.time);
  if (open.empty()) return lose("end-without-begin", "E events without a B on their thread");
  add_pair(thread, open.back(), time);
  open.pop_back();
}

void TraceRows::add_pair(db::ThreadId thread, const OpenRange& begun, std::optional<std::int64_t> end_ns) {
  ++counts_["other"];
  db::Range range;
  range.thread = thread;
  range.domain = begun.domain;
  range.name = begun.name;
  range.start_ns = begun.start_ns;
  range.end_ns = end_ns;
  writer_.add(range);
  for (const auto& at : {begun.start_ns, end_ns}) {
    if (!at) continue;
    first_ns_ = std::min(first_ns_.value_or(*at), *at);
    last_ns_ = std::max(last_ns_.value_or(*at), *at);
  }
}

db::StringId TraceRows::intern(const Text& text) {
  if (!text.there() || (text.kind == Text::Kind::Word && text.view() == "null")) return {};
  return text.plain ? writer_.intern(text.view()) : writer_.intern(characters(text, mends_));
}

db::StringId TraceRows::name_of(const Event& event) {
  const db::StringId name = intern(event.name);
  return name.valid() ? name : writer_.intern("(no name)");
}

/// Leaves the thread's key in key_.
TraceRows::ThreadInfo& TraceRows::thread_of(const Event& event) {
  key_.assign(event.process.view());
  key_ += '\n';
  key_ += event.thread.view();
  const auto [at, fresh] = threads_.try_emplace(key_);
  if (fresh) {
    at->second.process = process_of(event.process);
    at->second.id = writer_.add_thread({.process = at->second.process, .number = integer(event.thread), .label = characters(event.thread, mends_), .name = {}});
  }
  return at->second;
}

db::ProcessId TraceRows::process_of(const Text& process) {
  const auto [at, fresh] = processes_.try_emplace(std::string(process.view()));
  if (fresh) at->second = writer_.add_process({.number = integer(process), .label = characters(process, mends_), .name = {}});
  return at->second;
}

db::StreamId TraceRows::stream_of(const Event& event, const Arguments& with) {
  const std::int64_t device = with.device.value_or(integer(event.process).value_or(0));
  const std::int64_t number = with.stream.value_or(trailing_number(event.thread).value_or(0));
  const auto [at, fresh] = streams_.try_emplace({device, with.context.value_or(-1), number});
  if (fresh) {
    at->second = writer_.add_stream({.device = device, .number = number, .name = {}, .context = with.context});
    devices_.try_emplace(device, db::RecordedDevice{.ordinal = device, .name = {}, .product = {}, .compute_major = {}, .compute_minor = {}, .sms = {}, .shared_per_block = {}, .l2_bytes = {}, .dram_bytes_per_s = {}, .clock_hz = {}});
  }
  return at->second;
}

std::optional<std::int64_t> TraceRows::whole(const Text& text) {
  const std::optional<std::int64_t> value = integer(text);
  if (!value && text.kind == Text::Kind::Number && text.view().find_first_of(".eE") == std::string_view::npos) lose("number-out-of-range", "numbers beyond 64 bits: unknown here");
  return value;
}

void TraceRows::note_word(const Text& text) {
  const std::string_view word = text.view();
  if (word != "null" && word != "true" && word != "false") ++words_[to_utf8(word.substr(0, 20))];
}

void TraceRows::lose(std::string_view reason, std::string_view detail) {
  const auto [at, fresh] = losses_.try_emplace(std::string(reason), 0, to_utf8(detail));
  ++at->second.first;
}

void TraceRows::warn(std::string_view code, const std::string& message) { warnings_.push_back({std::string(code), to_utf8(message)}); }

}  // namespace seam::collector
