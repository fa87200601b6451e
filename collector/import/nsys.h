#pragma once
/// Nsight Systems' SQLite export, of every schema since 2020: tables that are missing are events that did not occur, columns are asked for by name. What the
/// export holds and no table of ours does is counted as loss, table by table. Format: "SQLite Schema Reference" of the Nsight Systems documentation.
#include <filesystem>

#include "collector/import.h"
#include "db/database.h"
#include "db/writer.h"

namespace seam::collector {

/// Whether the tables are an export's.
[[nodiscard]] bool is_nsys(const db::Database& file);
/// Fills in all but the paths.
[[nodiscard]] Result<void> import_nsys(const db::Database& file, db::Writer& writer, Imported& into);

}  // namespace seam::collector
