#pragma once
/// The saved-tensor policies of report/study.h, as changes to what the graph's own kernels read and write.
#include <string_view>

#include "analyzer/movement.h"
#include "report/study.h"

namespace seam::report {

/// Traffic of the published kernel `kernel`, given what its ops read and write in the graph. Errors: Unsupported if a value that the policy names is not in the
/// graph, or is not read or written there as the policy takes for granted.
[[nodiscard]] Result<analyzer::Traffic> with_saved(const analyzer::Values& values, std::string_view kernel, analyzer::Traffic traffic, SavedTensors saved);

}  // namespace seam::report
