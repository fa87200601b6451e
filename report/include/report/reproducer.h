#pragma once
/// `<name>.repro.cpp`: one C++ file on the CUDA driver API that runs an emitted kernel on a real GPU, for someone who has neither Seam nor the
/// module: the PTX inside, inputs from the seeds that the proof used, checksums and a time out.
#include <string>

#include "report/optimized.h"

namespace seam::report {
/// Only for kernels with PTX.
[[nodiscard]] std::string reproducer(const Optimized& optimized, const KernelView& kernel);
}  // namespace seam::report
