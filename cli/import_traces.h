#pragma once
/// seam import of recorded traces: one run file each.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command.h"
#include "progress.h"

namespace seam::cli {

/// What lies beside a trace and is read into its run.
struct Beside {
  std::string execution_trace, counters;  ///< empty = none
};

/// Files and folders of traces (a folder is one job, its files are ranks). One trace becomes `output`, or its name with .seam in the current folder;
/// several become files in the folder `output`, which must be given.
[[nodiscard]] Result<int> import_traces(const std::vector<std::string>& inputs, const Beside& beside, const std::string& output, const Common& common);
/// Whether the input is a trace, or a folder with traces in it, rather than a module.
[[nodiscard]] Result<bool> holds_traces(const std::string& input);

/// What an import calls as it goes: moves a bar, and stops the import once Ctrl-C was pressed.
[[nodiscard]] std::function<bool(std::uint64_t taken, std::optional<std::uint64_t> all)> import_progress(Progress& bar, const std::filesystem::path& file);

}  // namespace seam::cli
