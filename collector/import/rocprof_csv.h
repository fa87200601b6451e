#pragma once
/// rocprofv3's tables (--output-format csv): one file per kind of record, in one folder per run. Columns are asked for by name; which table a file is, its
/// first line says.
#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "import/rocm_rows.h"

namespace seam::collector {

/// `head`: the first bytes of a file.
[[nodiscard]] bool is_rocprof_table(std::string_view head);
/// One file, or a folder: then of all the tables in it. Files of a folder that are none of them are named in a warning.
[[nodiscard]] Result<void> read_rocprof_tables(const std::filesystem::path& path, RocmRows& rows, const std::function<bool()>& go_on);

}  // namespace seam::collector
