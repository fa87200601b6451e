#pragma once
/// Where the examples that come with Seam are.
#include <filesystem>
#include <string_view>

#include "base/result.h"

namespace seam::cli {

/// examples/<name>. Installed: <prefix>/bin/seam and <prefix>/share/seam/examples. Built: the source tree. Error: Environment, with the places looked at.
[[nodiscard]] Result<std::filesystem::path> bundled(std::string_view name);

}  // namespace seam::cli
