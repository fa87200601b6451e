#include "collector/import.h"

#include <fmt/core.h>

#include "base/byte_source.h"
#include "db/writer.h"
#include "import/json_events.h"
#include "import/trace_rows.h"

namespace seam::collector {
namespace {

/// Enough to tell formats apart.
constexpr std::size_t kSniffed = std::size_t{1} << 16;

std::string first_bytes(ByteSource& source) {
  std::string bytes(kSniffed, '\0');
  bytes.resize(source.read(bytes));
  return bytes;
}

std::string_view without_blanks(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  const std::size_t at = text.find_first_not_of(" \t\r\n");
  return at == std::string_view::npos ? std::string_view() : text.substr(at);
}

}  // namespace

Result<bool> is_trace(const std::filesystem::path& file) {
  SEAM_TRY(ByteSource source, ByteSource::open(file));
  const std::string head = first_bytes(source);
  const std::string_view text = without_blanks(head);
  return text.starts_with('{') || text.starts_with('[') || text.empty() || text.starts_with("version https://git-lfs");
}

Result<Imported> import_trace(const std::filesystem::path& file, const ImportOptions& options) {
  {
    SEAM_TRY(ByteSource probe, ByteSource::open(file));
    const std::string head = first_bytes(probe);
    const std::string_view text = without_blanks(head);
    if (text.empty()) return fail(Error::Code::BadInput, fmt::format("{}: is empty", file.string()));
    if (text.starts_with("version https://git-lfs")) return fail(Error::Code::BadInput, fmt::format("{}: is a Git LFS pointer, not the file itself: `git lfs pull` fetches it", file.string()));
    if (!text.starts_with('{') && !text.starts_with('[')) return fail(Error::Code::BadInput, fmt::format("{}: is no trace that is known", file.string()));
  }
  SEAM_TRY(ByteSource source, ByteSource::open(file));
  SEAM_TRY(db::Writer writer, db::Writer::create(options.output));
  EventReader reader(source, options.window);
  TraceRows rows(writer);
  EventBatch batch;
  while (reader.next(batch)) {
    rows.add(batch);
    if (options.progress && !options.progress(source.bytes_taken(), source.bytes_in_all())) return fail(Error::Code::Cancelled, "the import was stopped; no file was written");
  }
  const TextFaults& faults = reader.faults();
  if (!faults.has_events) return fail(Error::Code::BadInput, fmt::format("{}: JSON without a list of trace events (\"traceEvents\")", file.string()));
  Imported imported;
  imported.file = file;
  imported.output = options.output;
  rows.finish(faults, imported);
  writer.set_run({.kind = db::RunKind::Imported, .name = file.filename().string(), .command = options.command, .tool = options.tool, .policy = {}, .compiler = {}, .start_ns = imported.start_ns, .end_ns = imported.end_ns});
  writer.set_property("import.format", imported.format);
  writer.set_property("import.file", file.filename().string());
  if (source.damage()) {
    imported.warnings.push_back({"damaged", *source.damage() + ": what was unpacked until there is read"});
    writer.add_warning(imported.warnings.back().code, imported.warnings.back().message);
    imported.loss.push_back({"damaged-file", 1, "the rest of the file behind the damage"});
    writer.add_loss("damaged-file", std::nullopt, "the rest of the file behind the damage");
  }
  SEAM_DO(writer.finish());
  return imported;
}

}  // namespace seam::collector
