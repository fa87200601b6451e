#pragma once
/// What the timeline of a run that no GPU made knows beyond that of a recording: its times are modelled, and its kernels say which ops they do.
#include "analyzer/timeline.h"

namespace seam::analyzer {

/// Of starts and ends: the weakest of any row.
[[nodiscard]] Result<Evidence> evidence_of_times(const db::Database& run);
/// Classes of kernels whose names no rule knows, by the ops that they do; library calls by what they compute.
[[nodiscard]] Result<void> classify_by_ops(const db::Database& run, Timeline& timeline);

}  // namespace seam::analyzer
