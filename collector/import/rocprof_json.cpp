#include "import/rocprof_json.h"

#include <fmt/core.h>

#include <map>

#include "base/utf8.h"
#include "import/json_take.h"

namespace seam::collector {
namespace {

using Json = nlohmann::json;

const Json kNothing;

/// A member, or null where the object or the member is not there.
const Json& member(const Json& object, const char* key) {
  if (!object.is_object()) return kNothing;
  const auto at = object.find(key);
  return at == object.end() ? kNothing : *at;
}
const Json& list(const Json& object, const char* key) {
  static const Json kEmpty = Json::array();
  const Json& value = member(object, key);
  return value.is_array() ? value : kEmpty;
}
std::string text(const Json& value) { return value.is_string() ? value.get<std::string>() : std::string(); }
/// {"handle": 5}, or 5.
Number handle(const Json& value) { return value.is_object() ? whole(member(value, "handle")) : whole(value); }
std::optional<db::Grid> grid(const Json& value) {
  const Number x = whole(member(value, "x")), y = whole(member(value, "y")), z = whole(member(value, "z"));
  return x && y && z ? std::optional(db::Grid{*x, *y, *z}) : std::nullopt;
}

class Process {
 public:
  Process(const Json& data, RocmRows& rows) : data_(data), rows_(rows), records_(member(data, "buffer_records")), number_(whole(member(member(data, "metadata"), "pid"))) {}

  void read() {
    load_names();
    agents();
    for (const Json& one : list(records_, "kernel_dispatch")) rows_.add(kernel(one, member(one, "dispatch_info")));
    for (const Json& one : list(records_, "memory_copy")) copy(one);
    for (const char* api : {"hip_api", "hsa_api", "rccl_api", "rocdecode_api", "rocjpeg_api", "ompt"})
      for (const Json& one : list(records_, api)) call(one);
    for (const Json& one : list(records_, "marker_api")) marker(one);
    for (const Json& one : list(member(data_, "callback_records"), "counter_collection")) counters(one);
    count_what_is_left();
  }

 private:
  void load_names() {
    const Json& strings = member(data_, "strings");
    for (const Json& kind : list(strings, "buffer_records")) {
      std::vector<std::string>& operations = operations_.emplace_back();
      domains_.push_back(text(member(kind, "kind")));
      for (const Json& operation : list(kind, "operations")) operations.push_back(text(operation));
    }
    for (const Json& one : list(strings, "marker_api"))
      if (const Number key = whole(member(one, "key"))) markers_[*key] = text(member(one, "value"));
    for (const Json& one : list(data_, "kernel_symbols")) {
      const Number id = whole(member(one, "kernel_id"));
      if (!id) continue;
      for (const char* key : {"demangled_kernel_name", "formatted_kernel_name", "kernel_name"})
        if (const std::string name = text(member(one, key)); !name.empty()) {
          kernels_.emplace(*id, name);
          break;
        }
    }
    for (const Json& one : list(data_, "counters"))
      if (const Number id = handle(member(one, "id"))) counter_names_[*id] = text(member(one, "name"));
  }

  /// Kernels name their agents by handles; people know them by the numbers of the nodes.
  void agents() {
    constexpr std::int64_t kGpu = 2;
    for (const Json& one : list(data_, "agents")) {
      const Number id = handle(member(one, "id")), node = whole(member(one, "node_id"));
      if (!id) continue;
      agents_[*id] = node.value_or(*id);
      if (whole(member(one, "type")) != kGpu) continue;
      gpus_.insert(*id);
      db::RecordedDevice device;
      device.product = text(member(one, "product_name"));
      if (device.product.empty()) device.product = text(member(one, "name"));
      device.sms = whole(member(one, "cu_count"));
      rows_.describe_device(agents_[*id], std::move(device));
    }
  }
  [[nodiscard]] Number agent(const Json& value) const {
    const Number id = handle(value);
    const auto at = id ? agents_.find(*id) : agents_.end();
    return at == agents_.end() ? id : Number(at->second);
  }

  [[nodiscard]] std::string operation(const Json& record) const {
    const Number kind = whole(member(record, "kind")), operation = whole(member(record, "operation"));
    if (!kind || !operation || *kind < 0 || *kind >= std::ssize(operations_) || *operation < 0 || *operation >= std::ssize(operations_[static_cast<std::size_t>(*kind)])) return {};
    return operations_[static_cast<std::size_t>(*kind)][static_cast<std::size_t>(*operation)];
  }
  [[nodiscard]] std::string domain(const Json& record) const {
    const Number kind = whole(member(record, "kind"));
    return kind && *kind >= 0 && *kind < std::ssize(domains_) ? domains_[static_cast<std::size_t>(*kind)] : std::string();
  }
  static Number correlation(const Json& record) { return whole(member(member(record, "correlation_id"), "internal")); }

  [[nodiscard]] RocKernel kernel(const Json& record, const Json& info) const {
    RocKernel out;
    const Number id = whole(member(info, "kernel_id"));
    const auto name = id ? kernels_.find(*id) : kernels_.end();
    out.name = name != kernels_.end() ? name->second : id ? fmt::format("kernel {}", *id) : std::string();
    out.process = number_;
    out.agent = agent(member(info, "agent_id"));
    out.queue = handle(member(info, "queue_id"));
    out.dispatch = whole(member(info, "dispatch_id"));
    out.correlation = correlation(record);
    out.start_ns = whole(member(record, "start_timestamp"));
    out.end_ns = whole(member(record, "end_timestamp"));
    out.shared = whole(member(info, "group_segment_size"));
    out.workgroup = grid(member(info, "workgroup_size"));
    out.work_items = grid(member(info, "grid_size"));
    if (out.dispatch) out.extra["Dispatch_Id"] = *out.dispatch;
    if (const Number thread = whole(member(record, "thread_id"))) out.extra["Thread_Id"] = *thread;
    if (const Number bytes = whole(member(info, "private_segment_size")); bytes.value_or(0) != 0) out.extra["Private_Segment_Size"] = *bytes;
    return out;
  }

  void copy(const Json& record) {
    RocCopy out;
    out.name = operation(record);
    const Number from = handle(member(record, "src_agent_id")), to = handle(member(record, "dst_agent_id"));
    const bool from_gpu = from && gpus_.contains(*from), to_gpu = to && gpus_.contains(*to);
    out.kind = from_gpu && to_gpu ? (from == to ? db::CopyKind::DeviceToDevice : db::CopyKind::PeerToPeer) : to_gpu ? db::CopyKind::HostToDevice : from_gpu ? db::CopyKind::DeviceToHost
               : from && to && agents_.contains(*from) && agents_.contains(*to) ? db::CopyKind::HostToHost : db::CopyKind::Unknown;
    out.process = number_;
    out.agent = agent(member(record, to_gpu ? "dst_agent_id" : "src_agent_id"));
    out.correlation = correlation(record);
    out.start_ns = whole(member(record, "start_timestamp"));
    out.end_ns = whole(member(record, "end_timestamp"));
    out.bytes = whole(member(record, "bytes"));
    rows_.add(out);
  }

  void call(const Json& record) {
    const std::string of = domain(record);
    rows_.add(RocCall{.domain = of, .name = operation(record), .process = number_, .thread = whole(member(record, "thread_id")), .correlation = correlation(record), .start_ns = whole(member(record, "start_timestamp")),
                      .end_ns = whole(member(record, "end_timestamp")), .driver = of.starts_with("HSA"), .extra = Json::object()});
  }

  void marker(const Json& record) {
    const auto named = markers_.find(correlation(record).value_or(-1));
    rows_.add(RocRange{.domain = domain(record), .name = named != markers_.end() ? named->second : operation(record), .process = number_, .thread = whole(member(record, "thread_id")),
                       .start_ns = whole(member(record, "start_timestamp")), .end_ns = whole(member(record, "end_timestamp")), .sequence = {}, .op = false, .signature = {}, .extra = Json::object()});
  }

  /// A value per instance of the counting hardware: their sum is the dispatch's.
  void counters(const Json& record) {
    const Json& dispatch = member(record, "dispatch_data");
    RocKernel of = kernel(dispatch, member(dispatch, "dispatch_info"));
    if (!of.start_ns) of.start_ns = whole(member(record, "start_timestamp"));
    of.registers = whole(member(record, "arch_vgpr_count"));
    std::map<std::int64_t, double> sums;
    for (const Json& one : list(record, "records")) {
      const Number id = handle(member(one, "counter_id"));
      const Json& value = member(one, "value");
      if (id && value.is_number()) sums[*id] += value.get<double>();
      else rows_.lose("counter-without-value", 1, "counters whose value is no number");
    }
    for (const auto& [id, sum] : sums) {
      const auto name = counter_names_.find(id);
      rows_.add_counter(of, name != counter_names_.end() ? name->second : fmt::format("counter {}", id), sum);
    }
  }

  void count_what_is_left() {
    static constexpr std::array<std::string_view, 9> kRead = {"kernel_dispatch", "memory_copy", "hip_api", "hsa_api", "marker_api", "rccl_api", "rocdecode_api", "rocjpeg_api", "ompt"};
    const auto count = [&](const Json& records, std::span<const std::string_view> read) {
      if (!records.is_object()) return;
      for (const auto& [name, value] : records.items())
        if (value.is_array() && !value.empty() && std::ranges::find(read, name) == read.end()) rows_.lose("not-read: " + to_utf8(name), static_cast<std::int64_t>(value.size()), "records of rocprofv3 that have no table here");
    };
    count(records_, kRead);
    static constexpr std::array<std::string_view, 1> kCounters = {"counter_collection"};
    count(member(data_, "callback_records"), kCounters);
  }

  const Json& data_;
  RocmRows& rows_;
  const Json& records_;
  Number number_;
  std::vector<std::vector<std::string>> operations_;
  std::vector<std::string> domains_;
  std::map<std::int64_t, std::string> markers_, kernels_, counter_names_;
  std::map<std::int64_t, std::int64_t> agents_;
  std::set<std::int64_t> gpus_;
};

}  // namespace

Result<void> read_rocprof_json(const std::string& text, RocmRows& rows) {
  const Json whole_text = Json::parse(is_utf8(text) ? text : to_utf8(text), nullptr, false);
  if (whole_text.is_discarded()) return fail(Error::Code::BadInput, "it is no sound JSON (cut off?)");
  const Json& processes = member(whole_text, "rocprofiler-sdk-tool");
  if (processes.is_object()) {
    Process(processes, rows).read();
  } else if (processes.is_array()) {
    for (const Json& one : processes) Process(one, rows).read();
  } else {
    return fail(Error::Code::BadInput, "there is no \"rocprofiler-sdk-tool\" in it");
  }
  return {};
}

}  // namespace seam::collector
