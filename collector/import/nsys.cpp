#include "import/nsys.h"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <map>
#include <set>
#include <unordered_map>

#include "base/units.h"
#include "import/run_end.h"

namespace seam::collector {
namespace {

using Row = std::span<const std::optional<std::int64_t>>;

/// A global id holds hardware, virtual machine, process and thread: 24 bits each of the last two.
constexpr std::int64_t kProcess = 0x1000000;
std::int64_t process_in(std::int64_t global) { return global / kProcess % kProcess; }
std::int64_t thread_in(std::int64_t global) { return global % kProcess; }

constexpr std::int64_t kWholeContext = 0xffffffff;  ///< "stream" of a wait for all streams

std::string_view memory_kind(std::int64_t kind) {
  constexpr std::array<std::string_view, 7> kNames = {"pageable", "pinned", "device", "array", "managed", "device static", "managed static"};
  return kind >= 0 && kind < std::ssize(kNames) ? kNames[static_cast<std::size_t>(kind)] : "unknown";
}

struct CopyName {
  db::CopyKind kind;
  std::string_view label;
};
CopyName copy_name(std::int64_t kind) {
  switch (kind) {
    case 1: return {db::CopyKind::HostToDevice, "HtoD"};
    case 2: return {db::CopyKind::DeviceToHost, "DtoH"};
    case 8: return {db::CopyKind::DeviceToDevice, "DtoD"};
    case 9: return {db::CopyKind::HostToHost, "HtoH"};
    case 10: return {db::CopyKind::PeerToPeer, "PtoP"};
    case 11: return {db::CopyKind::HostToDevice, "unified HtoD"};
    case 12: return {db::CopyKind::DeviceToHost, "unified DtoH"};
    case 13: return {db::CopyKind::PeerToPeer, "unified DtoD"};
    default: return {db::CopyKind::Unknown, "of another kind"};
  }
}

db::SyncKind sync_kind(std::string_view api, std::int64_t type) {
  const auto has = [&](std::string_view part) { return api.find(part) != std::string_view::npos; };
  // The stored types differ between versions; the call says it.
  if (has("StreamWaitEvent")) return db::SyncKind::StreamWaitEvent;
  if (has("EventSynchronize")) return db::SyncKind::Event;
  if (has("StreamSynchronize")) return db::SyncKind::Stream;
  if (has("DeviceSynchronize") || has("ThreadSynchronize") || has("CtxSynchronize")) return db::SyncKind::Context;
  switch (type) {
    case 1: return db::SyncKind::Event;
    case 2: return db::SyncKind::StreamWaitEvent;
    case 3: return db::SyncKind::Stream;
    case 4: return db::SyncKind::Context;
    default: return db::SyncKind::Unknown;
  }
}

/// "cudaLaunchKernel_v7000" → "cudaLaunchKernel".
std::string_view without_version(std::string_view name) {
  const std::size_t at = name.rfind("_v");
  return at != std::string_view::npos && at + 2 < name.size() && name.find_first_not_of("0123456789", at + 2) == std::string_view::npos ? name.substr(0, at) : name;
}

class Import {
 public:
  Import(const db::Database& file, db::Writer& writer, Imported& into) : file_(file), writer_(writer), into_(into) {}

  Result<void> run() {
    SEAM_DO(load_names());
    SEAM_DO(devices_and_clock());
    SEAM_DO(api_calls());
    SEAM_DO(device_work());
    SEAM_DO(syncs());
    SEAM_DO(ranges());
    SEAM_DO(overheads());
    SEAM_DO(names_of_threads());
    SEAM_DO(count_what_is_left());
    finish();
    return {};
  }

 private:
  [[nodiscard]] bool has(const std::string& table) { return !columns(table).empty(); }
  const std::set<std::string>& columns(const std::string& table) {
    const auto [at, fresh] = columns_.try_emplace(table);
    if (fresh) {
      const auto rows = file_.query("SELECT name FROM pragma_table_info('" + table + "')");
      if (rows)
        for (const auto& row : rows->rows)
          if (const auto* column = std::get_if<std::string>(row.data())) at->second.insert(*column);
    }
    return at->second;
  }
  /// The columns by name, NULL for those that this version of the export lacks.
  std::string select(const std::string& table, std::initializer_list<const char*> wanted) {
    const std::set<std::string>& there = columns(table);
    std::string out;
    for (const char* column : wanted) out += (out.empty() ? "" : ", ") + (there.contains(column) ? "\"" + std::string(column) + "\"" : std::string("NULL"));
    return out;
  }

  Result<void> load_names() {
    SEAM_TRY(const db::Rows rows, file_.query("SELECT id, value FROM StringIds"));
    for (const auto& row : rows.rows)
      if (std::holds_alternative<std::int64_t>(row[0]) && std::holds_alternative<std::string>(row[1])) texts_.emplace(std::get<std::int64_t>(row[0]), std::get<std::string>(row[1]));
    return {};
  }
  [[nodiscard]] std::string_view text(const std::optional<std::int64_t>& id) const {
    const auto at = id ? texts_.find(*id) : texts_.end();
    return at == texts_.end() ? std::string_view() : std::string_view(at->second);
  }
  db::StringId name(const std::optional<std::int64_t>& id) {
    const db::StringId found = writer_.intern(text(id));
    return found.valid() ? found : writer_.intern("(no name)");
  }

  db::ProcessId process(std::int64_t global) {
    const std::int64_t number = process_in(global);
    const auto [at, fresh] = processes_.try_emplace(number);
    if (fresh) at->second = writer_.add_process({.number = number, .label = std::to_string(number), .name = {}});
    return at->second;
  }
  db::ThreadId thread(std::int64_t global) {
    const auto [at, fresh] = threads_.try_emplace(global);
    if (fresh) at->second = writer_.add_thread({.process = process(global), .number = thread_in(global), .label = std::to_string(thread_in(global)), .name = {}});
    return at->second;
  }
  db::StreamId stream(const std::optional<std::int64_t>& device, const std::optional<std::int64_t>& context, const std::optional<std::int64_t>& number) {
    const auto [at, fresh] = streams_.try_emplace({device.value_or(0), context.value_or(-1), number.value_or(0)});
    if (fresh) {
      at->second = writer_.add_stream({.device = device.value_or(0), .number = number.value_or(0), .name = {}, .context = context});
      used_devices_.insert(device.value_or(0));
    }
    return at->second;
  }
  void widen(const std::optional<std::int64_t>& start, const std::optional<std::int64_t>& end) {
    for (const auto& at : {start, end}) {
      if (!at) continue;
      into_.start_ns = std::min(into_.start_ns.value_or(*at), *at);
      into_.end_ns = std::max(into_.end_ns.value_or(*at), *at);
    }
  }

  Result<void> devices_and_clock() {
    std::optional<std::int64_t> epoch;
    if (has("TARGET_INFO_SESSION_START_TIME")) {
      SEAM_DO(file_.each("SELECT " + select("TARGET_INFO_SESSION_START_TIME", {"utcEpochNs"}) + " FROM TARGET_INFO_SESSION_START_TIME", [&](Row row) { epoch = row[0]; }));
    }
    writer_.set_clock({.unix_ns = epoch, .resolution_ns = 1});
    if (!has("TARGET_INFO_GPU")) return {};
    const std::string columns = select("TARGET_INFO_GPU", {"cuDevice", "id", "name", "computeMajor", "computeMinor", "smCount", "maxShmemPerBlock", "l2CacheSize", "memoryBandwidth", "clockRate"});
    SEAM_TRY(const db::Rows rows, file_.query("SELECT " + columns + " FROM TARGET_INFO_GPU"));
    for (const auto& row : rows.rows) {
      const auto integer = [&](std::size_t c) { return std::holds_alternative<std::int64_t>(row[c]) ? std::optional(std::get<std::int64_t>(row[c])) : std::nullopt; };
      const auto real = [&](std::size_t c) { return integer(c) ? std::optional(static_cast<double>(*integer(c))) : std::nullopt; };
      db::RecordedDevice device;
      device.ordinal = integer(0).value_or(integer(1).value_or(0));
      if (std::holds_alternative<std::string>(row[2])) device.product = std::get<std::string>(row[2]);
      device.compute_major = integer(3);
      device.compute_minor = integer(4);
      device.sms = integer(5);
      device.shared_per_block = integer(6);
      device.l2_bytes = integer(7);
      device.dram_bytes_per_s = real(8);
      device.clock_hz = real(9);
      devices_[device.ordinal] = std::move(device);
    }
    return {};
  }

  Result<void> api_calls() {
    const std::string table = "CUPTI_ACTIVITY_KIND_RUNTIME";
    if (!has(table)) return {};
    read_.insert(table);
    return file_.each("SELECT " + select(table, {"start", "end", "eventClass", "globalTid", "correlationId", "nameId", "returnValue"}) + " FROM " + table + " ORDER BY rowid", [&](Row row) {
      ++counts_["runtime"];
      const std::string_view api = without_version(text(row[5]));
      const db::ThreadId on = row[3] ? thread(*row[3]) : db::ThreadId();
      if (row[3]) calling_.insert(*row[3]);
      if (row[4] && row[3] && (api.find("Synchronize") != std::string_view::npos || api.find("WaitEvent") != std::string_view::npos)) waiting_calls_.emplace(std::pair(process_in(*row[3]), *row[4]), api);
      writer_.add(db::ApiCall{.thread = on, .name = api.empty() ? name(std::nullopt) : writer_.intern(api), .start_ns = row[0], .end_ns = row[1], .correlation = row[4], .result = row[6],
                              .kind = row[2] == 1 ? db::ApiKind::Driver : db::ApiKind::Runtime, .external = {}, .extra = {}});
      widen(row[0], row[1]);
    });
  }

  /// Kernels, copies, fills and whole graphs, in order of time.
  Result<void> device_work() {
    std::string all;
    const auto add = [&](const std::string& table, int kind, std::initializer_list<const char*> columns) {
      if (!has(table)) return;
      read_.insert(table);
      all += (all.empty() ? "" : " UNION ALL ") + fmt::format("SELECT {}, {} FROM {}", kind, select(table, columns), table);
    };
    add("CUPTI_ACTIVITY_KIND_KERNEL", 0, {"start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid", "graphNodeId", "graphId", "demangledName", "registersPerThread", "gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ", "staticSharedMemory", "dynamicSharedMemory", "shortName"});
    add("CUPTI_ACTIVITY_KIND_MEMCPY", 1, {"start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid", "graphNodeId", "graphId", "bytes", "copyKind", "srcKind", "dstKind", "-", "-", "-", "-", "-", "-", "-"});
    add("CUPTI_ACTIVITY_KIND_MEMSET", 2, {"start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid", "graphNodeId", "graphId", "bytes", "-", "-", "memKind", "-", "-", "-", "-", "-", "-", "-"});
    add("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", 3, {"start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid", "-", "graphId", "-", "-", "-", "-", "-", "-", "-", "-", "-", "-", "-"});
    if (all.empty()) return {};
    std::int64_t sequence = 0;
    return file_.each(all + " ORDER BY 2, 1, 7", [&](Row row) {
      const std::int64_t kind = *row[0];
      widen(row[1], row[2]);
      const db::StreamId on = stream(row[3], row[4], row[5]);
      const db::ProcessId by = row[7] ? process(*row[7]) : db::ProcessId();
      const auto not_zero = [](const std::optional<std::int64_t>& id) { return id == 0 ? std::nullopt : id; };
      if (kind == 1 || kind == 2) {
        ++counts_[kind == 1 ? "memcpy" : "memset"];
        db::Copy copy;
        copy.sequence = sequence++;
        const CopyName named = kind == 1 ? copy_name(row[11].value_or(-1)) : CopyName{db::CopyKind::Memset, ""};
        copy.kind = named.kind;
        const std::string to(memory_kind(row[13].value_or(-1)));
        copy.source = kind == 1 ? writer_.intern(memory_kind(row[12].value_or(-1))) : db::StringId();
        copy.destination = writer_.intern(to);
        copy.name = writer_.intern(kind == 1 ? fmt::format("Memcpy {} ({} -> {})", named.label, memory_kind(row[12].value_or(-1)), to) : fmt::format("Memset ({})", to));
        copy.stream = on;
        copy.start_ns = row[1];
        copy.end_ns = row[2];
        copy.bytes = row[10];
        copy.correlation = row[6];
        copy.graph = not_zero(row[9]);
        copy.graph_node = not_zero(row[8]);
        copy.bytes_evidence = row[10] ? Evidence::Recorded : Evidence::Unknown;
        copy.evidence = Evidence::Recorded;
        copy.process = by;
        writer_.add(copy);
        return;
      }
      db::Launch launch;
      launch.sequence = sequence++;
      launch.stream = on;
      launch.start_ns = row[1];
      launch.end_ns = row[2];
      launch.correlation = row[6];
      launch.graph = not_zero(row[9]);
      launch.graph_node = not_zero(row[8]);
      launch.evidence = Evidence::Recorded;
      launch.process = by;
      if (kind == 3) {
        ++counts_["graph"];
        launch.kind = db::LaunchKind::Library;
        launch.name = writer_.intern(fmt::format("CUDA graph {}", row[9].value_or(0)));
      } else {
        ++counts_["kernel"];
        launch.name = text(row[10]).empty() ? name(row[20]) : name(row[10]);
        db::KernelId& known = kernels_[{launch.name.value, row[11].value_or(-1)}];
        if (!known.valid()) known = writer_.add_kernel({.name = launch.name, .registers = row[11] ? std::optional(static_cast<int>(*row[11])) : std::nullopt, .cuda_sha256 = {}, .ptx_sha256 = {}, .ir_sha256 = {}, .verdict = {}});
        launch.kernel = known;
        if (row[12] && row[13] && row[14]) launch.grid = db::Grid{*row[12], *row[13], *row[14]};
        if (row[15] && row[16] && row[17]) launch.block = db::Grid{*row[15], *row[16], *row[17]};
        launch.static_shared = row[18];
        launch.dynamic_shared = row[19];
      }
      writer_.add(launch);
    });
  }

  Result<void> syncs() {
    const std::string table = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION";
    if (!has(table)) return {};
    read_.insert(table);
    return file_.each("SELECT " + select(table, {"start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid", "syncType", "eventId"}) + " FROM " + table + " ORDER BY rowid", [&](Row row) {
      ++counts_["sync"];
      db::Sync sync;
      if (row[6]) {
        sync.process = process(*row[6]);
        const auto call = row[5] ? waiting_calls_.find({process_in(*row[6]), *row[5]}) : waiting_calls_.end();
        sync.kind = sync_kind(call == waiting_calls_.end() ? std::string_view() : std::string_view(call->second), row[7].value_or(0));
      }
      if (row[4] && *row[4] != kWholeContext) sync.stream = stream(row[2], row[3], row[4]);
      sync.start_ns = row[0];
      sync.end_ns = row[1];
      sync.correlation = row[5];
      if (row[8] && *row[8] != kWholeContext) sync.wait_event = row[8];
      writer_.add(sync);
      widen(row[0], row[1]);
    });
  }

  /// "aten::view, op_id = 314290, seq = 7", as torch.autograd.profiler.emit_nvtx writes ops.
  void range(std::string_view label, Row row) {
    db::Range range;
    range.thread = row[3] ? thread(*row[3]) : db::ThreadId();
    range.start_ns = row[0];
    range.end_ns = row[1];
    range.domain = writer_.intern("nvtx");
    range.kind = db::RangeKind::Annotation;
    const auto number_behind = [&](std::string_view mark) -> std::optional<std::int64_t> {
      const std::size_t at = label.find(mark);
      std::int64_t value = 0;
      if (at == std::string_view::npos || std::from_chars(label.data() + at + mark.size(), label.data() + label.size(), value).ec != std::errc()) return std::nullopt;
      return value;
    };
    range.external = number_behind(", op_id = ");
    range.sequence = number_behind(", seq = ");
    std::string_view shown = label;
    if (range.external || range.sequence) {
      range.kind = db::RangeKind::Op;
      shown = label.substr(0, label.find(", "));
      if (const std::size_t sizes = label.find(", sizes = "); sizes != std::string_view::npos) range.extra = writer_.intern(fmt::format("{{\"sizes\":\"{}\"}}", label.substr(sizes + 10)));
    }
    ++counts_[range.kind == db::RangeKind::Op ? "op" : "annotation"];
    range.name = writer_.intern(shown.empty() ? std::string_view("(no name)") : shown);
    writer_.add(range);
    widen(row[0], row[1]);
  }

  Result<void> ranges() {
    const std::string table = "NVTX_EVENTS";
    if (!has(table)) return {};
    read_.insert(table);
    // Text stands in the row or by its id.
    const std::string columns = select(table, {"start", "end", "eventType", "globalTid", "textId", "text"});
    std::unordered_map<std::int64_t, std::string> inline_texts;
    if (this->columns(table).contains("text")) {
      SEAM_TRY(const db::Rows rows, file_.query("SELECT rowid, text FROM NVTX_EVENTS WHERE text IS NOT NULL"));
      for (const auto& row : rows.rows)
        if (std::holds_alternative<std::string>(row[1])) inline_texts.emplace(std::get<std::int64_t>(row[0]), std::get<std::string>(row[1]));
    }
    return file_.each("SELECT " + select(table, {"start", "end", "eventType", "globalTid", "textId"}) + ", rowid FROM NVTX_EVENTS ORDER BY start, rowid", [&](Row row) {
      const auto at = inline_texts.find(*row[5]);
      const std::string_view label = at != inline_texts.end() ? std::string_view(at->second) : text(row[4]);
      switch (row[2].value_or(-1)) {
        case 59:
        case 60: return range(label, row);
        case 34:
          ++counts_["instant"];
          writer_.add(db::Instant{.thread = row[3] ? thread(*row[3]) : db::ThreadId(), .category = writer_.intern("nvtx"), .name = writer_.intern(label.empty() ? std::string_view("(no name)") : label), .time_ns = row[0], .extra = {}});
          return widen(row[0], std::nullopt);
        default: ++counts_["metadata"];  // names of domains, categories and threads
      }
    });
  }

  Result<void> overheads() {
    for (const std::string table : {"PROFILER_OVERHEAD", "CUPTI_ACTIVITY_KIND_OVERHEAD"}) {
      if (!has(table)) continue;
      read_.insert(table);
      SEAM_DO(file_.each("SELECT " + select(table, {"start", "end", "globalTid", "nameId"}) + " FROM " + table + " ORDER BY rowid", [&](Row row) {
        ++counts_["overhead"];
        db::Range range;
        range.thread = row[2] ? thread(*row[2]) : db::ThreadId();
        range.kind = db::RangeKind::Overhead;
        range.domain = writer_.intern("overhead");
        range.name = name(row[3]);
        range.start_ns = row[0];
        range.end_ns = row[1];
        writer_.add(range);
      }));
    }
    return {};
  }

  Result<void> names_of_threads() {
    if (has("ThreadNames")) {
      SEAM_DO(file_.each("SELECT " + select("ThreadNames", {"globalTid", "nameId"}) + " FROM ThreadNames", [&](Row row) {
        const auto at = row[0] ? threads_.find(*row[0]) : threads_.end();
        if (at != threads_.end() && !text(row[1]).empty()) writer_.set_name(at->second, name(row[1]));
      }));
    }
    if (!has("PROCESSES")) return {};
    SEAM_TRY(const db::Rows rows, file_.query("SELECT globalPid, name FROM PROCESSES"));
    for (const auto& row : rows.rows) {
      if (!std::holds_alternative<std::int64_t>(row[0]) || !std::holds_alternative<std::string>(row[1])) continue;
      const auto at = processes_.find(process_in(std::get<std::int64_t>(row[0])));
      if (at != processes_.end()) writer_.set_name(at->second, writer_.intern(std::get<std::string>(row[1])));
    }
    return {};
  }

  /// Tables of events that no reader above took.
  Result<void> count_what_is_left() {
    SEAM_TRY(const db::Rows tables, file_.query("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"));
    for (const auto& row : tables.rows) {
      if (!std::holds_alternative<std::string>(row[0])) continue;
      const std::string table = std::get<std::string>(row[0]);
      const std::set<std::string>& there = columns(table);
      if (read_.contains(table) || (!there.contains("start") && !there.contains("timestamp") && !there.contains("rawTimestamp"))) continue;
      std::int64_t count = 0;
      SEAM_DO(file_.each("SELECT count(*) FROM \"" + table + "\"", [&](Row one) { count = *one[0]; }));
      if (count == 0) continue;
      into_.loss.push_back({"not-read: " + table, count, "rows of a table that has no place in a run file"});
    }
    return {};
  }

  void finish() {
    for (const std::int64_t ordinal : used_devices_) devices_.try_emplace(ordinal, db::RecordedDevice{.ordinal = ordinal, .name = {}, .product = {}, .compute_major = {}, .compute_minor = {}, .sms = {}, .shared_per_block = {}, .l2_bytes = {}, .dram_bytes_per_s = {}, .clock_hz = {}});
    for (auto& [ordinal, device] : devices_) {
      device.name = device_name(device.product);
      writer_.add_device(device);
    }
    writer_.build_indexes();
    if (const auto overrun = sweep(writer_, into_.busy_ns)) into_.warnings.push_back({"overrun", *overrun});
    if (counts_["graph"] > 0)
      into_.warnings.push_back({"graphs-are-whole", "CUDA graphs were recorded as a whole: their kernels are not in the file (nsys profile --cuda-graph-trace=node records them)"});
    if (!has("CUPTI_ACTIVITY_KIND_KERNEL")) into_.warnings.push_back({"no-kernels", "the export has no table of kernels: none ran while it was recorded, or they were not traced"});
    counts_["links"] = linked_work(writer_);
    std::set<std::int64_t> on_threads = calling_;
    counts_["threads"] = std::ssize(on_threads);
    into_.rows = in_order(counts_);
    into_.format = "nsys";
  }

  const db::Database& file_;
  db::Writer& writer_;
  Imported& into_;
  std::map<std::string, std::set<std::string>> columns_;
  std::set<std::string> read_;
  std::unordered_map<std::int64_t, std::string> texts_;
  std::map<std::int64_t, db::ProcessId> processes_;
  std::unordered_map<std::int64_t, db::ThreadId> threads_;
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, db::StreamId> streams_;
  std::map<std::pair<std::uint64_t, std::int64_t>, db::KernelId> kernels_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> waiting_calls_;
  std::map<std::int64_t, db::RecordedDevice> devices_;
  std::set<std::int64_t> used_devices_, calling_;
  std::map<std::string, std::int64_t, std::less<>> counts_;
};

}  // namespace

bool is_nsys(const db::Database& file) {
  const auto found = file.query("SELECT count(*) FROM sqlite_schema WHERE name = 'StringIds'");
  return found && std::get<std::int64_t>(found->rows[0][0]) == 1;
}

Result<void> import_nsys(const db::Database& file, db::Writer& writer, Imported& into) {
  SEAM_DO(Import(file, writer, into).run());
  for (const ImportLoss& loss : into.loss) writer.add_loss(loss.reason, loss.count, loss.detail);
  for (const ImportWarning& warning : into.warnings) writer.add_warning(warning.code, warning.message);
  return {};
}

}  // namespace seam::collector
