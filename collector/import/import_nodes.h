#pragma once
/// Files of execution traces, alone or beside the trace of the same process.
#include "collector/import.h"
#include "db/writer.h"
#include "import/recognise.h"

namespace seam::collector {

/// One of kind ExecutionTrace, Chakra or ChakraJson. Fills in all but the paths.
[[nodiscard]] Result<void> import_nodes(const std::filesystem::path& file, FileKind kind, const ImportOptions& options, db::Writer& writer, Imported& into);
/// Gives the ops in `writer` the tensors of `options.execution_trace`; BadInput if that is none.
[[nodiscard]] Result<void> add_execution_trace(const ImportOptions& options, db::Writer& writer, Imported& into);
/// The process that an execution trace was recorded in, by its header; nothing for other files.
[[nodiscard]] std::optional<std::int64_t> process_of_execution_trace(std::string_view head);

}  // namespace seam::collector
