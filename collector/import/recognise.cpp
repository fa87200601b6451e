#include "import/recognise.h"

#include <fmt/core.h>

#include <array>

namespace seam::collector {
namespace {

struct Known {
  std::string_view begins, what, todo;
};

using std::string_view_literals::operator""sv;

constexpr std::array kMagics = {
    Known{"PAR1"sv, "Parquet (a recipe of Nsight Systems writes it)", "import the report itself: nsys export --type sqlite REPORT.nsys-rep"},
    Known{"\xfd"
          "7zXZ\0"sv,
          "packed with xz", "xz -d FILE"},
    Known{"BZh"sv, "packed with bzip2", "bzip2 -d FILE"},
    Known{"PK\x03\x04"sv, "a zip archive", "unzip FILE"},
    Known{"\x7f"
          "ELF"sv,
          "a program", "run it under a profiler first"},
    Known{"version https://git-lfs"sv, "a Git LFS pointer, not the file itself", "git lfs pull"},
};

/// First lines of tables that profilers and their tools write.
constexpr std::array kTables = {
    Known{"comm_type,comm_group"sv, "a communication log of AICB", "record the job with a profiler"},
    Known{"\"Correlation_Id\",\"Dispatch_Id\""sv, "a counter table of rocprofv3, which this version does not read", "rocprofv3 --sys-trace --output-format pftrace json"},
    Known{"\"Domain\",\"Function\",\"Process_Id\""sv, "a table of rocprofv3, which this version does not read", "record with PyTorch's or JAX's profiler"},
    Known{"\"Kind\",\"Agent_Id\""sv, "a table of rocprofv3, which this version does not read", "record with PyTorch's or JAX's profiler"},
    Known{"\"Kind\",\"Direction\""sv, "a table of rocprofv3, which this version does not read", "record with PyTorch's or JAX's profiler"},
    Known{"\"Name\",\"Calls\""sv, "a summary, not a trace", "import the trace that it was made of"},
    Known{"Start (ns),"sv, "a table of `nsys stats`", "import the report itself: nsys export --type sqlite REPORT.nsys-rep"},
    Known{"Name,Process,Thread,"sv, "a table made of a trace", "import the trace itself"},
    Known{"Name,streamId,"sv, "a table made of a trace", "import the trace itself"},
    Known{"Time (%),"sv, "a summary of `nsys stats`", "import the report itself: nsys export --type sqlite REPORT.nsys-rep"},
    Known{"\"ID\",\"Process ID\""sv, "a table of Nsight Compute, which this version does not read", "import a trace of the same program"},
};

std::string_view without_blanks(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  const std::size_t at = text.find_first_not_of(" \t\r\n");
  return at == std::string_view::npos ? std::string_view() : text.substr(at);
}

const Known* find(std::string_view head) {
  for (const Known& one : kMagics)
    if (head.starts_with(one.begins)) return &one;
  for (const Known& one : kTables)
    if (without_blanks(head).starts_with(one.begins)) return &one;
  return nullptr;
}

/// Chakra's files are messages with their lengths in front; the first one holds the schema.
bool is_chakra(std::string_view head) { return head.size() > 12 && head.substr(1, 12).find("\x0a\x06schema"sv) != std::string_view::npos; }

/// Perfetto's packets: field 1 of a Trace, each a short message.
bool is_perfetto(std::string_view head) { return head.size() > 16 && head[0] == '\x0a' && head.find("\xe2\x03"sv) < 16; }

Error unsupported(const std::filesystem::path& file, std::string_view what, std::string_view todo) {
  return {Error::Code::Unsupported, fmt::format("{}: this is {}; instead: {}", file.string(), what, todo), std::nullopt, {}};
}

}  // namespace

FileKind kind_of(std::string_view head) {
  if (head.starts_with("SQLite format 3")) return FileKind::Sqlite;
  const std::string_view text = without_blanks(head);
  if (text.empty()) return FileKind::Empty;
  if (find(head) != nullptr || is_chakra(head)) return FileKind::Unreadable;
  if (text.starts_with('{') || text.starts_with('[')) return FileKind::Json;
  // XSpace: field 1, planes, whose names are paths of hosts and devices.
  if (head[0] == '\x0a' && (head.find("/host:") < 64 || head.find("/device:") < 64)) return FileKind::XSpace;
  if (is_perfetto(head)) return FileKind::Unreadable;
  return FileKind::Other;
}

std::optional<Error> hint(const std::filesystem::path& file, std::string_view head) {
  const std::string name = file.filename().string();
  for (const std::string_view end : {".nsys-rep", ".qdrep"})
    if (name.ends_with(end)) return unsupported(file, "a report of Nsight Systems, which only its own tools read", fmt::format("nsys export --type sqlite {}, and import that", name));
  if (name.ends_with(".ncu-rep")) return unsupported(file, "a report of Nsight Compute, which only its own tools read", fmt::format("ncu --import {} --page raw --csv (which this version does not read either)", name));
  if (const Known* known = find(head)) return unsupported(file, known->what, known->todo);
  if (is_chakra(head)) return unsupported(file, "a Chakra execution trace, which this version does not read", "import the Kineto trace of the same run");
  if (is_perfetto(head) && kind_of(head) == FileKind::Unreadable) return unsupported(file, "a Perfetto trace, which this version does not read", "traceconv json FILE trace.json, and import that");
  return std::nullopt;
}

Error json_hint(const std::filesystem::path& file, std::string_view head) {
  const auto has = [&](std::string_view key) { return head.find(key) != std::string_view::npos; };
  if (has("\"attr\"") && has("\"stringVal\"")) return unsupported(file, "a Chakra execution trace as JSON, which this version does not read", "import the Kineto trace of the same run");
  if (has("\"schema\"") && has("\"start_ts\"")) return unsupported(file, "an execution trace of PyTorch (operators without times), which this version does not read", "import the Kineto trace of the same run");
  if (has("\"rocprofiler-sdk-tool\"")) return unsupported(file, "a JSON file of rocprofv3, which this version does not read", "record with PyTorch's or JAX's profiler");
  return {Error::Code::Unsupported, fmt::format("{}: this is JSON without a list of trace events (\"traceEvents\")", file.string()), std::nullopt, {}};
}

}  // namespace seam::collector
