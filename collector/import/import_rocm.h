#pragma once
/// Files of AMD's profilers: rocprofv3's tables and JSON, rocpd databases.
#include "collector/import.h"
#include "db/database.h"
#include "db/writer.h"

namespace seam::collector {

/// Whether a folder holds tables of rocprofv3: together they are one run.
[[nodiscard]] bool is_rocprof_folder(const std::filesystem::path& path);
/// These fill in all but the paths.
[[nodiscard]] Result<void> import_rocprof_tables(const std::filesystem::path& path, const ImportOptions& options, db::Writer& writer, Imported& into);
[[nodiscard]] Result<void> import_rocprof_json(const std::filesystem::path& file, const ImportOptions& options, db::Writer& writer, Imported& into);
[[nodiscard]] Result<void> import_rocpd(const db::Database& file, db::Writer& writer, Imported& into);

}  // namespace seam::collector
