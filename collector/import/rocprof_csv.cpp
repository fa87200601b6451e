#include "import/rocprof_csv.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/byte_source.h"
#include "base/utf8.h"
#include "import/csv.h"
#include "import/file_head.h"

namespace seam::collector {
namespace {

namespace fs = std::filesystem;

/// In the order in which they are read: counters belong to kernels that the trace tells of.
enum class Table : std::uint8_t { Agents, Kernels, Copies, Calls, Counters, Summary, Other, None };

struct Signature {
  Table table;
  std::array<std::string_view, 3> columns;
};
constexpr std::array<Signature, 7> kSignatures = {{{Table::Counters, {"Dispatch_Id", "Counter_Name", "Counter_Value"}},
                                                   {Table::Kernels, {"Kind", "Dispatch_Id", "Kernel_Name"}},
                                                   {Table::Copies, {"Kind", "Direction", "Start_Timestamp"}},
                                                   {Table::Calls, {"Domain", "Function", "Start_Timestamp"}},
                                                   {Table::Agents, {"Node_Id", "Agent_Type", "Cpu_Cores_Count"}},
                                                   {Table::Summary, {"Name", "Calls", "TotalDurationNs"}},
                                                   {Table::Other, {"Kind", "Start_Timestamp", "End_Timestamp"}}}};

Table table_of(const std::vector<std::string>& header) {
  for (const Signature& one : kSignatures)
    if (std::ranges::all_of(one.columns, [&](std::string_view column) { return std::ranges::find(header, column) != header.end(); })) return one.table;
  return Table::None;
}

Table table_of(std::string_view head) {
  if (!head.starts_with("\"") && !head.starts_with("\xef\xbb\xbf\"")) return Table::None;
  const std::string_view line = head.substr(head.find('"'), head.find('\n'));
  ByteSource source = ByteSource::of(std::string(line));
  CsvReader reader(source);
  std::vector<std::string> header;
  return reader.next(header) ? table_of(header) : Table::None;
}

/// "4", "Agent 4".
Number trailing(std::string_view text) {
  const std::size_t at = text.find_last_not_of("0123456789");
  return csv_whole(at == std::string_view::npos ? text : text.substr(at + 1));
}

/// "225049_kernel_trace.csv": what a table does not say, the name of its file may.
Number process_in(const fs::path& file) {
  const std::string name = file.filename().string();
  const std::size_t digits = name.find_first_not_of("0123456789");
  return digits != std::string::npos && digits > 0 && name[digits] == '_' ? csv_whole(std::string_view(name).substr(0, digits)) : std::nullopt;
}

/// A record by the names of its columns; what nobody takes is left.
class Record {
 public:
  Record(const std::vector<std::string>& header, std::vector<std::string>& fields) : header_(header), fields_(fields), taken_(header.size()) {}

  std::string text(std::string_view column) {
    const auto at = std::ranges::find(header_, column);
    if (at == header_.end()) return {};
    const auto place = static_cast<std::size_t>(at - header_.begin());
    taken_[place] = true;
    return to_utf8(fields_[place]);
  }
  Number whole(std::string_view column) { return csv_whole(text(column)); }
  std::optional<db::Grid> grid(const std::string& column) {
    const Number x = whole(column + "_X"), y = whole(column + "_Y"), z = whole(column + "_Z");
    if (x) return db::Grid{*x, y.value_or(1), z.value_or(1)};
    const Number all = whole(column);
    return all ? std::optional(db::Grid{*all, 1, 1}) : std::nullopt;
  }
  void drop(std::string_view column) { (void)text(column); }
  nlohmann::json rest() const {
    nlohmann::json out = nlohmann::json::object();
    for (std::size_t c = 0; c < header_.size(); ++c) {
      if (taken_[c] || fields_[c].empty()) continue;
      if (const Number number = csv_whole(fields_[c])) out[to_utf8(header_[c])] = *number;
      else out[to_utf8(header_[c])] = to_utf8(fields_[c]);
    }
    return out;
  }

 private:
  const std::vector<std::string>& header_;
  std::vector<std::string>& fields_;
  std::vector<bool> taken_;
};

db::CopyKind kind_of_direction(std::string_view direction) {
  static constexpr std::pair<std::string_view, db::CopyKind> kKinds[] = {{"HOST_TO_DEVICE", db::CopyKind::HostToDevice}, {"DEVICE_TO_HOST", db::CopyKind::DeviceToHost},
                                                                         {"DEVICE_TO_DEVICE", db::CopyKind::DeviceToDevice}, {"HOST_TO_HOST", db::CopyKind::HostToHost}};
  for (const auto& [word, kind] : kKinds)
    if (direction.find(word) != std::string_view::npos) return kind;
  return db::CopyKind::Unknown;
}

RocKernel kernel_of(Record& record, const Number& process) {
  RocKernel out;
  out.name = record.text("Kernel_Name");
  out.process = record.whole("Process_Id");
  if (!out.process) out.process = process;
  out.agent = trailing(record.text("Agent_Id"));
  out.queue = record.whole("Queue_Id");
  out.dispatch = record.whole("Dispatch_Id");
  out.correlation = record.whole("Correlation_Id");
  out.start_ns = record.whole("Start_Timestamp");
  out.end_ns = record.whole("End_Timestamp");
  out.registers = record.whole("VGPR_Count");
  out.shared = record.whole("LDS_Block_Size");
  if (const Number group = record.whole("Group_Segment_Size")) out.shared = group;
  out.workgroup = record.grid("Workgroup_Size");
  out.work_items = record.grid("Grid_Size");
  record.drop("Kind");
  return out;
}

void add_row(Table table, Record& record, const Number& process, RocmRows& rows) {
  switch (table) {
    case Table::Kernels: {
      RocKernel kernel = kernel_of(record, process);
      kernel.extra = record.rest();
      if (kernel.dispatch) kernel.extra["Dispatch_Id"] = *kernel.dispatch;
      rows.add(kernel);
      return;
    }
    case Table::Counters: {
      RocKernel kernel = kernel_of(record, process);
      const std::string counter = record.text("Counter_Name");
      const std::optional<double> value = csv_number(record.text("Counter_Value"));
      kernel.extra = record.rest();
      if (kernel.dispatch) kernel.extra["Dispatch_Id"] = *kernel.dispatch;
      if (!value) rows.lose("counter-without-value", 1, "counters whose value is no number");
      rows.add_counter(kernel, counter, value);
      return;
    }
    case Table::Copies: {
      RocCopy copy;
      copy.name = record.text("Direction");
      copy.kind = kind_of_direction(copy.name);
      copy.process = record.whole("Process_Id");
      if (!copy.process) copy.process = process;
      const Number from = trailing(record.text("Source_Agent_Id")), to = trailing(record.text("Destination_Agent_Id"));
      copy.agent = copy.kind == db::CopyKind::HostToDevice ? to : from;
      copy.correlation = record.whole("Correlation_Id");
      copy.start_ns = record.whole("Start_Timestamp");
      copy.end_ns = record.whole("End_Timestamp");
      record.drop("Kind");
      copy.extra = record.rest();
      if (from) copy.extra["Source_Agent_Id"] = *from;
      if (to) copy.extra["Destination_Agent_Id"] = *to;
      rows.add(copy);
      return;
    }
    case Table::Calls: {
      const std::string domain = record.text("Domain"), name = record.text("Function");
      Number of = record.whole("Process_Id");
      if (!of) of = process;
      const Number thread = record.whole("Thread_Id"), correlation = record.whole("Correlation_Id"), start = record.whole("Start_Timestamp"), end = record.whole("End_Timestamp");
      if (domain.find("MARKER") != std::string::npos) rows.add(RocRange{.domain = domain, .name = name, .process = of, .thread = thread, .start_ns = start, .end_ns = end, .sequence = {}, .op = false, .signature = {}, .extra = record.rest()});
      else rows.add(RocCall{.domain = domain, .name = name, .process = of, .thread = thread, .correlation = correlation, .start_ns = start, .end_ns = end, .driver = domain.starts_with("HSA"), .extra = record.rest()});
      return;
    }
    case Table::Agents: {
      const Number node = record.whole("Node_Id");
      if (!node || record.text("Agent_Type") != "GPU") return;
      db::RecordedDevice device;
      device.product = record.text("Product_Name");
      if (device.product.empty()) device.product = record.text("Name");
      device.sms = record.whole("Cu_Count");
      rows.describe_device(*node, std::move(device));
      return;
    }
    case Table::Summary:
    case Table::Other:
    case Table::None: return;
  }
}

struct TableFile {
  fs::path file;
  Table table;
};

Result<void> read_table(const TableFile& one, RocmRows& rows, const std::function<bool()>& go_on) {
  SEAM_TRY(ByteSource source, ByteSource::open(one.file));
  CsvReader reader(source);
  std::vector<std::string> header, fields;
  if (!reader.next(header)) return {};
  if (header[0].starts_with("\xef\xbb\xbf")) header[0].erase(0, 3);
  const std::string name = one.file.filename().string();
  const Number process = process_in(one.file);
  std::int64_t skipped = 0, read = 0;
  while (reader.next(fields)) {
    if (fields.size() != header.size()) {
      rows.lose("broken-row", 1, fmt::format("rows with another number of fields than their table has columns, the first in line {} of {}", reader.line(), name));
      continue;
    }
    if (one.table == Table::Other) {
      ++skipped;
      continue;
    }
    Record record(header, fields);
    add_row(one.table, record, process, rows);
    if (++read % 4096 == 0 && go_on && !go_on()) return fail(Error::Code::Cancelled, "the import was stopped; no file was written");
  }
  if (skipped > 0) rows.lose("not-read: " + to_utf8(name), skipped, "rows of a table of rocprofv3 that has no table here");
  if (reader.cut_off()) rows.lose("cut-off", 1, fmt::format("the rest of {}, behind a quote that is never closed", name));
  if (source.damage()) rows.warn("damaged", fmt::format("{}: {}: what was unpacked until there is read", name, *source.damage()));
  return {};
}

}  // namespace

bool is_rocprof_table(std::string_view head) {
  const Table table = table_of(head);
  return table != Table::None && table != Table::Summary && table != Table::Other && table != Table::Agents;
}

Result<void> read_rocprof_tables(const fs::path& path, RocmRows& rows, const std::function<bool()>& go_on) {
  std::vector<TableFile> tables;
  std::string others;
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    SEAM_TRY(ByteSource source, ByteSource::open(path));
    tables.push_back({path, table_of(first_bytes(source))});
  } else {
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::directory_iterator(path, error))
      if (entry.is_regular_file()) files.push_back(entry.path());
    if (error) return fail(Error::Code::BadInput, fmt::format("{}: {}", path.string(), error.message()));
    std::ranges::sort(files);
    for (const fs::path& file : files) {
      SEAM_TRY(ByteSource source, ByteSource::open(file));
      const Table table = table_of(first_bytes(source));
      if (table == Table::None || table == Table::Summary) others += (others.empty() ? "" : ", ") + file.filename().string();
      else tables.push_back({file, table});
    }
    std::ranges::stable_sort(tables, {}, &TableFile::table);
  }
  for (const TableFile& one : tables) SEAM_DO(during(fmt::format("reading {}", one.file.string()), read_table(one, rows, go_on)));
  if (!others.empty()) rows.warn("left-out", fmt::format("files of the folder that are no tables of records: {}", others));
  return {};
}

}  // namespace seam::collector
