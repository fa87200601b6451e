#pragma once
/// What `optimize --format json` prints and report.json holds: "schema": "seam.optimize/1".
#include <string>

#include "report/optimized.h"

namespace seam::report {
[[nodiscard]] std::string optimize_json(const Optimized& optimized);
}  // namespace seam::report
