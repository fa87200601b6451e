#pragma once
/// What Nsight Compute counted → rows: launches of their own where its table is all there is, or counters of the launches of a trace of the same program.
#include "collector/import.h"
#include "db/writer.h"
#include "import/ncu_csv.h"

namespace seam::collector {

/// All of `into` but the paths.
void add_ncu_run(const NcuTable& table, db::Writer& writer, Imported& into);
/// A profiled launch belongs to the launch of its kernel, grid and block that stands at the same place among those of them; a table may hold fewer
/// launches than the trace. Those without a partner are counted.
void join_ncu(const NcuTable& table, db::Writer& writer, Imported& into);

}  // namespace seam::collector
