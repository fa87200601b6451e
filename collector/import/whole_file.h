#pragma once
/// A file whose parts lie within each other, read whole and unpacked.
#include <string>
#include <string_view>

#include "collector/import.h"

namespace seam::collector {

/// BadInput for one that is damaged, or longer than `most`: the message ends with `instead`.
[[nodiscard]] Result<std::string> whole_file(const std::filesystem::path& file, std::size_t most, std::string_view instead, const ImportOptions& options);

}  // namespace seam::collector
