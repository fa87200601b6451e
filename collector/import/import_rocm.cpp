#include "import/import_rocm.h"

#include <fmt/core.h>

#include "base/byte_source.h"
#include "import/file_head.h"
#include "import/rocpd.h"
#include "import/rocprof_csv.h"
#include "import/rocprof_json.h"
#include "import/whole_file.h"

namespace seam::collector {

namespace fs = std::filesystem;

bool is_rocprof_folder(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return false;
  for (const fs::directory_entry& entry : fs::directory_iterator(path, error)) {
    if (!entry.is_regular_file()) continue;
    auto source = ByteSource::open(entry.path());
    if (source && is_rocprof_table(first_bytes(*source))) return true;
  }
  return false;
}

Result<void> import_rocprof_tables(const fs::path& path, const ImportOptions& options, db::Writer& writer, Imported& into) {
  RocmRows rows(writer);
  SEAM_DO(read_rocprof_tables(path, rows, [&] { return !options.progress || options.progress(0, std::nullopt); }));
  rows.finish(into);
  into.format = "rocprofv3";
  return {};
}

Result<void> import_rocprof_json(const fs::path& file, const ImportOptions& options, db::Writer& writer, Imported& into) {
  constexpr std::size_t kMost = std::size_t{1} << 30;
  SEAM_TRY(const std::string text, whole_file(file, kMost, "import the tables (--output-format csv) instead", options));
  RocmRows rows(writer);
  SEAM_DO(during(fmt::format("reading {}", file.string()), read_rocprof_json(text, rows)));
  rows.finish(into);
  into.format = "rocprofv3";
  return {};
}

Result<void> import_rocpd(const db::Database& file, db::Writer& writer, Imported& into) {
  RocmRows rows(writer);
  SEAM_DO(read_rocpd(file, rows));
  rows.finish(into);
  into.format = "rocpd";
  return {};
}

}  // namespace seam::collector
