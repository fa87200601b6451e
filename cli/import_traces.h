#pragma once
/// seam import of recorded traces: one run file each.
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command.h"

namespace seam::cli {

/// Files and folders of traces (a folder is one job, its files are ranks). One trace becomes `output`, or its name with .seam in the current folder;
/// several become files in the folder `output`, which must be given.
[[nodiscard]] Result<int> import_traces(const std::vector<std::string>& inputs, const std::string& output, const Common& common);
/// Whether the input is a trace, or a folder with traces in it, rather than a module.
[[nodiscard]] Result<bool> holds_traces(const std::string& input);

}  // namespace seam::cli
