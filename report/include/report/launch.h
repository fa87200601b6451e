#pragma once
/// How to launch an emitted kernel, as data: what `<name>.json`, the reproducer and the replacement set are written from.
#include <string>
#include <vector>

#include "base/replacement.h"
#include "report/optimized.h"

namespace seam::report {

[[nodiscard]] LaunchShape launch_of(const KernelView& kernel);
/// Names of the ops a kernel computes, in its order; an op that several parts compute stands once.
[[nodiscard]] std::vector<std::string> ops_of(const KernelView& kernel);
/// `<name>.json`, "schema": "seam.kernel/1": launch, ops, device, hashes, verdict.
[[nodiscard]] std::string kernel_json(const Optimized& optimized, const KernelView& kernel);
/// What `export --as replacement` writes. Only kernels that passed; Error::BadInput names those that did not.
[[nodiscard]] Result<ReplacementSet> replacement_set(const Optimized& optimized);

}  // namespace seam::report
