#include "import/import_nodes.h"

#include <fmt/core.h>

#include <charconv>

#include "base/byte_source.h"
#include "import/chakra.h"
#include "import/execution_trace.h"
#include "import/file_head.h"
#include "import/join_nodes.h"

namespace seam::collector {
namespace {

std::function<bool()> asking(const ImportOptions& options, const ByteSource& source) {
  return [&] { return !options.progress || options.progress(source.bytes_taken(), source.bytes_in_all()); };
}

}  // namespace

Result<void> import_nodes(const std::filesystem::path& file, FileKind kind, const ImportOptions& options, db::Writer& writer, Imported& into) {
  SEAM_TRY(ByteSource source, ByteSource::open(file));
  NodeRows rows(writer, false);
  const std::function<bool()> go_on = asking(options, source);
  if (kind == FileKind::ExecutionTrace) {
    SEAM_TRY(into.format, during(fmt::format("reading {}", file.string()), read_execution_trace(source, rows, "trace.", go_on)));
  } else {
    into.format = "chakra";
    SEAM_DO(during(fmt::format("reading {}", file.string()), kind == FileKind::Chakra ? read_chakra(source, rows, go_on) : read_chakra_json(source, rows, go_on)));
  }
  rows.finish(into);
  return {};
}

Result<void> add_execution_trace(const ImportOptions& options, db::Writer& writer, Imported& into) {
  const std::filesystem::path& file = options.execution_trace;
  SEAM_TRY(ByteSource source, ByteSource::open(file));
  {
    SEAM_TRY(ByteSource probe, ByteSource::open(file));
    if (kind_of(first_bytes(probe)) != FileKind::ExecutionTrace) return fail(Error::Code::BadInput, fmt::format("{}: is no execution trace of PyTorch", file.string()));
  }
  NodeRows rows(writer, true);
  SEAM_TRY(const std::string format, during(fmt::format("reading {}", file.string()), read_execution_trace(source, rows, "et.", asking(options, source))));
  join_nodes(writer, rows, into);
  rows.finish(into);
  writer.set_property("import.execution_trace", file.filename().string());
  return {};
}

std::optional<std::int64_t> process_of_execution_trace(std::string_view head) {
  if (kind_of(head) != FileKind::ExecutionTrace) return std::nullopt;
  std::size_t at = head.find("\"pid\"");
  if (at == std::string_view::npos) return std::nullopt;
  at = head.find_first_of("0123456789", at);
  std::int64_t process = 0;
  if (at == std::string_view::npos || std::from_chars(head.data() + at, head.data() + head.size(), process).ec != std::errc()) return std::nullopt;
  return process;
}

}  // namespace seam::collector
