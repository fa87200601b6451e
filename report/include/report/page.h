#pragma once
/// report.html: one page without any outside reference that tells a newcomer what was done to the module, and how sure that is. Same input,
/// same bytes.
#include <string>

#include "report/optimized.h"

namespace seam::report {
[[nodiscard]] std::string page(const Optimized& optimized);
}  // namespace seam::report
