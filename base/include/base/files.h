#pragma once
/// Whole files in and out, with errors in the user's words. Gzip is opened transparently.
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace seam {

/// The file's bytes; gzip content is inflated. Errors: NotFound, BadInput (damaged gzip, a folder).
[[nodiscard]] Result<std::string> read_file(const std::filesystem::path& file);
/// Writes to a temporary name in the same folder, then renames: a reader never sees half a file.
/// Makes missing parent folders.
[[nodiscard]] Result<void> write_file(const std::filesystem::path& file, std::string_view bytes);

}  // namespace seam
