#pragma once
/// What kernels take of the machine (codegen/resources.h), in words and figures for every rendering.
#include <optional>
#include <string>

#include "report/optimized.h"

namespace seam::report {

/// Blocks of this kernel that fit on one multiprocessor of the device planned for; none: registers are unknown. 0: it cannot be launched there.
[[nodiscard]] std::optional<int> resident_blocks(const Optimized& optimized, const KernelView& kernel);
/// "48 registers a thread, nothing spilled, 4 blocks per multiprocessor (modelled; ptxas for sm_90)"; "registers and spills unknown" without an assembler.
[[nodiscard]] std::string machine_code_of(const Optimized& optimized, const KernelView& kernel);
/// One sentence over all kernels; empty if none was compiled.
[[nodiscard]] std::string machine_code_summary(const Optimized& optimized);

}  // namespace seam::report
