#pragma once
/// XSpace, the profile of TensorFlow and JAX (*.xplane.pb; tsl/profiler/protobuf/xplane.proto): its events as those of the trace.json beside it, so that
/// both become the same rows.
#include <string_view>

#include "base/result.h"
#include "import/trace_rows.h"

namespace seam::collector {

/// `bytes`: the whole file, unpacked. BadInput where it is no such message.
[[nodiscard]] Result<void> read_xspace(std::string_view bytes, TraceRows& rows);

}  // namespace seam::collector
