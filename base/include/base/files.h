#pragma once
/// Whole files in and out, with errors in the user's words. Gzip is opened transparently.
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace seam {

/// More than any text that Seam reads; a few megabytes of gzip, or a device, can hold more than memory does.
inline constexpr std::size_t kMostFileBytes = std::size_t{1} << 30;

/// The file's bytes; gzip content is inflated. Errors: NotFound, BadInput (damaged gzip, a folder, more than `most` bytes).
[[nodiscard]] Result<std::string> read_file(const std::filesystem::path& file, std::size_t most = kMostFileBytes);
/// Writes to a temporary name in the same folder, then renames: a reader never sees half a file.
/// Makes missing parent folders.
[[nodiscard]] Result<void> write_file(const std::filesystem::path& file, std::string_view bytes);

}  // namespace seam
