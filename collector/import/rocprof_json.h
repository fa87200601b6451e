#pragma once
/// rocprofv3's JSON (--output-format json): one object per process, its records with numbers for names. Read whole. Format: "JSON output schema" of the
/// rocprofiler-sdk documentation.
#include <string>

#include "base/result.h"
#include "import/rocm_rows.h"

namespace seam::collector {

/// BadInput for text that is not this JSON.
[[nodiscard]] Result<void> read_rocprof_json(const std::string& text, RocmRows& rows);

}  // namespace seam::collector
