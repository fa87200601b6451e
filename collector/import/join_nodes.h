#pragma once
/// Nodes of an execution trace that lie beside a trace of the same process: each gets the op or annotation that it is, by PyTorch's record function id and the
/// name; what has none is counted.
#include "collector/import.h"
#include "import/node_rows.h"

namespace seam::collector {

/// After both were read. Traces before 2024 have no record function ids; there "External id" is the same number where the profiler and the observer
/// started together, which the names tell.
void join_nodes(db::Writer& writer, NodeRows& rows, Imported& into);

}  // namespace seam::collector
