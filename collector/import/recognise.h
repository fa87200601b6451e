#pragma once
/// What a file is, by its first bytes: who reads it, or what makes something readable of it.
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace seam::collector {

enum class FileKind : std::uint8_t { Empty, Json, ExecutionTrace, Chakra, ChakraJson, RocprofTable, RocprofJson, NcuTable, Sqlite, XSpace, Unreadable, Other };

/// `head`: the first 64 KiB, unpacked.
[[nodiscard]] FileKind kind_of(std::string_view head);
/// For Unreadable, and for names that say it (.nsys-rep): what it is and what to do. Nothing for the other kinds.
[[nodiscard]] std::optional<Error> hint(const std::filesystem::path& file, std::string_view head);

}  // namespace seam::collector
