#include "import/rocpd.h"

#include <fmt/core.h>

#include <unordered_map>

#include "base/utf8.h"

namespace seam::collector {
namespace {

using Row = std::vector<db::Field>;

Number whole(const db::Field& field) { return std::holds_alternative<std::int64_t>(field) ? Number(std::get<std::int64_t>(field)) : std::nullopt; }
std::string text(const db::Field& field) {
  if (std::holds_alternative<std::string>(field)) return to_utf8(std::get<std::string>(field));
  if (std::holds_alternative<std::int64_t>(field)) return std::to_string(std::get<std::int64_t>(field));
  return {};
}

class Import {
 public:
  Import(const db::Database& file, RocmRows& rows) : file_(file), rows_(rows) {}

  Result<void> run() {
    SEAM_DO(load_tables());
    SEAM_DO(load_names());
    SEAM_DO(metadata());
    SEAM_DO(launches());
    SEAM_DO(copies());
    SEAM_DO(autograd());
    SEAM_DO(calls());
    SEAM_DO(ops());
    SEAM_DO(monitor());
    read_.insert("ext_callstack");  // sums over the nesting of calls, which their times say
    for (const auto& [table, count] : tables_)
      if (count > 0 && !read_.contains(table)) rows_.lose("not-read: " + table, count, "rows of a table of rocpd that has no table here");
    return {};
  }

 private:
  struct Launch {
    std::optional<db::Grid> grid, block;
    Number shared, name;
  };
  struct Copied {
    Number bytes;
    nlohmann::json extra;
  };
  struct Autograd {
    Number name, sequence;
    nlohmann::json extra;
  };

  Result<void> load_tables() {
    SEAM_TRY(const db::Rows names, file_.query("SELECT name FROM sqlite_schema WHERE type = 'table' AND (name GLOB 'rocpd_*' OR name GLOB 'ext_*')"));
    for (const Row& row : names.rows) {
      const std::string table = text(row[0]);
      std::string quoted;
      for (const char c : table) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
      const auto count = file_.query(fmt::format("SELECT count(*) FROM \"{}\"", quoted));
      tables_[table] = count ? whole(count->rows[0][0]).value_or(0) : 0;
    }
    return {};
  }
  /// Whether the table is there; it counts as read.
  bool reads(const char* table) {
    read_.insert(table);
    return tables_.contains(table);
  }

  Result<void> load_names() {
    if (!reads("rocpd_string")) return {};
    SEAM_TRY(const db::Rows rows, file_.query("SELECT id, string FROM rocpd_string"));
    for (const Row& row : rows.rows)
      if (const Number id = whole(row[0])) names_.emplace(*id, text(row[1]));
    return {};
  }
  [[nodiscard]] std::string name(const Number& id) const {
    const auto at = id ? names_.find(*id) : names_.end();
    return at == names_.end() ? std::string() : at->second;
  }

  Result<void> metadata() {
    if (!reads("rocpd_metadata")) return {};
    SEAM_TRY(const db::Rows rows, file_.query("SELECT tag, value FROM rocpd_metadata"));
    for (const Row& row : rows.rows) rows_.set_property("trace." + text(row[0]), text(row[1]));
    return {};
  }

  Result<void> launches() {
    if (!reads("rocpd_kernelapi")) return {};
    SEAM_TRY(const db::Rows rows, file_.query("SELECT k.api_ptr_id, k.gridX, k.gridY, k.gridZ, k.workgroupX, k.workgroupY, k.workgroupZ, k.groupSegmentSize, k.kernelName_id, a.apiName_id FROM rocpd_kernelapi k LEFT JOIN rocpd_api a ON a.id = k.api_ptr_id"));
    for (const Row& row : rows.rows) {
      const Number call = whole(row[0]);
      if (!call) continue;
      Launch& launch = launches_[*call];
      const auto grid = [&](std::size_t from) {
        const Number x = whole(row[from]), y = whole(row[from + 1]), z = whole(row[from + 2]);
        return x && y && z ? std::optional(db::Grid{*x, *y, *z}) : std::nullopt;
      };
      launch.block = grid(4);
      launch.grid = grid(1);
      // These calls are given work items; the others blocks, which become work items here as everywhere else of AMD.
      const std::string api = name(whole(row[9]));
      if (api != "hipExtModuleLaunchKernel" && api != "hipHccModuleLaunchKernel" && launch.grid && launch.block) {
        const auto times = [](std::int64_t blocks, std::int64_t threads) {
          std::int64_t product = 0;
          return __builtin_mul_overflow(blocks, threads, &product) ? std::int64_t{0} : product;
        };
        launch.grid = db::Grid{times(launch.grid->x, launch.block->x), times(launch.grid->y, launch.block->y), times(launch.grid->z, launch.block->z)};
      }
      launch.shared = whole(row[7]);
      launch.name = whole(row[8]);
    }
    return {};
  }

  Result<void> copies() {
    if (!reads("rocpd_copyapi")) return {};
    SEAM_TRY(const db::Rows rows, file_.query("SELECT api_ptr_id, size, kind, src, dst, stream, width, height, srcDevice, dstDevice, sync, pinned FROM rocpd_copyapi"));
    static constexpr std::array<const char*, 11> kNames = {"size", "kind", "src", "dst", "stream", "width", "height", "src_device", "dst_device", "sync", "pinned"};
    for (const Row& row : rows.rows) {
      const Number call = whole(row[0]);
      if (!call) continue;
      Copied& copied = copied_[*call];
      copied.bytes = whole(row[1]);
      copied.extra = nlohmann::json::object();
      for (std::size_t c = 0; c < kNames.size(); ++c)
        if (const std::string value = text(row[c + 1]); !value.empty()) copied.extra[kNames[c]] = value;
    }
    return {};
  }

  Result<void> autograd() {
    if (!reads("ext_autogradapi")) return {};
    SEAM_TRY(const db::Rows rows, file_.query("SELECT api_ptr_id, autogradName_id, seq, op_id, sizes, input_op_ids FROM ext_autogradapi"));
    for (const Row& row : rows.rows) {
      const Number call = whole(row[0]);
      if (!call) continue;
      Autograd& one = autograd_[*call];
      one.name = whole(row[1]);
      one.sequence = whole(row[2]);
      one.extra = nlohmann::json::object();
      for (const auto& [key, column] : {std::pair("op_id", std::size_t{3}), std::pair("sizes", std::size_t{4}), std::pair("input_op_ids", std::size_t{5})})
        if (const std::string value = text(row[column]); !value.empty()) one.extra[key] = value;
    }
    return {};
  }

  /// Ranges that a program marked stand among the calls; ops of PyTorch are such ranges with a row in another table.
  Result<void> calls() {
    if (!reads("rocpd_api")) return {};
    SEAM_TRY(const db::Rows rows, file_.query("SELECT id, pid, tid, \"start\", \"end\", apiName_id, args_id FROM rocpd_api ORDER BY \"start\", id"));
    for (const Row& row : rows.rows) {
      const Number id = whole(row[0]), process = whole(row[1]), thread = whole(row[2]), start = whole(row[3]), end = whole(row[4]);
      const std::string api = name(whole(row[5])), arguments = name(whole(row[6]));
      const auto op = autograd_.find(id.value_or(-1));
      if (op != autograd_.end() || api == "UserMarker") {
        const bool is_op = op != autograd_.end();
        rows_.add(RocRange{.domain = is_op ? "autograd" : "UserMarker", .name = is_op ? name(op->second.name) : arguments, .process = process, .thread = thread, .start_ns = start, .end_ns = end,
                           .sequence = is_op ? op->second.sequence : std::nullopt, .op = is_op, .signature = {}, .extra = is_op ? op->second.extra : nlohmann::json::object()});
        continue;
      }
      RocCall call{.domain = {}, .name = api, .process = process, .thread = thread, .correlation = id, .start_ns = start, .end_ns = end, .driver = api.starts_with("hsa_"), .extra = nlohmann::json::object()};
      if (const auto copied = copied_.find(id.value_or(-1)); copied != copied_.end()) call.extra = copied->second.extra;
      if (!arguments.empty()) call.extra["args"] = arguments;
      rows_.add(call);
    }
    return {};
  }

  Result<void> ops() {
    if (!reads("rocpd_op")) return {};
    std::unordered_map<std::int64_t, std::int64_t> call_of, works;
    if (reads("rocpd_api_ops")) {
      SEAM_TRY(const db::Rows links, file_.query("SELECT op_id, api_id FROM rocpd_api_ops ORDER BY id"));
      for (const Row& row : links.rows) {
        const Number op = whole(row[0]), call = whole(row[1]);
        if (!op || !call) continue;
        call_of.try_emplace(*op, *call);
        ++works[*call];
      }
    }
    SEAM_TRY(const db::Rows rows, file_.query("SELECT id, gpuId, queueId, \"start\", \"end\", description_id, opType_id FROM rocpd_op ORDER BY \"start\", id"));
    for (const Row& row : rows.rows) {
      const Number gpu = whole(row[1]), queue = whole(row[2]), start = whole(row[3]), end = whole(row[4]);
      const std::string what = name(whole(row[5])), type = name(whole(row[6]));
      const auto link = call_of.find(whole(row[0]).value_or(-1));
      const Number call = link == call_of.end() ? std::nullopt : Number(link->second);
      if (type.starts_with("Barrier") || type.starts_with("Marker")) {
        rows_.lose("not-read: " + type, 1, "device work of a kind that has no table here");
        continue;
      }
      if (type.starts_with("Copy") || type.starts_with("Fill") || type.starts_with("Memset")) {
        RocCopy copy;
        copy.kind = type.ends_with("HostToDevice")     ? db::CopyKind::HostToDevice
                    : type.ends_with("DeviceToHost")   ? db::CopyKind::DeviceToHost
                    : type.ends_with("DeviceToDevice") ? db::CopyKind::DeviceToDevice
                    : type.starts_with("Copy")         ? db::CopyKind::Unknown
                                                       : db::CopyKind::Memset;
        copy.name = type;
        copy.agent = gpu;
        copy.queue = queue;
        copy.correlation = call;
        copy.start_ns = start;
        copy.end_ns = end;
        const auto copied = copied_.find(call.value_or(-1));
        if (copied != copied_.end() && works[*call] == 1) copy.bytes = copied->second.bytes;
        rows_.add(copy);
        continue;
      }
      RocKernel kernel;
      kernel.name = what.empty() ? type : what;
      kernel.agent = gpu;
      kernel.queue = queue;
      kernel.correlation = call;
      kernel.start_ns = start;
      kernel.end_ns = end;
      const auto launch = launches_.find(call.value_or(-1));
      if (launch != launches_.end() && works[*call] == 1) {
        kernel.workgroup = launch->second.block;
        kernel.work_items = launch->second.grid;
        kernel.shared = launch->second.shared;
        if (what.empty() && !name(launch->second.name).empty()) kernel.name = name(launch->second.name);
      }
      rows_.add(kernel);
    }
    return {};
  }

  /// Values that hold from a start to an end: a point of the curve at either.
  Result<void> monitor() {
    if (!reads("rocpd_monitor")) return {};
    SEAM_TRY(const db::Rows rows, file_.query("SELECT monitorType, deviceType, deviceId, \"start\", CAST(value AS REAL), \"end\" FROM rocpd_monitor ORDER BY id"));
    db::Writer& writer = rows_.writer();
    for (const Row& row : rows.rows) {
      rows_.count("counter");
      const std::string of = text(row[0]);
      for (const std::size_t time : {std::size_t{3}, std::size_t{5}}) {
        writer.add(db::Counter{.process = {}, .name = writer.intern(of.empty() ? "(no name)" : of), .series = writer.intern(text(row[1]) + " " + text(row[2])), .time_ns = whole(row[time]),
                               .value = std::holds_alternative<double>(row[4]) ? std::optional(std::get<double>(row[4])) : std::nullopt});
      }
    }
    return {};
  }

  const db::Database& file_;
  RocmRows& rows_;
  std::map<std::string, std::int64_t> tables_;
  std::set<std::string> read_;
  std::unordered_map<std::int64_t, std::string> names_;
  std::unordered_map<std::int64_t, Launch> launches_;
  std::unordered_map<std::int64_t, Copied> copied_;
  std::unordered_map<std::int64_t, Autograd> autograd_;
};

}  // namespace

bool is_rocpd(const db::Database& file) {
  const auto tables = file.query("SELECT count(*) FROM sqlite_schema WHERE name IN ('rocpd_string', 'rocpd_op', 'rocpd_api') AND type = 'table'");
  return tables && whole(tables->rows[0][0]) == 3;
}

Result<void> read_rocpd(const db::Database& file, RocmRows& rows) { return Import(file, rows).run(); }

}  // namespace seam::collector
