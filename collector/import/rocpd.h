#pragma once
/// rocpd databases of rocmProfileData (.rpd, schema 2): GPU ops, API calls, copies, autograd ops and monitored values of the device. What is not read is
/// counted as loss, table by table.
#include "db/database.h"
#include "import/rocm_rows.h"

namespace seam::collector {

[[nodiscard]] bool is_rocpd(const db::Database& file);
[[nodiscard]] Result<void> read_rocpd(const db::Database& file, RocmRows& rows);

}  // namespace seam::collector
