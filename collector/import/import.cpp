#include "collector/import.h"

#include <fmt/core.h>

#include <fstream>
#include <utility>
#include <vector>

#include "base/byte_source.h"
#include "base/temporary_folder.h"
#include "db/writer.h"
#include "import/file_head.h"
#include "import/import_nodes.h"
#include "import/import_rocm.h"
#include "import/json_events.h"
#include "import/ncu_rows.h"
#include "import/nsys.h"
#include "import/recognise.h"
#include "import/rocpd.h"
#include "import/trace_rows.h"
#include "import/whole_file.h"
#include "import/xspace.h"

namespace seam::collector {
namespace {

/// SQLite reads files, not streams: packed ones are unpacked into `to`.
Result<void> unpack(const std::filesystem::path& file, const std::filesystem::path& to) {
  SEAM_TRY(ByteSource source, ByteSource::open(file));
  std::ofstream out(to, std::ios::binary);
  std::vector<char> chunk(std::size_t{1} << 20);
  for (std::size_t got = source.read(chunk); got > 0; got = source.read(chunk)) out.write(chunk.data(), static_cast<std::streamsize>(got));
  out.close();
  if (!out) return fail(Error::Code::Environment, fmt::format("cannot unpack {} into {}", file.string(), to.string()));
  if (source.damage()) return fail(Error::Code::BadInput, fmt::format("{}: {}", file.string(), *source.damage()));
  return {};
}

void describe_run(db::Writer& writer, const ImportOptions& options, const Imported& imported) {
  writer.set_run({.kind = db::RunKind::Imported, .name = imported.file.filename().string(), .command = options.command, .tool = options.tool, .policy = {}, .compiler = {}, .start_ns = imported.start_ns, .end_ns = imported.end_ns});
  writer.set_property("import.format", imported.format);
  writer.set_property("import.file", imported.file.filename().string());
}

Result<void> import_database(const std::filesystem::path& file, db::Writer& writer, Imported& into) {
  SEAM_TRY(const TemporaryFolder scratch, TemporaryFolder::make());
  std::filesystem::path plain = file;
  {
    SEAM_TRY(ByteSource probe, ByteSource::open(file));
    (void)first_bytes(probe);
    if (probe.packing()) plain = scratch.path() / "export.sqlite";
  }
  if (plain != file) SEAM_DO(unpack(file, plain));
  SEAM_TRY(const db::Database database, db::Database::open_foreign(plain));
  const auto holds = [&](const char* table) {
    const auto rows = database.query(fmt::format("SELECT count(*) FROM sqlite_schema WHERE name = '{}'", table));
    return rows && std::get<std::int64_t>(rows->rows[0][0]) > 0;
  };
  if (holds("evidence") && holds("launch")) return fail(Error::Code::BadInput, fmt::format("{}: is a run file of Seam already", file.string()));
  if (is_rocpd(database)) return during(fmt::format("importing {}", file.string()), import_rocpd(database, writer, into));
  if (holds("rocpd_info_node") || holds("rocpd_kernel_dispatch")) {
    return fail(Error::Code::Unsupported, fmt::format("{}: this is a rocpd database of rocprofv3 (schema 3), which this version does not read; instead: rocprofv3 --output-format csv, and import the folder", file.string()));
  }
  if (!is_nsys(database)) return fail(Error::Code::BadInput, fmt::format("{}: is a SQLite database, but no export of Nsight Systems and no rocpd of rocmProfileData", file.string()));
  return during(fmt::format("importing {}", file.string()), import_nsys(database, writer, into));
}

/// Its messages lie within each other, so it is read whole.
Result<void> import_xspace(const std::filesystem::path& file, const ImportOptions& options, db::Writer& writer, Imported& into) {
  SEAM_TRY(const std::string bytes, whole_file(file, std::size_t{4} << 30, "import the .trace.json.gz beside it", options));
  TraceRows rows(writer);
  SEAM_DO(during(fmt::format("reading {}", file.string()), read_xspace(bytes, rows)));
  rows.finish({}, into);
  into.format = "xplane";
  return {};
}

Result<void> import_events(const std::filesystem::path& file, const ImportOptions& options, db::Writer& writer, Imported& into) {
  SEAM_TRY(ByteSource source, ByteSource::open(file));
  EventReader reader(source, options.window);
  TraceRows rows(writer);
  EventBatch batch;
  while (reader.next(batch)) {
    rows.add(batch);
    if (options.progress && !options.progress(source.bytes_taken(), source.bytes_in_all())) return fail(Error::Code::Cancelled, "the import was stopped; no file was written");
  }
  const TextFaults& faults = reader.faults();
  if (!faults.has_events) return fail(Error::Code::Unsupported, fmt::format("{}: this is JSON without a list of trace events (\"traceEvents\")", file.string()));
  rows.finish(faults, into);
  if (source.damage()) {
    into.warnings.push_back({"damaged", *source.damage() + ": what was unpacked until there is read"});
    writer.add_warning(into.warnings.back().code, into.warnings.back().message);
    into.loss.push_back({"damaged-file", 1, "the rest of the file behind the damage"});
    writer.add_loss("damaged-file", std::nullopt, "the rest of the file behind the damage");
  }
  return {};
}

Result<void> import_counters(const std::filesystem::path& file, db::Writer& writer, Imported& into) {
  SEAM_TRY(ByteSource source, ByteSource::open(file));
  SEAM_TRY(const NcuTable table, during(fmt::format("reading {}", file.string()), read_ncu_table(source)));
  add_ncu_run(table, writer, into);
  return {};
}

Result<void> add_counters(const ImportOptions& options, db::Writer& writer, Imported& into) {
  SEAM_TRY(ByteSource source, ByteSource::open(options.counters));
  SEAM_TRY(const NcuTable table, during(fmt::format("reading {}", options.counters.string()), read_ncu_table(source)));
  join_ncu(table, writer, into);
  writer.set_property("import.counters", options.counters.filename().string());
  return {};
}

Result<void> fill(const std::filesystem::path& file, FileKind kind, const ImportOptions& options, db::Writer& writer, Imported& into) {
  switch (kind) {
    case FileKind::Json: return import_events(file, options, writer, into);
    case FileKind::Sqlite: return import_database(file, writer, into);
    case FileKind::XSpace: return import_xspace(file, options, writer, into);
    case FileKind::ExecutionTrace:
    case FileKind::Chakra:
    case FileKind::ChakraJson: return import_nodes(file, kind, options, writer, into);
    case FileKind::RocprofTable: return import_rocprof_tables(file, options, writer, into);
    case FileKind::RocprofJson: return import_rocprof_json(file, options, writer, into);
    case FileKind::NcuTable: return import_counters(file, writer, into);
    case FileKind::Empty: return fail(Error::Code::BadInput, fmt::format("{}: is empty", file.string()));
    case FileKind::Unreadable:
    case FileKind::Other: break;
  }
  return fail(Error::Code::BadInput, fmt::format("{}: is no trace that is known", file.string()));
}

/// What a trace can be read together with.
Result<void> refuse_what_does_not_fit(const std::filesystem::path& file, FileKind kind, const ImportOptions& options) {
  if (!options.execution_trace.empty() && kind != FileKind::Json) return fail(Error::Code::BadInput, fmt::format("{}: is no trace of PyTorch's profiler, which --et wants", file.string()));
  if (!options.counters.empty() && (kind == FileKind::NcuTable || kind == FileKind::ExecutionTrace)) return fail(Error::Code::BadInput, fmt::format("{}: holds no launches of a trace, which --ncu wants", file.string()));
  return {};
}

/// `name`: how the run calls its source.
Result<Imported> import_file(const std::filesystem::path& file, const std::filesystem::path& name, const ImportOptions& options) {
  FileKind kind = FileKind::RocprofTable;
  if (!is_rocprof_folder(file)) {
    SEAM_TRY(ByteSource probe, ByteSource::open(file));
    const std::string head = first_bytes(probe);
    if (auto refusal = hint(file, head)) return tl::unexpected(*std::move(refusal));
    kind = kind_of(head);
  }
  SEAM_DO(refuse_what_does_not_fit(file, kind, options));
  SEAM_TRY(db::Writer writer, db::Writer::create(options.output));
  Imported imported;
  imported.file = name;
  imported.output = options.output;
  SEAM_DO(fill(file, kind, options, writer, imported));
  describe_run(writer, options, imported);
  if (!options.execution_trace.empty()) SEAM_DO(add_execution_trace(options, writer, imported));
  if (!options.counters.empty()) SEAM_DO(add_counters(options, writer, imported));
  SEAM_DO(writer.finish());
  return imported;
}

}  // namespace

Result<bool> is_trace(const std::filesystem::path& file) {
  SEAM_TRY(ByteSource source, ByteSource::open(file));
  const std::string head = first_bytes(source);
  return hint(file, head).has_value() || kind_of(head) != FileKind::Other;
}

Result<Imported> import_trace(const std::filesystem::path& file, const ImportOptions& options) {
  if (file != "-") return import_file(file, file, options);
  // Formats are told by the first bytes, and some are read more than once: a pipe is kept first.
  SEAM_TRY(const TemporaryFolder scratch, TemporaryFolder::make());
  SEAM_DO(unpack(file, scratch.path() / "standard-input"));
  return import_file(scratch.path() / "standard-input", file, options);
}

}  // namespace seam::collector
