#pragma once
/// PyTorch's ExecutionTrace (ExecutionTraceObserver), schemas 1.0.1 to 1.1.1: the ops of one process with the tensors that they work on. Its nodes come children
/// first and have no times; the linked form (ET+) has times, and the profiler's events of kernels among its nodes.
#include <functional>

#include "base/byte_source.h"
#include "base/result.h"
#include "import/node_rows.h"

namespace seam::collector {

/// Properties of the run get the trace's header under `prefix`. `go_on` is asked now and then; false stops (Error::Cancelled). Returns the format: "et", or
/// "et+" where nodes have times.
[[nodiscard]] Result<std::string> read_execution_trace(ByteSource& source, NodeRows& rows, const std::string& prefix, const std::function<bool()>& go_on);

/// What a node's text says; nothing if it is no node. For readers and their tests.
[[nodiscard]] std::optional<TraceNode> execution_trace_node(const std::string& text);

}  // namespace seam::collector
