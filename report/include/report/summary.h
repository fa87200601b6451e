#pragma once
/// What `optimize` says at its end: the comparison, the proofs, where time went, why not fewer kernels.
#include "report/document.h"
#include "report/optimized.h"

namespace seam::report {
/// `more` > 0 adds a table of kernels and more of the refusals.
[[nodiscard]] Document summary(const Optimized& optimized, int more = 0);
}  // namespace seam::report
