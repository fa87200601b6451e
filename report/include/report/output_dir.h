#pragma once
/// The folder that `optimize -o DIR` leaves: module.graph plan.plan report.html report.json run.seam certificate.json
/// kernels/<name>.{cu,ptx,json,kernel} kernels/<name>.repro.cpp.
#include <filesystem>

#include "report/certificate.h"
#include "report/optimized.h"

namespace seam::report {

/// The files of the folder apart from run.seam, which is written in place, and report.json with `seconds`: equal for equal inputs.
[[nodiscard]] Files output_files(const Optimized& optimized);
/// Each file is complete or absent, whenever the program is stopped; the certificate comes last.
[[nodiscard]] Result<void> write_output(const Optimized& optimized, const std::filesystem::path& folder);

}  // namespace seam::report
